import Bytes
import CLinux
import Glibc
package import Keychain
import PrivateFiles

/// Reads and writes bytes on descriptors directly, because secrets must not pass through a buffer.
package enum StandardStreams {
  /// Reads up to `buffer.count` bytes. Returns their number, 0 at the end, or a negative `errno`.
  ///
  /// - Parameter waits: whether to wait for input even if another program has made the pipe non-blocking.
  package static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, waits: Bool = false
  ) -> Int {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno == EINTR || waits && waitsIfNonBlocking(descriptor, Int16(POLLIN)) { continue }
      return -Int(errno)
    }
  }

  /// Reads to the end of the input.
  ///
  /// - Parameter limit: the maximum number of bytes.
  /// - Throws: ``KeychainError`` if there is more, or reading fails.
  package static func readAll(_ descriptor: Int32, limit: Int, what: String) throws(KeychainError) -> Secret {
    var contents = Secret(capacity: 4096)
    while true {
      var outcome = 0
      contents.append(count: 4096) { buffer in
        outcome = read(descriptor, into: buffer, waits: true)
        return max(0, outcome)
      }
      if outcome < 0 {
        throw .failure("cannot read \(what): \(errorText(Int32(-outcome)))", status: .usage)
      }
      if contents.count > limit { throw .failure("\(what) is longer than \(limit) bytes", status: .usage) }
      if outcome == 0 { return contents }
    }
  }

  /// Takes something that is shown on standard error only for now out of the way of what is written next.
  nonisolated(unsafe) package static var clearing: (() -> Void)?

  /// Writes all bytes.
  ///
  /// - Throws: ``KeychainError`` if the reader is gone or the disk is full.
  package static func write(_ bytes: borrowing Secret, to descriptor: Int32 = 1) throws(KeychainError) {
    clearing?()
    let failure = bytes.withUnsafeBytes { writeFully(descriptor, $0, waits: true) }
    if failure != 0 { throw .failure("cannot write the answer: \(errorText(failure))", status: .keychain) }
  }

  package static func write(_ text: TextForTerminal, to descriptor: Int32 = 1) throws(KeychainError) {
    try write(raw: text.shown, to: descriptor)
  }

  /// Writes text unescaped. It must not be secret, and must be this program's own or meant for another program.
  package static func write(raw text: String, to descriptor: Int32 = 1) throws(KeychainError) {
    clearing?()
    var text = text
    let failure = text.withUTF8 { writeFully(descriptor, UnsafeRawBufferPointer($0), waits: true) }
    if failure != 0 { throw .failure("cannot write the answer: \(errorText(failure))", status: .keychain) }
  }

  /// Shows a message on standard error. If that fails, there is nobody to tell.
  package static func say(_ line: TextForTerminal) {
    clearing?()
    let text = Secret("llavero: " + withTilde(line.shown) + "\n")
    _ = text.withUnsafeBytes { writeFully(2, $0, waits: true) }
  }

  /// Leaves standard output and error to whoever started this process, which goes on by itself.
  package static func leave() {
    for descriptor: Int32 in [1, 2] {
      let null = Glibc.open("/dev/null", O_WRONLY | O_CLOEXEC)
      if null >= 0 { dup2(null, descriptor) }
      if null > 2 { close(null) }
    }
  }

  /// Makes sure that descriptors 0 to 2 are in use, so that no file opened later becomes one of them. Writing to a
  /// closed output still fails, so that the caller notices.
  package static func occupy() {
    // One call for all three, because usually they are open.
    var streams = (
      pollfd(fd: 0, events: 0, revents: 0), pollfd(fd: 1, events: 0, revents: 0),
      pollfd(fd: 2, events: 0, revents: 0)
    )
    let areOpen = withUnsafeMutableBytes(of: &streams) { memory in
      let streams = memory.bindMemory(to: pollfd.self)
      return poll(streams.baseAddress, 3, 0) >= 0 && streams.allSatisfy { $0.revents & Int16(POLLNVAL) == 0 }
    }
    if areOpen { return }
    // Each gets the lowest free number.
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
      if clinux_openat(AT_FDCWD, "/dev/null", descriptor == 1 ? O_RDONLY : O_RDWR, 0) < 0 { return }
    }
  }

  package static func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }
}
