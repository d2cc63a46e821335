import Keychain
import KeychainChoice
import ToolCommands

/// Reads a new item's password, for `-w` without a value. The user types it twice on the terminal. Without a terminal,
/// it is two lines of standard input.
enum SecurityPasswordInput {
  private static let function = "SecKeychainItemCreateFromContent"

  /// - Parameter mayReadInput: whether standard input may be read, because it contains no commands.
  /// - Throws: ``SecurityFailure`` if nobody gives a password, or the two differ.
  static func read(mayReadInput: Bool) throws(SecurityFailure) -> Secret {
    if !KeychainEnvironment().forbidsPrompts, let terminal = Terminal() {
      return try ask(terminal)
    }
    guard mayReadInput, !StandardStreams.isTerminal(0) else { throw nobody }
    let input = SecurityInput()
    guard let first = try line(input) else { throw nobody }
    guard let second = try line(input), first.isEqual(to: second) else { throw differing }
    return first
  }

  private static func ask(_ terminal: borrowing Terminal) throws(SecurityFailure) -> Secret {
    for _ in 0..<PassphraseSources.tries {
      let first = try answer(terminal.askForSecret("password data for new item: "))
      let second = try answer(terminal.askForSecret("retype password for new item: "))
      if first.isEqual(to: second) { return first }
      terminal.show("passwords don't match\n")
    }
    throw differing
  }

  private static func answer(_ answer: consuming Terminal.Answer) throws(SecurityFailure) -> Secret {
    switch consume answer {
    case .line(let line): return line
    case .ended: throw .status(.userCanceled, of: function, because: nil)
    case .unusable: throw nobody
    case .tooLong:
      throw .told(["security: a terminal takes \(Terminal.longestLine) bytes at most"])
    }
  }

  private static func line(_ input: SecurityInput) throws(SecurityFailure) -> Secret? {
    switch input.next() {
    case .line(let line): return line
    case .ended: return nil
    case .tooLong: throw .told(["security: the password is longer than \(ItemBounds.secret) bytes"])
    case .failed(let number): throw .told(["security: cannot read the password: \(errorText(number))"])
    }
  }

  private static let differing = SecurityFailure.told(["security: passwords don't match"])

  private static var nobody: SecurityFailure {
    .status(
      .interactionNotAllowed, of: function,
      because: KeychainError(
        "there is no terminal to ask for the password",
        hint: "without one, standard input gives it in two lines that are alike", status: .usage))
  }
}
