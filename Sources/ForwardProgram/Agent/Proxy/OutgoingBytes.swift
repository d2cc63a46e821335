import Bytes
import Glibc

/// Bytes that wait until the other side takes them. They may be secret, and are wiped once they are sent.
struct OutgoingBytes: ~Copyable {
  private var bytes = Secret()
  private var offset = 0

  /// Whether everything was sent.
  var isEmpty: Bool { offset == bytes.count }

  /// Adds bytes at the end.
  mutating func append(_ added: UnsafeRawBufferPointer) { bytes.append(added) }

  /// Sends what the other side takes without waiting.
  ///
  /// - Returns: false if the connection is broken.
  mutating func send(to descriptor: Int32) -> Bool {
    while !isEmpty {
      let start = offset
      let (count, failure) = bytes.withUnsafeBytes { bytes in
        let rest = bytes.part(start, bytes.count - start)
        let count = Glibc.send(
          descriptor, rest.baseAddress, rest.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        return (count, errno)
      }
      if count < 0 {
        if failure == EINTR { continue }
        return failure == EAGAIN
      }
      offset += count
    }
    bytes = Secret()
    offset = 0
    return true
  }
}

/// Takes what has arrived on a socket without waiting.
///
/// - Returns: false if the other side has closed the connection, or it is broken.
func receive(from descriptor: Int32, _ take: (UnsafeRawBufferPointer) -> Void) -> Bool {
  withSecretScratch(16 << 10) { buffer in
    let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
    if count < 0 { return errno == EAGAIN || errno == EINTR }
    take(UnsafeRawBufferPointer(buffer.part(0, count)))
    return count > 0
  }
}
