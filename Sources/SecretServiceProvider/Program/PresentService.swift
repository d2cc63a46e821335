import Keychain
import SecretService
package import ToolCommands

/// The Secret Service that is on the bus. Without a bus, there is none. Asking starts no service.
extension ServeProgram {
  /// Whether it is llavero's, and its program's name, if known; `nil` if there is none.
  package static func owner() -> (isOurs: Bool, program: String?)? {
    guard let bus = SessionBus.connected(), let process = bus.process(of: BusName.service) else { return nil }
    return (bus.process(of: BusName.own) == process, programName(of: process))
  }

  /// Makes the bus reread which programs it starts for which names: it doesn't watch a folder made after its start.
  package static func rereadActivation() {
    _ = try? SessionBus.connected()?.call(
      "ReloadConfig", of: Interface.bus, at: ObjectPath.bus, to: BusName.bus)
  }

  /// The programs that call llavero's service; `nil` if it isn't running, or doesn't answer.
  package static func callers() -> ServedPrograms? {
    guard let bus = SessionBus.connected(), let process = bus.process(of: BusName.own),
      bus.process(of: BusName.service) == process
    else { return nil }
    let call = "GetCallers"
    let reply = try? bus.call(call, of: Interface.own, at: ObjectPath.service, to: BusName.own)
    guard let rows = (try? reply?.checked(as: "(a(subtu))", of: call))?[0].parts else { return nil }
    return ServedPrograms(process: Int(process), callers: rows.map(caller))
  }

  /// Unknown values are empty or 0, and dates are in seconds since 1970.
  private static func caller(_ row: TypedVariant) -> ServedProgram {
    let (program, process) = (row[0].text, row[1].number)
    return ServedProgram(
      program: program.isEmpty ? nil : program, process: process == 0 ? nil : Int(process),
      isConnected: row[2].bool, since: Timestamp(milliseconds: Int64(clamping: row[3].number) * 1000),
      calls: Int(row[4].number))
  }
}
