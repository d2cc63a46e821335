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
    guard let process = bus.process(of: BusName.own), bus.process(of: BusName.service) == process else {
      return nil
    }
    let call = "GetCallers"
    let reply = try bus.peer(BusName.own).call(call, of: Interface.own, at: ObjectPath.service)
    let rows = try reply.checked(as: "(a(subtu))", of: call)[0].parts
    return ServedPrograms(
      process: Int(process),
      callers: rows.map { row in
        // Unknown values are empty or 0, and dates are in seconds since 1970.
        let (program, process) = (row[0].text, row[1].number)
        return ServedPrograms.Caller(
          program: program.isEmpty ? nil : program, process: process == 0 ? nil : Int(process),
          isConnected: row[2].bool, since: Timestamp(milliseconds: Int64(clamping: row[3].number) * 1000),
          calls: Int(row[4].number))
      })
  }

  /// Asks the bus, without starting a service. `nil` if nobody owns the name.
  ///
  /// - Throws: ``BusFailure`` if the bus can't be used.
  static func find(_ address: BusAddress) throws(BusFailure) -> NameOwner? {
    let bus = try connect(address)
    guard let process = bus.process(of: BusName.service) else { return nil }
    return NameOwner(
      isOurs: bus.process(of: BusName.own) == process,
      program: programName(of: UInt32(clamping: process)))
  }
}
