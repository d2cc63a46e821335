import Glibc
import Keychain
package import Processes

/// A program that shows its one argument, and prints what a person answers (ssh(1), `SSH_ASKPASS`).
package struct AskpassProgram {
  let program: CString
  /// How many milliseconds a person may take.
  let timeout: Int

  /// Takes the program that a variable names; `nil` if that is none, or this one, which would ask itself.
  init?(variable: String, timeout: Int) {
    guard let program = CString(variable: variable), !Self.isThisProgram(program) else { return nil }
    self.program = program
    self.timeout = timeout
  }

  /// Asks for a passphrase once.
  ///
  /// - Throws: ``KeychainError/promptDismissed`` if the person declined, or the program could not ask: an askpass
  ///   says no which; ``KeychainError/unavailable(reason:)`` if it took too long or printed too much;
  ///   ``KeychainError/system(operation:path:errno:)`` if it can't be started.
  func ask(_ prompt: String) throws(KeychainError) -> Secret {
    let outcome = try ProgramOutput.read(
      [program, CString(copying: prompt)], withholding: ["SSH_ASKPASS"], timeout: timeout,
      limit: PassphraseSources.longest)
    switch consume outcome {
    case .printed(let answer): return answer.withoutLastLineFeed()
    case .failed(.ended): throw .promptDismissed
    case .failed(.tooSlow(let milliseconds)):
      throw .unavailable(reason: "\(program.text) has not answered within \(milliseconds / 1000) seconds")
    case .failed(.tooMuch(let limit)):
      throw .unavailable(reason: "\(program.text) printed more than \(limit) bytes")
    }
  }

  /// Whether this is `llavero` by any name, which would ask itself.
  package static func isThisProgram(_ program: CString) -> Bool {
    var own = stat()
    guard stat("/proc/self/exe", &own) == 0 else { return false }
    return candidates(program).contains { path in
      var other = stat()
      guard stat(path, &other) == 0 else { return false }
      if other.st_dev == own.st_dev, other.st_ino == own.st_ino { return true }
      // This may be another of the executables.
      let name = realpath(path, nil).flatMap { real in
        defer { free(real) }
        return String(cString: real).split(separator: "/").last.map { String($0) }
      }
      return name.map { Executables.all.contains($0) } ?? false
    }
  }

  /// Where the name may lead: as it is, or the first of that name along the PATH.
  private static func candidates(_ program: CString) -> [String] {
    let name = program.text
    if name.contains("/") { return [name] }
    let folders = CString(variable: "PATH")?.text.split(separator: ":") ?? []
    let paths = folders.map { "\($0)/\(name)" }
    return Array(paths.filter { access($0, X_OK) == 0 }.prefix(1))
  }
}
