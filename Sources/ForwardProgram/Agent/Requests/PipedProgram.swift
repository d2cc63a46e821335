import Bytes
import CLinux
import Forwarding
import Glibc

/// A program that gets work and prints the result: the one that opens the keychain for one request, so that this
/// process never has a key, and secrets only while passing them on; the one that asks a person; and the one that
/// watches the screen.
final class PipedProgram {
  private let process: pid_t
  private var input: Int32
  /// A descriptor for reading its output.
  let output: Int32
  private var work = Secret()
  private var sent = 0
  private var result = Secret()

  /// Starts the program, which waits for its work.
  ///
  /// - Parameters:
  ///   - path: the executable.
  ///   - name: the name to run it as.
  /// - Returns: `nil` with `errno` if it can't be started.
  init?(_ path: String, as name: String) {
    var toProgram: [Int32] = [-1, -1]
    var fromProgram: [Int32] = [-1, -1]
    guard clinux_pipe(&toProgram) == 0 else { return nil }
    guard clinux_pipe(&fromProgram) == 0 else {
      toProgram.forEach { close($0) }
      return nil
    }
    clinux_make_blocking(toProgram[0])
    clinux_make_blocking(fromProgram[1])
    do throws(ProgramStart.Failure) {
      defer {
        close(toProgram[0])
        close(fromProgram[1])
      }
      process = try ProgramStart(
        [CString(copying: name)], at: CString(copying: path),
        [.copy(of: toProgram[0]), .copy(of: fromProgram[1]), .inherited], .worker
      ).run()
    } catch {
      close(toProgram[1])
      close(fromProgram[0])
      errno = error.errno
      return nil
    }
    input = toProgram[1]
    output = fromProgram[0]
  }

  deinit {
    if input >= 0 { close(input) }
    close(output)
  }

  /// Gives it its encoded work; the part that doesn't fit at once follows by ``write()``.
  func give(_ work: consuming Secret) {
    self.work = work
    write()
  }

  /// Lets it end without any work.
  func dismiss() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// A descriptor for the rest of its work; -1 if there is none.
  var inputToWrite: Int32 { input }

  func write() {
    guard input >= 0 else { return }
    let start = sent
    let (count, failure) = work.withUnsafeBytes { bytes in
      let rest = bytes.part(start, bytes.count - start)
      let count = Glibc.write(input, rest.baseAddress, rest.count)
      return (count, errno)
    }
    if count < 0, failure == EAGAIN || failure == EINTR { return }
    sent += max(0, count)
    if count > 0, sent < work.count { return }
    // It has everything, or doesn't want it: either way it must say why.
    close(input)
    input = -1
    work = Secret()
  }

  /// Reads its output. Returns whether that has ended; then ``takeResult()`` has all of it.
  func read() -> Bool {
    withSecretScratch(16 << 10) { buffer in
      let count = Glibc.read(output, buffer.baseAddress, buffer.count)
      if count < 0 { return errno != EAGAIN && errno != EINTR }
      if result.count + count > ForwardingWork.maximumSize { return true }
      result.append(UnsafeRawBufferPointer(buffer.part(0, count)))
      return count == 0
    }
  }

  func takeResult() -> Secret {
    let all = result.copy()
    result = Secret()
    return all
  }

  /// Whether it has ended and was reaped. Must be called until it returns true.
  func hasEnded() -> Bool {
    var status: Int32 = 0
    return waitpid(process, &status, Int32(WNOHANG)) != 0
  }

  /// Tells it to end. Only while ``hasEnded()`` has returned false.
  func end() { kill(process, SIGTERM) }
}
