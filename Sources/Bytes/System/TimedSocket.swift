import Glibc

/// A socket over which one program sends whole messages to another, each within a time limit.
package struct TimedSocket {
  private let descriptor: Int32
  /// When to give up, by the clock `SystemClock.awake`.
  private let deadline: Int

  package init(_ descriptor: Int32, until deadline: Int) {
    (self.descriptor, self.deadline) = (descriptor, deadline)
  }

  /// Returns whether all bytes could be sent in time.
  package func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var sent = 0
    while sent < bytes.count, let base = bytes.baseAddress {
      let count = Glibc.send(
        descriptor, base + sent, bytes.count - sent, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      if count > 0 { sent += count } else if !waits(for: POLLOUT) { return false }
    }
    return true
  }

  /// Exactly `count` bytes; `nil` if they don't arrive in time.
  package func receive(_ count: Int) -> Secret? {
    var bytes = Secret(capacity: count)
    var isGone = false
    while bytes.count < count, !isGone {
      bytes.append(count: count - bytes.count) { buffer in
        let received = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if received > 0 { return received }
        isGone = received == 0 || !waits(for: POLLIN)
        return 0
      }
    }
    if isGone { return nil }
    return bytes
  }

  /// After a failed call: waits until the socket is ready. Returns whether to try again.
  private func waits(for event: Int32) -> Bool {
    if errno == EINTR { return true }
    guard errno == EAGAIN else { return false }
    let left = deadline - SystemClock.awake
    if left <= 0 { return false }
    var waiting = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return poll(&waiting, 1, Int32(clamping: left)) != 0
  }
}
