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
    let deadline = SystemClock.sinceBoot + patience
    // When many connect at once, the agent may disconnect a client before its request. Every request may be repeated.
    for attempt in 1...maximumAttempts {
      let descriptor = connect(to: folder, deadline)
      if descriptor < 0 { return nil }
      defer { close(descriptor) }
      if let reply = exchange(descriptor, request, operation, deadline) { return reply }
      if SystemClock.sinceBoot >= deadline { return nil }
      usleep(UInt32(attempt * 1000))
    }
    return nil
  }

  /// Connects to an agent of this user; -1 if there is none.
  private static func connect(to folder: String, _ deadline: Int) -> Int32 {
    guard let folder = try? Folder(opening: folder) else { return -1 }
    let path = Agent.socketPath(in: folder)
    let patience = Int32(clamping: deadline - SystemClock.sinceBoot)
    let descriptor = clinux_connect_unix(path, path.utf8.count, false, patience)
    if descriptor < 0 || clinux_peer_uid(descriptor) == Int(geteuid()) { return descriptor }
    close(descriptor)
    return -1
  }

  private static func exchange(
    _ descriptor: Int32, _ request: borrowing Secret, _ operation: AgentProtocol.Operation, _ deadline: Int
  ) -> Reply? {
    let isSent = request.withUnsafeBytes { bytes -> Bool in
      var done = 0
      while done < bytes.count, let base = bytes.baseAddress {
        let count = send(descriptor, base + done, bytes.count - done, Int32(MSG_NOSIGNAL))
        if count > 0 { done += count }
        if count < 0, !waits(descriptor, POLLOUT, deadline) { return false }
      }
      return true
    }
    guard isSent else { return nil }
    guard let head = receive(descriptor, AgentProtocol.lengthSize + 1, deadline) else { return nil }
    let (size, code) = head.withUnsafeBytes {
      (Int($0.bigEndian(at: 0, UInt32.self)), $0[AgentProtocol.lengthSize])
    }
    guard let outcome = AgentProtocol.Outcome(rawValue: code),
      size == 1 + (outcome == .done ? operation.resultSize : 0)
    else { return nil }
    guard let result = receive(descriptor, size - 1, deadline) else { return nil }
    return Reply(outcome: outcome, result: result)
  }

  /// Receives exactly `count` bytes; `nil` if they don't arrive in time.
  private static func receive(_ descriptor: Int32, _ count: Int, _ deadline: Int) -> Secret? {
    var bytes = Secret(capacity: count)
    var isGone = false
    while bytes.count < count, !isGone {
      bytes.append(count: count - bytes.count) { buffer in
        let received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if received > 0 { return received }
        isGone = received == 0 || !waits(descriptor, POLLIN, deadline)
        return 0
      }
    }
    if isGone { return nil }
    return bytes
  }

  /// After a failed call: waits for the descriptor and returns whether to try again.
  private static func waits(_ descriptor: Int32, _ events: Int32, _ deadline: Int) -> Bool {
    if errno == EINTR { return true }
    guard errno == EAGAIN else { return false }
    let left = deadline - SystemClock.sinceBoot
    if left <= 0 { return false }
    var polled = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return poll(&polled, 1, Int32(clamping: left)) != 0
  }
}

extension Agent {
  /// The socket's path through the folder's descriptor: short enough for a socket, and in exactly the checked folder.
  package static func socketPath(in folder: borrowing Folder) -> String {
    "/proc/self/fd/\(folder.descriptor)/\(socketName)"
  }
}
