import Keychain
import KeychainChoice
import Passphrases
import Terminals
import SecurityCodes

/// Reads a password that the user types twice on the terminal. Without a terminal, it is two lines of standard input.
struct SecurityPasswordInput {
  let question: String
  let questionAgain: String
  /// The function of Keychain Services that it is read for.
  let function: String

  /// For `-w` without a value.
  static let newItem = SecurityPasswordInput(
    question: "password data for new item: ", questionAgain: "retype password for new item: ",
    function: "SecKeychainItemCreateFromContent")
  /// For `set-keychain-password`.
  static let newPassphrase = SecurityPasswordInput(
    question: "New Password: ", questionAgain: "Retype New Password: ",
    function: "SecKeychainChangePassword")

  /// - Parameter mayReadInput: whether standard input may be read, because it contains no commands.
  /// - Throws: ``SecurityFailure`` if nobody gives a password, or the two differ.
  func read(mayReadInput: Bool) throws(SecurityFailure) -> Secret {
    if !KeychainEnvironment().forbidsPrompts, let terminal = Terminal() {
      return try ask(terminal)
    }
    guard mayReadInput, !StandardStreams.isTerminal(0) else { throw nobody }
    let input = SecurityInput()
    guard let first = try Self.line(input) else { throw nobody }
    guard let second = try Self.line(input), first.isEqual(to: second) else { throw Self.differing }
    return first
  }

  private func ask(_ terminal: borrowing Terminal) throws(SecurityFailure) -> Secret {
    for _ in 0..<PassphraseSources.tries {
      let first = try answer(terminal.askForSecret("\(question)"))
      let second = try answer(terminal.askForSecret("\(questionAgain)"))
      if first.isEqual(to: second) { return first }
      terminal.show("passwords don't match\n")
    }
    throw Self.differing
  }

  private func answer(_ answer: consuming Terminal.Answer) throws(SecurityFailure) -> Secret {
    switch consume answer {
    case .line(let line): return line
    case .ended: throw .status(.userCanceled, of: function, because: nil)
    case .unusable: throw nobody
    case .tooLong:
      throw .told(["security: a terminal takes \(Terminal.longestLine) bytes at most"])
    }
  }

  /// Reads the next line of standard input; `nil` at the end.
  private static func line(_ input: SecurityInput) throws(SecurityFailure) -> Secret? {
    switch input.next() {
    case .line(let line): return line
    case .ended: return nil
    case .tooLong: throw .told(["security: the password is longer than \(ItemBounds.secret) bytes"])
    case .failed(let number): throw .told(["security: cannot read the password: \(errorText(number))"])
    }
  }

  private static let differing = SecurityFailure.told(["security: passwords don't match"])

  private var nobody: SecurityFailure {
    .status(
      .interactionNotAllowed, of: function,
      because: Failure(
        "there is no terminal to ask for the password",
        hint: "without one, standard input gives it in two lines that are alike", status: .usage))
  }
}
