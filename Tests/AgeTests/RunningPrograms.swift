import Bytes
import TestSupport

/// A sentence that says what made a test impossible.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Runs a program without output, and waits for it.
func execute(_ path: String, _ arguments: [String]) throws {
  let ending = try TestProgram.run([path] + arguments)
  guard ending == .exited(0) else { throw Failure("\(path) \(arguments) \(ending.text)") }
}
