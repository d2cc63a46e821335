import Keychain
import SecretService
import ToolCommands

/// The present provider of the Secret Service.
struct NameOwner {
  let isOurs: Bool
  /// The program's name, if known.
  let program: String?

  private static func connect(_ address: BusAddress) throws(BusFailure) -> ProviderConnection {
    try ProviderConnection(
      address.text,
      ProviderConnection.Events(
        onCall: { $0.refuse(.unknownObject) }, onDeparture: { _ in }, onLoss: { _ in }, onEnd: {}))
  }

  /// Makes the bus reread its activation files: it doesn't watch a folder made after its start.
  static func rereadActivation(_ address: BusAddress) { try? connect(address).reloadConfiguration() }

  /// The programs that call llavero's service; `nil` if it isn't running.
  ///
  /// - Throws: ``BusFailure`` if it doesn't answer.
  static func callers(_ address: BusAddress) throws(BusFailure) -> ServedPrograms? {
    let bus = try connect(address)
    guard let process = bus.process(of: Provider.ownName), bus.process(of: Provider.name) == process else {
      return nil
    }
    let reply = try bus.peer(Provider.ownName).call("GetCallers", of: Interface.own, at: ObjectPath.service)
    let what = "GetCallers"
    let rows = try reply.parts("(a(subtu))", of: what)[0].parts("a(subtu)", of: what)
    return ServedPrograms(
      process: Int(process),
      callers: try rows.map { (row) throws(BusFailure) in
        let parts = try row.parts("(subtu)", of: what)
        // Unknown values are empty or 0, and dates are in seconds since 1970.
        let (program, process) = (try parts[0].text(of: what), try parts[1].number(of: what))
        let since = Timestamp(milliseconds: Int64(clamping: try parts[3].number(of: what)) * 1000)
        return ServedPrograms.Caller(
          program: program.isEmpty ? nil : program, process: process == 0 ? nil : Int(process),
          isConnected: try parts[2].bool(of: what), since: since, calls: Int(try parts[4].number(of: what)))
      })
  }

  /// Asks the bus, without starting a service. `nil` if nobody owns the name.
  ///
  /// - Throws: ``BusFailure`` if the bus can't be used.
  static func find(_ address: BusAddress) throws(BusFailure) -> NameOwner? {
    let bus = try connect(address)
    guard let process = bus.process(of: Provider.name) else { return nil }
    return NameOwner(
      isOurs: bus.process(of: Provider.ownName) == process,
      program: programName(of: UInt32(clamping: process)))
  }
}
