import Bytes
import CLinux
import Glibc
import PrivateFiles
import SignIn
import ToolCommands

/// Waits on this machine for the browser to come back (RFC 8252 section 7.3).
final class LoopbackListener {
  let port: UInt16
  private let sockets: [Int32]
  private let hosts: [String]
  private let isForm: Bool
  private var connections: [Connection] = []

  /// A browser opens more connections than it uses. The limit keeps anybody who holds more from blocking others for
  /// long.
  private static let maximumConnections = 32
  /// The longest time for a request, in milliseconds.
  private static let patience = 30_000

  private struct Connection {
    let socket: Int32
    let deadline: Int
    var text: [UInt8] = []
  }

  /// Listens at a redirection's address: at its port, or at a free one. `nil` if the port is in use.
  ///
  /// - Parameter isForm: whether the browser brings a form.
  init?(for redirection: Redirection, isForm: Bool) {
    self.isForm = isForm
    guard let (opened, port) = Self.listen(at: redirection) else { return nil }
    sockets = opened
    self.port = port
    hosts = ["127.0.0.1", "localhost", "[::1]"].map { port == 80 ? $0 : "\($0):\(port)" }
  }

  /// How often to look for a port that is free at both addresses.
  private static let attempts = 20

  private static func listen(at redirection: Redirection) -> (sockets: [Int32], port: UInt16)? {
    // A browser may resolve a name to either address (section 8.3).
    let families: [Int32] =
      switch redirection.host {
      case "[::1]": [AF_INET6]
      case "localhost": [AF_INET, AF_INET6]
      default: [AF_INET]
      }
    for _ in 0..<(redirection.port == nil ? attempts : 1) {
      if let found = listen(families, redirection.port ?? 0) { return found }
    }
    return nil
  }

  private static func listen(_ families: [Int32], _ wanted: UInt16) -> (sockets: [Int32], port: UInt16)? {
    var opened: [Int32] = []
    var port = wanted
    for family in families {
      if let (socket, number) = listen(family, port) {
        opened.append(socket)
        port = number
        continue
      }
      // Many machines have no IPv6. If there is IPv6 and the port is another program's, that would get the code.
      if family == AF_INET6, !opened.isEmpty, [EAFNOSUPPORT, EADDRNOTAVAIL].contains(errno) { continue }
      opened.forEach { close($0) }
      return nil
    }
    return (opened, port)
  }

  deinit {
    sockets.forEach { close($0) }
    connections.forEach { close($0.socket) }
  }

  private static func listen(_ family: Int32, _ port: UInt16) -> (socket: Int32, port: UInt16)? {
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
    if descriptor < 0 { return nil }
    var on: Int32 = 1
    if family == AF_INET6 {
      setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    // Shares no address that another program listens on, but reuses that of a finished connection.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let number = withUnsafeMutablePointer(to: &storage) { storage -> UInt16? in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16? in
        let length = Self.write(family, port, to: UnsafeMutableRawPointer(address))
        guard bind(descriptor, address, length) == 0, Glibc.listen(descriptor, 16) == 0,
          getsockname(descriptor, address, &size) == 0
        else { return nil }
        // Both kinds of address have the port in the same place.
        return UInt16(
          bigEndian: UnsafeRawPointer(address).loadUnaligned(fromByteOffset: 2, as: UInt16.self))
      }
    }
    guard let number else {
      let reason = errno
      close(descriptor)
      errno = reason
      return nil
    }
    return (descriptor, number)
  }

  /// Returns the size of the address.
  private static func write(_ family: Int32, _ port: UInt16, to memory: UnsafeMutableRawPointer) -> socklen_t
  {
    if family == AF_INET {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      memory.storeBytes(of: address, as: sockaddr_in.self)
      return socklen_t(MemoryLayout<sockaddr_in>.size)
    }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    memory.storeBytes(of: address, as: sockaddr_in6.self)
    return socklen_t(MemoryLayout<sockaddr_in6>.size)
  }

  /// The parameters that a browser brought, and the connection that waits for the answer.
  struct Arrival {
    let parameters: [UInt8]
    fileprivate let socket: Int32

    func answer(_ page: AnswerPage) {
      var text = page.response
      // A browser that is gone needs no answer.
      text.withUTF8 { _ = LoopbackListener.send(UnsafeRawBufferPointer($0), to: socket) }
      LoopbackListener.finish(socket)
    }
  }

  /// Waits for a request to `path`.
  ///
  /// - Parameter deadline: when to give up, by the clock `SystemClock.awake`.
  /// - Returns: `nil` if none came in time.
  func next(at path: String, until deadline: Int) -> Arrival? {
    while true {
      let now = SystemClock.awake
      if now >= deadline { return nil }
      for late in connections where late.deadline <= now { giveUp(late, AnswerPage.status(408)) }
      var waiting = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      waiting += connections.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
      let next = connections.map(\.deadline).min() ?? deadline
      poll(&waiting, nfds_t(waiting.count), Int32(max(1, min(deadline, next) - now)))
      for ready in waiting where ready.revents != 0 {
        if sockets.contains(ready.fd) {
          accept(ready.fd)
        } else if let arrival = read(ready.fd, path) {
          return arrival
        }
      }
    }
  }

  private func accept(_ socket: Int32) {
    let connection = clinux_accept(socket)
    if connection < 0 { return }
    if connections.count >= Self.maximumConnections, let oldest = connections.first {
      giveUp(oldest, AnswerPage.status(503))
    }
    connections.append(Connection(socket: connection, deadline: SystemClock.awake + Self.patience))
  }

  private func read(_ socket: Int32, _ path: String) -> Arrival? {
    guard let index = connections.firstIndex(where: { $0.socket == socket }) else { return nil }
    var buffer = [UInt8](repeating: 0, count: 8192)
    let count = Glibc.read(socket, &buffer, buffer.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return nil }
    if count <= 0 {
      close(connections.remove(at: index).socket)
      return nil
    }
    connections[index].text += buffer[..<count]
    let outcome = connections[index].text.withUnsafeBytes {
      ReturnRequest.parse($0, hosts: hosts, isForm: isForm)
    }
    switch outcome {
    case .incomplete: return nil
    case .refused(let status): finish(connections[index], AnswerPage.status(status))
    case .request(let request):
      if request.path != path {
        finish(connections[index], AnswerPage.status(404))
      } else {
        connections.remove(at: index)
        return Arrival(parameters: request.parameters, socket: socket)
      }
    }
    return nil
  }

  /// Ends a connection whose time is up. If it has asked nothing, it gets no answer, because nobody may read that.
  private func giveUp(_ connection: Connection, _ page: AnswerPage) {
    if !connection.text.isEmpty { return finish(connection, page) }
    connections.removeAll { $0.socket == connection.socket }
    close(connection.socket)
  }

  private func finish(_ connection: Connection, _ page: AnswerPage) {
    connections.removeAll { $0.socket == connection.socket }
    Arrival(parameters: [], socket: connection.socket).answer(page)
  }

  private static func send(_ bytes: UnsafeRawBufferPointer, to socket: Int32) -> Bool {
    clinux_make_blocking(socket)
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    return writeFully(socket, bytes) == 0
  }

  /// How long a browser may take to read an answer, in milliseconds. Nobody else is served meanwhile.
  private static let farewell = 500

  /// Ends a connection after the browser has read everything; its last bytes may still be unread here.
  private static func finish(_ socket: Int32) {
    shutdown(socket, Int32(SHUT_WR))
    var rest = [UInt8](repeating: 0, count: 4096)
    let end = SystemClock.awake + farewell
    while true {
      let left = end - SystemClock.awake
      var more = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      guard left > 0, poll(&more, 1, Int32(left)) > 0, Glibc.read(socket, &rest, rest.count) > 0 else {
        break
      }
    }
    close(socket)
  }
}
