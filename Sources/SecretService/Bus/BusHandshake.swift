import Bytes
import CLinux
import Glibc
import Keychain

/// The beginning of a D-Bus connection (D-Bus Specification, "Authentication Protocol"). The kernel tells the bus who
/// the client is; EXTERNAL only names it. GLib's own handshake takes four round trips, and can't have a time limit
/// without a thread.
enum BusHandshake {
  /// Connects to the first socket of the address that accepts connections.
  ///
  /// - Parameters:
  ///   - patience: how long it may take, in milliseconds.
  ///   - meanwhile: called after the request was sent.
  /// - Returns: a descriptor for sending messages.
  static func connect(
    to address: BusAddress, patience: Int, meanwhile: () -> Void = {}
  ) throws(BusFailure) -> Int32 {
    let sockets = address.sockets
    if sockets.isEmpty {
      throw BusFailure(
        call: "AUTH", .absent(detail: "the bus address '\(address.text)' names no unix socket"))
    }
    var reason: Int32 = 0
    for socket in sockets {
      let descriptor = socket.connect(patience: patience)
      if descriptor < 0 {
        reason = errno
        continue
      }
      do throws(BusFailure) {
        try refuseAnotherUser(socket, descriptor, address)
        try authenticate(on: descriptor, address, patience: patience, meanwhile: meanwhile)
        return descriptor
      } catch {
        close(descriptor)
        throw error
      }
    }
    throw failure(address, errorText(reason))
  }

  /// If root used a user's bus, that user could read what root stores.
  private static func refuseAnotherUser(
    _ socket: BusAddress.Socket, _ descriptor: Int32, _ address: BusAddress
  ) throws(BusFailure) {
    for uid in [socket.owner() ?? Int(geteuid()), clinux_peer_uid(descriptor)] where uid != Int(geteuid()) {
      throw BusFailure(
        call: "AUTH", .absent(detail: "the session bus \(address.text) is that of another user (uid \(uid))"))
    }
  }

  private static func authenticate(
    on descriptor: Int32, _ address: BusAddress, patience: Int, meanwhile: () -> Void
  ) throws(BusFailure) {
    let uid = hexadecimalDigits(Array(String(geteuid()).utf8))
    // All at once, as sd-bus does. Nothing after BEGIN is sent before the answer.
    let request = [0] + Array("AUTH EXTERNAL ".utf8) + uid + Array("\r\nBEGIN\r\n".utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      throw failure(address, errorText(errno))
    }
    let deadline = SystemClock.awake + patience
    meanwhile()
    var answer: [UInt8] = []
    while answer.last != UInt8(ascii: "\n") {
      let left = deadline - SystemClock.awake
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = left > 0 ? Glibc.poll(&poll, 1, Int32(min(left, Int(Int32.max)))) : 0
      if ready == 0 { throw BusFailure(call: "AUTH", .noAnswer(milliseconds: patience)) }
      // The bytes are first peeked at, because those after the line belong to the connection.
      var bytes = [UInt8](repeating: 0, count: 256)
      let seen = ready < 0 ? -1 : recv(descriptor, &bytes, bytes.count, Int32(MSG_PEEK))
      if seen < 0, errno == EINTR || errno == EAGAIN { continue }
      guard seen > 0, answer.count < 1000 else { throw failure(address, "it hung up") }
      let line = bytes[..<seen].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? seen
      let taken = recv(descriptor, &bytes, line, 0)
      guard taken > 0 else { throw failure(address, "it hung up") }
      answer += bytes[..<taken]
    }
    if !answer.starts(with: "OK ".utf8) { throw failure(address, "it doesn't let this user in") }
  }

  private static func failure(_ address: BusAddress, _ detail: String) -> BusFailure {
    BusFailure(call: "AUTH", .absent(detail: "cannot connect to the session bus \(address.text): \(detail)"))
  }
}
