package import Bytes
import CLinux
import Glibc
package import Keychain

/// Starts a program in a session of its own, so that it outlives this one.
package enum DetachedProgram {
  /// Starts it, and waits until it closes its standard output and error, or ends.
  ///
  /// - Parameters:
  ///   - arguments: the arguments, beginning with its name. Every user of the machine can read them.
  ///   - input: its standard input, which nobody else can read: at most 64 KiB, a pipe's capacity.
  /// - Returns: its output until then, and how it ended, if it did.
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if it can't be started.
  package static func start(
    _ path: String, _ arguments: [String], input: borrowing Secret = Secret()
  ) throws(KeychainError) -> (said: String, ending: ProgramEnding?) {
    var ends: [Int32] = [-1, -1]
    guard clinux_pipe(&ends) == 0 else {
      throw .system(operation: "make a pipe for", path: path, errno: errno)
    }
    clinux_make_blocking(ends[0])
    clinux_make_blocking(ends[1])
    defer { close(ends[0]) }
    var inputs: [Int32] = [-1, -1]
    guard clinux_pipe(&inputs) == 0 else {
      let failure = errno
      close(ends[1])
      throw .system(operation: "make a pipe for", path: path, errno: failure)
    }
    defer { close(inputs[0]) }
    let count = input.withUnsafeBytes { write(inputs[1], $0.baseAddress, $0.count) }
    let writing = errno
    close(inputs[1])
    if count != input.count {
      close(ends[1])
      throw .system(operation: "write to a pipe for", path: path, errno: count < 0 ? writing : EMSGSIZE)
    }
    clinux_make_blocking(inputs[0])
    let child: pid_t
    do throws(ProgramStart.Failure) {
      defer { close(ends[1]) }
      child = try ProgramStart(
        arguments.map { CString(copying: $0) }, at: CString(copying: path),
        [.copy(of: inputs[0]), .copy(of: ends[1]), .copy(of: ends[1])], .background
      ).run()
    } catch {
      throw .system(operation: "run", path: path, errno: error.errno)
    }
    var said: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(ends[0], &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      if said.count < 65_536 { said += buffer[..<count] }
    }
    let text = String(decoding: said, as: UTF8.self)
    // It prints text only if it fails, and then it ends.
    var status: Int32 = 0
    let result = waitpid(child, &status, text.isEmpty ? WNOHANG : 0)
    return (text, result == child ? ProgramEnding(waitStatus: status) : nil)
  }
}
