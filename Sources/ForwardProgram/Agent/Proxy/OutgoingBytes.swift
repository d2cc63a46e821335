import Bytes
import Glibc

/// Bytes waiting for the other side. They may be secret, and are wiped once sent.
struct OutgoingBytes: ~Copyable {
  private var bytes = Secret()
  private var offset = 0

  var isEmpty: Bool { offset == bytes.count }

  mutating func append(_ added: UnsafeRawBufferPointer) { bytes.append(added) }

  /// Sends as much as the other side accepts without waiting. Returns false if the connection is broken.
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

/// Takes the bytes that have arrived, without waiting. Returns false if the connection is closed or broken.
func receive(from descriptor: Int32, _ take: (UnsafeRawBufferPointer) -> Void) -> Bool {
  withSecretScratch(16 << 10) { buffer in
    let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
    if count < 0 { return errno == EAGAIN || errno == EINTR }
    take(UnsafeRawBufferPointer(buffer.part(0, count)))
    return count > 0
  }
}
