import Bytes
import Glibc
package import Keychain
import SecretService

/// A program that calls the service.
package struct Caller: Sendable {
  /// Its connection's unique name.
  package let connection: String
  /// Its process; `nil` if the bus doesn't know it.
  package let process: UInt32?
  /// The file that the process ran when it first called; `nil` if it had ended by then, or can't be examined. A program
  /// that runs others in its process, such as an interpreter, is the same for all of them.
  package let program: String?
  /// When it first called.
  package let since: Timestamp
  /// How many calls it has made.
  package var calls = 1
}

extension Caller {
  /// Whether it is Flatpak's proxy, which calls for programs in a sandbox: its process is all that the bus knows of
  /// them.
  var isProxy: Bool {
    let name = program?.utf8.split(separator: UInt8(ascii: "/")).last.map { ByteString(Array($0)) }
    return name == "xdg-dbus-proxy" || name == "flatpak-dbus-proxy"
  }

  /// The program as decisions know it, by its file; `nil` if it can't be told.
  var identity: ByteString? { isProxy ? nil : program.map { ByteString($0) } }

  /// The program with whose questions and refusals its own are counted. All that can't be told are one.
  var group: ByteString { identity ?? "" }
}

/// The programs that call the service, by their connections.
struct Callers {
  private(set) var known: [String: Caller] = [:]
  /// The calls of those that the bus is being asked about.
  private var waiting: [String: [MethodCall]] = [:]
  private var asked: [String: Int] = [:]
  /// Those that have left the bus, the last one at the end.
  private(set) var former: [Caller] = []

  private static let formerLimit = 16

  /// Takes note of a call.
  ///
  /// - Parameter mustKnow: whether the call has to wait until the caller is known.
  /// - Returns: whether the bus is to be asked who calls, and whether the call waits for that.
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

  /// Takes what the bus has said of a connection.
  ///
  /// - Returns: the calls that have waited for that.
  mutating func note(_ connection: String, process: UInt32?) -> [MethodCall] {
    // It has left the bus meanwhile.
    guard let calls = asked.removeValue(forKey: connection) else { return [] }
    known[connection] = Caller(
      connection: connection, process: process, program: process.flatMap(Self.program), since: .now,
      calls: calls)
    return waiting.removeValue(forKey: connection) ?? []
  }

  /// The file that a process runs, if it is the one that this service sees at that path: in a namespace of its own, a
  /// process may run another file there.
  private static func program(of process: UInt32) -> String? {
    guard let path = programPath(of: process) else { return nil }
    var (running, there) = (stat(), stat())
    guard stat("/proc/\(process)/exe", &running) == 0, stat(path, &there) == 0,
      running.st_dev == there.st_dev, running.st_ino == there.st_ino
    else { return nil }
    return path
  }

  /// Forgets a connection that has left the bus.
  mutating func remove(_ connection: String) {
    waiting[connection] = nil
    asked[connection] = nil
    guard let caller = known.removeValue(forKey: connection) else { return }
    former.append(caller)
    if former.count > Self.formerLimit { former.removeFirst() }
  }

  subscript(_ connection: String) -> Caller? { known[connection] }
}
