import Bytes
import CLinux
import Glibc
import SSH

/// A connection to the person's own agent, on behalf of one client. Each client has its own, because binds belong to a
/// connection.
final class UpstreamAgent {
  let descriptor: Int32
  private var incoming = AgentFrames()
  private var outgoing = OutgoingBytes()
  /// How many of the next replies nobody waits for any more.
  private var late = 0

  /// Connects to the agent at a path; `nil` if nobody listens there, or it belongs to somebody else.
  ///
  /// - Parameter own: whether a socket is one of this process's own, which would ask itself without end.
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

  /// The events to wait for.
  var events: Int16 { Int16(POLLIN) | (outgoing.isEmpty ? 0 : Int16(POLLOUT)) }

  /// Sends a frame, now or when the agent takes it. Returns false if the connection is broken.
  func send(_ frame: UnsafeRawBufferPointer) -> Bool {
    outgoing.append(frame)
    return outgoing.send(to: descriptor)
  }

  /// Whether the next reply is one that nobody waits for.
  var isLate: Bool { late > 0 }

  /// Doesn't wait for the reply to what was sent last, which will still be the first to come. Returns false if too many
  /// are late, and the connection has to be given up.
  func passOverReply() -> Bool {
    late += 1
    return late <= 16
  }

  /// What has become of the agent after poll(2) has returned.
  enum Progress {
    /// Its reply has to be waited for.
    case waiting
    /// It has replied; the frame was lent.
    case replied
    /// The connection is of no more use.
    case broken
  }

  /// Goes on sending and receiving, and lends the reply, a whole frame, when it is there.
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
