package import Bytes
import CLinux
import Glibc
package import Keychain

/// A connection to the agent that forwards a keychain to this machine.
package final class ForwardingConnection {
  private let path: String
  private let descriptor: Int32
  private var frames = AgentFrames(maximumLength: KeychainExtension.maximumSize + 64)
  /// Whether a request got no response. A late one would be mistaken for the response to the next request.
  private var hasFailed = false

  /// How long the agent may take to say whether it forwards a keychain, in milliseconds; tools that find nothing wait
  /// for that long. A socket named by a person has no substitute, so it may take as long as for any other reply.
  package static let queryTime = 900
  /// How long the agent may take for any other reply, in milliseconds. While a person decides, it says so sooner.
  package static let replyTime = 2000

  /// Connects to the agent at a socket, and asks whether it forwards a keychain, so that no other program ever gets a
  /// secret.
  ///
  /// - Parameters:
  ///   - path: the path of the socket.
  ///   - isNamed: whether a person has named this socket for the purpose. Others must belong to this user, or to root,
  ///     who could become this user anyway.
  /// - Throws: ``KeychainError/forwarding(_:)`` if it doesn't.
  package init(to path: String, isNamed: Bool) throws(KeychainError) {
    self.path = path
    let time = isNamed ? Self.replyTime : Self.queryTime
    descriptor = clinux_connect_unix(path, path.utf8.count, false, Int32(time))
    if descriptor < 0 { throw .forwarding(.unreachable(path: path, errno: errno)) }
    try checkOwner(isNamed: isNamed)
    try checkExtension(within: time)
  }

  /// Connects to the person's own agent on this machine, at a private socket.
  ///
  /// - Throws: ``KeychainError/forwarding(_:)``.
  package init(toOwnAgent path: String) throws(KeychainError) {
    self.path = path
    descriptor = clinux_connect_unix(path, path.utf8.count, false, Int32(Self.replyTime))
    if descriptor < 0 { throw .forwarding(.unreachable(path: path, errno: errno)) }
    try checkOwner(isNamed: false)
  }

  private func checkOwner(isNamed: Bool) throws(KeychainError) {
    let owner = clinux_peer_uid(descriptor)
    if !isNamed, owner != 0, owner != Int(geteuid()) {
      throw .forwarding(.otherUser(path: path, uid: UInt32(truncatingIfNeeded: owner)))
    }
  }

  package var process: Int { Int(clinux_peer_pid(descriptor)) }

  /// Waits until the other side ends the connection. Returns whether it did, within a time in milliseconds.
  package func waitForEnd(_ time: Int) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, Int32(clamping: time)) > 0
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether further requests are possible. The agent sends nothing between two requests, so anything readable is its
  /// end.
  package var isOpen: Bool {
    if hasFailed { return false }
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 0) == 0
  }

  private func checkExtension(within time: Int) throws(KeychainError) {
    let frame = AgentFrame.encode(AgentMessageType.extensionRequest, extensionName: QueryExtension.name, [])
    let deadline = SystemClock.awake + time
    try frame.lendingBytes { (bytes) throws(KeychainError) in
      try send(bytes, until: deadline, time)
    }
    let size = try arrival(until: deadline, time)
    let forwards = frames.take(size) { frame in
      let message = AgentMessage(frame.part(AgentFrame.headSize, frame.count - AgentFrame.headSize))
      let names = (try? QueryExtension.names(in: message)) ?? []
      return names.contains(ByteString(KeychainExtension.name.bytes))
    }
    if !forwards { throw .forwarding(.otherAgent(path: path)) }
  }

  /// Sends a request and waits for its response; both are JSON.
  ///
  /// - Parameter extensionName: the extension of the request.
  /// - Throws: ``KeychainError/forwarding(_:)`` if none comes in time.
  package func exchange(
    _ request: borrowing Secret, _ extensionName: StaticString = KeychainExtension.name
  ) throws(KeychainError) -> Secret {
    let frame = AgentFrame.encode(
      AgentMessageType.extensionRequest, extensionName: extensionName, request)
    hasFailed = true
    let deadline = SystemClock.awake + Self.replyTime
    try frame.withUnsafeBytes { (bytes) throws(KeychainError) in
      try send(bytes, until: deadline, Self.replyTime)
    }
    let size = try arrival(until: deadline, Self.replyTime)
    var response: Secret?
    frames.take(size) { frame in
      let message = AgentMessage(frame.part(AgentFrame.headSize, frame.count - AgentFrame.headSize))
      guard message.type == AgentMessageType.extensionResponse, let (name, contents) = message.asExtension,
        name == extensionName
      else { return }
      response = Secret(copying: contents)
    }
    switch consume response {
    case .some(let response):
      hasFailed = false
      return response
    case .none: throw .forwarding(.notUnderstood)
    }
  }

  // MARK: Bytes

  private func send(
    _ bytes: UnsafeRawBufferPointer, until deadline: Int, _ time: Int
  ) throws(KeychainError) {
    var sent = 0
    while sent < bytes.count {
      let rest = bytes.part(sent, bytes.count - sent)
      let count = Glibc.send(
        descriptor, rest.baseAddress, rest.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        try wait(for: Int16(POLLOUT), until: deadline, time)
      } else if errno != EINTR {
        throw .forwarding(.ended(path: path))
      }
    }
  }

  /// Waits for a whole frame, and returns its size in bytes.
  private func arrival(until deadline: Int, _ time: Int) throws(KeychainError) -> Int {
    while true {
      switch frames.next {
      case .frame(let size): return size
      case .malformed: throw .forwarding(.notUnderstood)
      case .incomplete: break
      }
      try wait(for: Int16(POLLIN), until: deadline, time)
      let (count, failure) = withSecretScratch(16 << 10) { buffer in
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        let failure = errno
        if count > 0 { frames.append(UnsafeRawBufferPointer(buffer.part(0, count))) }
        return (count, failure)
      }
      if count > 0 || count < 0 && (failure == EAGAIN || failure == EINTR) { continue }
      throw .forwarding(.ended(path: path))
    }
  }

  private func wait(for events: Int16, until deadline: Int, _ time: Int) throws(KeychainError) {
    let left = deadline - SystemClock.awake
    guard left > 0 else { throw .forwarding(.noAnswer(path: path, milliseconds: time)) }
    var waiting = pollfd(fd: descriptor, events: events, revents: 0)
    _ = poll(&waiting, 1, Int32(left))
  }
}
