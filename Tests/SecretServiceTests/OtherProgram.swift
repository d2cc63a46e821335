import Glibc
import TestSupport

/// Another program, which the test ends.
final class Program {
  let process: pid_t

  /// Starts the program.
  init(_ words: [String], at path: String? = nil) throws { process = try TestProgram.start(words, at: path) }

  func end() {
    kill(process, SIGKILL)
    TestProgram.wait(for: process)
  }
}

/// Waits until a condition holds, for at most a minute.
func waitUntil(_ isSo: () throws -> Bool) throws {
  for _ in 0..<6000 {
    if try isSo() { return }
    usleep(10_000)
  }
  throw TookTooLong()
}

struct TookTooLong: Error {}
