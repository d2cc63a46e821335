import Bytes
import CLinux
import Glibc
package import PrivateFiles

/// A client's requests to an agent, each on a connection of its own.
enum AgentRequest {
  /// The longest time for connecting, asking and receiving together, in milliseconds.
  static let patience = 2000
  /// The most connection attempts for one request; the last one waits about 20 milliseconds for its turn.
  private static let maximumAttempts = 20

  struct Reply: ~Copyable {
    let outcome: AgentProtocol.Outcome
    let result: Secret
  }

  /// Sends a request to the agent in a folder and waits for the reply; `nil` if there is no agent, or it doesn't
  /// answer in time or correctly.
  ///
  /// - Parameter arguments: as many bytes as the operation takes.
  static func ask(
    _ folder: String, _ operation: AgentProtocol.Operation, _ arguments: borrowing Secret
  ) -> Reply? {
    var request = Secret(capacity: AgentProtocol.lengthSize + 2 + operation.argumentSize)
    request.append(bigEndian: UInt32(2 + arguments.count))
    request.append(AgentProtocol.version)
    request.append(operation.rawValue)
    request.append(arguments)
    let deadline = SystemClock.awake + patience
    // When many connect at once, the agent may disconnect a client before its request. Every request may be repeated.
    for attempt in 1...maximumAttempts {
      let descriptor = connect(to: folder, deadline)
      if descriptor < 0 { return nil }
      defer { close(descriptor) }
      if let reply = exchange(descriptor, request, operation, deadline) { return reply }
      if SystemClock.awake >= deadline { return nil }
      usleep(UInt32(attempt * 1000))
    }
    return nil
  }

  /// Connects to an agent of this user; -1 if there is none.
  private static func connect(to folder: String, _ deadline: Int) -> Int32 {
    guard let folder = try? Folder(opening: folder) else { return -1 }
    let path = Agent.socketPath(in: folder)
    let patience = Int32(clamping: deadline - SystemClock.awake)
    let descriptor = clinux_connect_unix(path, path.utf8.count, false, patience)
    if descriptor < 0 || clinux_peer_uid(descriptor) == Int(geteuid()) { return descriptor }
    close(descriptor)
    return -1
  }

  private static func exchange(
    _ descriptor: Int32, _ request: borrowing Secret, _ operation: AgentProtocol.Operation, _ deadline: Int
  ) -> Reply? {
    let socket = TimedSocket(descriptor, until: deadline)
    guard request.withUnsafeBytes(socket.send), let head = socket.receive(AgentProtocol.lengthSize + 1) else {
      return nil
    }
    let (size, code) = head.withUnsafeBytes {
      (Int($0.bigEndian(at: 0, UInt32.self)), $0[AgentProtocol.lengthSize])
    }
    guard let outcome = AgentProtocol.Outcome(rawValue: code),
      size == 1 + (outcome == .done ? operation.resultSize : 0)
    else { return nil }
    guard let result = socket.receive(size - 1) else { return nil }
    return Reply(outcome: outcome, result: result)
  }
}

extension Agent {
  /// The socket's path through the folder's descriptor: short enough for a socket, and in exactly the checked folder.
  package static func socketPath(in folder: borrowing Folder) -> String {
    "/proc/self/fd/\(folder.descriptor)/\(socketName)"
  }
}
