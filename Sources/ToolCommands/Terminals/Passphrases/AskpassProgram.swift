package import Bytes
import Glibc
import Keychain

/// A program that shows its only argument as a prompt, and prints the user's answer (ssh(1), `SSH_ASKPASS`).
package struct AskpassProgram {
  let program: CString
  /// The time limit for an answer, in milliseconds.
  let timeout: Int

  /// Uses the program that a variable names. Returns `nil` if there is none, or if it is this program, which would ask
  /// itself.
  init?(variable: String, timeout: Int) {
    guard let program = CString(variable: variable), !Self.isThisProgram(program) else { return nil }
    self.program = program
    self.timeout = timeout
  }

  /// Asks for a passphrase once.
  ///
  /// - Throws: ``KeychainError/promptDismissed`` if the user declined or the program could not ask, because askpass
  ///   programs don't tell the two apart; ``KeychainError/unavailable(reason:)`` if it took too long or printed too
  ///   much; ``KeychainError/system(operation:path:errno:)`` if it can't be started.
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

  /// The path of the system's askpass, unless that is this program. Each distribution has its own place for it.
  package static var ofMachine: ByteString? {
    let names = [
      "ssh-askpass", "/usr/bin/ssh-askpass", "/usr/lib/ssh/ssh-askpass", "/usr/lib/ssh/x11-ssh-askpass",
      "/usr/libexec/openssh/ssh-askpass", "/usr/libexec/ssh-askpass", "/usr/lib/openssh/gnome-ssh-askpass",
      "/usr/bin/ksshaskpass", "/usr/lib/seahorse/ssh-askpass", "/usr/libexec/seahorse/ssh-askpass",
    ]
    for name in names {
      guard let path = ProgramSearch.path(of: CString(copying: name)) else { continue }
      if !isThisProgram(CString(copying: path)) { return ByteString(path) }
    }
    return nil
  }

  /// Whether a program is `llavero` under any name, and so would ask itself.
  package static func isThisProgram(_ program: CString) -> Bool {
    var own = stat()
    guard stat("/proc/self/exe", &own) == 0 else { return false }
    guard let path = ProgramSearch.path(of: program) else { return false }
    var other = stat()
    guard stat(path, &other) == 0 else { return false }
    if other.st_dev == own.st_dev, other.st_ino == own.st_ino { return true }
    // This may be another of llavero's executables.
    let name = realpath(path, nil).flatMap { real in
      defer { free(real) }
      return String(cString: real).split(separator: "/").last.map { String($0) }
    }
    return name.map { Executables.all.contains($0) } ?? false
  }
}
