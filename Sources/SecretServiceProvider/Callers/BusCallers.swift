import Bytes
import Glibc
import Keychain
import SecretService

struct BusCaller: Sendable {
  let connection: String
  /// The process; `nil` if the bus doesn't know it.
  let process: UInt32?
  /// The file that the process ran when it first called; `nil` if it had ended, or can't be examined. An interpreter
  /// counts as one program, whatever it runs.
  let program: String?
  let since: Timestamp
  var calls = 1
}

extension BusCaller {
  /// Whether it is Flatpak's proxy, which calls for sandboxed programs. The bus knows only the proxy's process.
  var isProxy: Bool {
    let name = program?.utf8.split(separator: UInt8(ascii: "/")).last.map { ByteString(Array($0)) }
    return name == "xdg-dbus-proxy" || name == "flatpak-dbus-proxy"
  }

  /// The program's file, by which decisions identify it; `nil` if unknown.
  var identity: ByteString? { isProxy ? nil : program.map { ByteString($0) } }

  /// The program with which its questions and refusals are counted. All unidentified programs count as one.
  var group: ByteString { identity ?? "" }
}

/// The programs that call the service, by their connections.
struct BusCallers {
  private(set) var known: [String: BusCaller] = [:]
  /// The calls of connections that the bus is being asked about.
  private var waiting: [String: [MethodCall]] = [:]
  private var asked: [String: Int] = [:]
  /// The callers that have left the bus, the most recent last.
  private(set) var former: [BusCaller] = []

  private static let formerLimit = 16

  /// Registers a call.
  ///
  /// - Parameter mustKnow: whether the call must wait until its caller is known.
  /// - Returns: whether to ask the bus for the caller, and whether the call waits for the answer.
  mutating func take(_ call: MethodCall, mustKnow: Bool) -> (isNew: Bool, waits: Bool) {
    if known[call.sender] != nil {
      known[call.sender]?.calls += 1
      return (false, false)
    }
    let isNew = asked[call.sender] == nil
    asked[call.sender, default: 0] += 1
    if mustKnow { waiting[call.sender, default: []].append(call) }
    return (isNew, mustKnow)
  }

  /// Takes the bus's answer about a connection. Returns the calls that waited for it.
  mutating func note(_ connection: String, process: UInt32?) -> [MethodCall] {
    // It has left the bus meanwhile.
    guard let calls = asked.removeValue(forKey: connection) else { return [] }
    known[connection] = BusCaller(
      connection: connection, process: process, program: process.flatMap(Self.program), since: .now,
      calls: calls)
    return waiting.removeValue(forKey: connection) ?? []
  }

  /// The file that a process runs, if this service sees the same file at that path. In a mount namespace of its own, a
  /// process may run another one.
  private static func program(of process: UInt32) -> String? {
    guard let path = programPath(of: process) else { return nil }
    var (running, there) = (stat(), stat())
    guard stat("/proc/\(process)/exe", &running) == 0, stat(path, &there) == 0,
      running.st_dev == there.st_dev, running.st_ino == there.st_ino
    else { return nil }
    return path
  }

  mutating func remove(_ connection: String) {
    waiting[connection] = nil
    asked[connection] = nil
    guard let caller = known.removeValue(forKey: connection) else { return }
    former.append(caller)
    if former.count > Self.formerLimit { former.removeFirst() }
  }

  subscript(_ connection: String) -> BusCaller? { known[connection] }
}
