import Bytes
import Glibc
import Keychain

enum PassphrasePrompt {
  case pinentry(Pinentry)
  case askpass(AskpassProgram)
  case terminal

  /// The way to ask the user who is present; `nil` if there is none.
  ///
  /// A program chosen for llavero comes first. As in ssh, ssh's program is used only without a terminal, and then only
  /// on a desktop or if forced (ssh(1), `SSH_ASKPASS_REQUIRE`). git's program is not used, because it may be llavero.
  ///
  /// - Parameter timeout: the time limit for a program's answer, in milliseconds.
  static func find(timeout: Int) -> PassphrasePrompt? {
    if let program = CString(variable: "LLAVERO_PINENTRY") {
      return .pinentry(Pinentry(program: program, timeout: timeout))
    }
    if let program = AskpassProgram(variable: "LLAVERO_ASKPASS", timeout: timeout) {
      return .askpass(program)
    }
    if Terminal() != nil { return .terminal }
    let requirement = CString(variable: "SSH_ASKPASS_REQUIRE")?.text.lowercased()
    let hasDesktop = CString(variable: "DISPLAY") != nil || CString(variable: "WAYLAND_DISPLAY") != nil
    guard requirement != "never", hasDesktop || requirement == "force" else { return nil }
    return AskpassProgram(variable: "SSH_ASKPASS", timeout: timeout).map { .askpass($0) }
  }

  /// Asks once.
  ///
  /// - Parameter error: the problem with the previous answer.
  /// - Throws: ``KeychainError/promptDismissed`` if the user declined; ``KeychainError/unavailable(reason:)`` if
  ///   asking failed.
  func ask(_ question: PassphraseQuestion, error: String?) throws(KeychainError) -> Secret {
    switch self {
    case .pinentry(let pinentry): return try pinentry.ask(question, error: error)
    case .askpass(let program): return try program.ask(question.argument(error: error))
    case .terminal:
      guard let terminal = Terminal() else { throw .promptDismissed }
      if let error { terminal.show("\(error)\n") }
      return try Self.line(terminal, question.line)
    }
  }

  /// Asks for a new passphrase twice. Returns `nil` if the two differ.
  ///
  /// - Throws: as ``ask(_:error:)`` does.
  func askTwice(_ question: PassphraseQuestion, error: String?) throws(KeychainError) -> Secret? {
    switch self {
    case .pinentry(let pinentry): return try pinentry.askTwice(question, error: error)
    case .askpass(let program):
      let first = try program.ask(question.argument(error: error))
      let second = try program.ask(question.argument(isAgain: true))
      if first.isEqual(to: second) { return first }
      return nil
    case .terminal:
      guard let terminal = Terminal() else { throw .promptDismissed }
      if let error { terminal.show("\(error)\n") }
      let first = try Self.line(terminal, question.line)
      if first.isEmpty { return first }
      let second = try Self.line(terminal, PassphraseQuestion.onceMore)
      if first.isEqual(to: second) { return first }
      return nil
    }
  }

  /// How many characters a new passphrase should have.
  private static let usualLength = 8

  /// Whether a new passphrase is long enough, or the user wants it although it is short. Only a terminal asks that.
  func takes(_ passphrase: borrowing Secret) -> Bool {
    // In UTF-8, each character has one byte that continues none.
    let length = passphrase.withUnsafeBytes { $0.count { $0 & 0xc0 != 0x80 } }
    guard case .terminal = self, length < Self.usualLength, let terminal = Terminal() else { return true }
    return terminal.confirms("That is short. Use it?")
  }

  private static func line(_ terminal: borrowing Terminal, _ prompt: String) throws(KeychainError) -> Secret {
    switch terminal.askForSecret("\(prompt)") {
    case .line(let line): return line
    case .ended: throw .promptDismissed
    case .unusable: throw .unavailable(reason: "the terminal's echo can't be switched off")
    case .tooLong: throw .unavailable(reason: "a terminal takes \(Terminal.longestLine) bytes at most")
    }
  }
}
