import Bytes
import CLinux
import Forwarding
import Glibc

/// A connection to the person's own agent for one client. Each client has its own, because binds belong to a
/// connection.
final class UpstreamAgent {
  let descriptor: Int32
  private var incoming = AgentFrames()
  private var outgoing = OutgoingBytes()
  /// How many of the next replies are to be skipped.
  private var late = 0

  /// Connects to the agent at a path; `nil` if nobody listens there, or it belongs to somebody else.
  ///
  /// - Parameter own: whether a socket is this process's own, which would ask itself without end.
  init?(at path: String) {
    // Nobody else is served meanwhile.
    let descriptor = clinux_connect_unix(path, path.utf8.count, false, 100)
    if descriptor < 0 { return nil }
    guard clinux_peer_uid(descriptor) == Int(geteuid()), clinux_peer_pid(descriptor) != Int(getpid()) else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  var events: Int16 { Int16(POLLIN) | (outgoing.isEmpty ? 0 : Int16(POLLOUT)) }

  /// Sends a frame, at once or when the agent accepts it. Returns false if the connection is broken.
  func send(_ frame: UnsafeRawBufferPointer) -> Bool {
    outgoing.append(frame)
    return outgoing.send(to: descriptor)
  }

  var isLate: Bool { late > 0 }

  /// Skips the reply to the last frame, which will still be the first to come. Returns false if too many are late, and
  /// the connection must be given up.
  func passOverReply() -> Bool {
    late += 1
    return late <= 16
  }

  /// The agent's state after poll(2).
  enum Progress {
    case waiting
    case replied
    /// The connection can't be used any more.
    case broken
  }

  /// Continues sending and receiving, and lends the reply, a whole frame, when it is there.
  func advance(_ events: Int16, reply: (UnsafeRawBufferPointer) -> Void) -> Progress {
    if events & Int16(POLLOUT) != 0, !outgoing.send(to: descriptor) { return .broken }
    if events & ~Int16(POLLOUT) != 0 {
      var arrived = false
      let isOpen = receive(from: descriptor) { bytes in
        incoming.append(bytes)
        arrived = !bytes.isEmpty
      }
      if !isOpen, !arrived { return .broken }
    }
    while true {
      switch incoming.next {
      case .incomplete: return .waiting
      case .malformed: return .broken
      case .frame(let size) where late > 0:
        incoming.take(size) { _ in }
        late -= 1
      case .frame(let size):
        incoming.take(size, reply)
        return .replied
      }
    }
  }
}
