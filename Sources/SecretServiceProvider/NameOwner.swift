package import SecretService

package struct NameOwner {
  package let isOurs: Bool
  /// The program's name, if known.
  package let program: String?

  private static func connect(_ address: BusAddress) throws(BusFailure) -> ProviderConnection {
    try ProviderConnection(
      address.text,
      ProviderConnection.Events(
        onCall: { $0.refuse(.unknownObject) }, onDeparture: { _ in }, onLoss: { _ in }, onEnd: {}))
  }

  /// Makes the bus reread its activation files: it doesn't watch a folder made after its start.
  package static func rereadActivation(_ address: BusAddress) { try? connect(address).reloadConfiguration() }

  /// The programs that call llavero's service; `nil` if it isn't running.
  ///
  /// - Throws: ``BusFailure`` if it doesn't answer.
  package static func callers(
    _ address: BusAddress
  ) throws(BusFailure) -> (process: UInt64?, rows: [CallerRow])? {
    let bus = try connect(address)
    guard let process = bus.process(of: Provider.ownName), bus.process(of: Provider.name) == process else {
      return nil
    }
    let reply = try bus.peer(Provider.ownName).call("GetCallers", of: Interface.own, at: ObjectPath.service)
    let what = "GetCallers"
    let rows = try reply.parts("(a(subtu))", of: what)[0].parts("a(subtu)", of: what)
    return (
      process,
      try rows.map { (row) throws(BusFailure) in
        let parts = try row.parts("(subtu)", of: what)
        return CallerRow(
          program: try parts[0].text(of: what), process: try parts[1].number(of: what),
          isConnected: try parts[2].bool(of: what), since: try parts[3].number(of: what),
          calls: try parts[4].number(of: what))
      }
    )
  }

  /// The service's report on a program; unknown values are empty or 0.
  package struct CallerRow {
    package let program: String
    package let process: UInt64
    package let isConnected: Bool
    /// In seconds since 1970.
    package let since: UInt64
    package let calls: UInt64
  }

  /// Asks the bus, without starting a service. `nil` if nobody owns the name.
  ///
  /// - Throws: ``BusFailure`` if the bus can't be used.
  package static func find(_ address: BusAddress) throws(BusFailure) -> NameOwner? {
    let bus = try connect(address)
    guard let process = bus.process(of: Provider.name) else { return nil }
    return NameOwner(
      isOurs: bus.process(of: Provider.ownName) == process,
      program: programName(of: UInt32(clamping: process)))
  }
}
