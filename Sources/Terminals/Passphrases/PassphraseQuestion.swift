/// The question to the user, in a wording for each way to ask.
struct PassphraseQuestion {
  /// The error if the passphrase is wrong.
  static let wrong = "That is not it."
  /// The error if a new passphrase is empty.
  static let empty = "It must not be empty."
  /// The error if a new passphrase is typed differently the second time.
  static let theyDiffer = "The two differ."
  static let onceMore = "Once more: "

  /// The title of a dialog.
  let title = "llavero"
  /// The text in a dialog.
  let description: String
  /// The label of a dialog's field.
  let prompt: String
  /// The label of the second field.
  let repeatPrompt = "Once more:"
  /// The prompt on a terminal.
  let line: String

  /// Asks for the passphrase of something with this name.
  static func passphrase(of name: String, at path: String?) -> PassphraseQuestion {
    PassphraseQuestion(
      description: "The passphrase of the \(name)\(path.map { " \(terminalText($0))" } ?? "")",
      prompt: "Passphrase:", line: "Passphrase of the \(name): ")
  }

  /// Asks for the password of the desktop's keyring.
  static func keyringPassword(line: String) -> PassphraseQuestion {
    PassphraseQuestion(description: "The password of the desktop's keyring", prompt: "Password:", line: line)
  }

  /// Asks for a new passphrase.
  static func newPassphrase(of name: String) -> PassphraseQuestion {
    PassphraseQuestion(
      description: "A new passphrase for the \(name)", prompt: "New passphrase:", line: "New passphrase: ")
  }

  /// The question as the argument of an askpass program.
  func argument(error: String? = nil, isAgain: Bool = false) -> String {
    (error.map { $0 + " " } ?? "") + description + (isAgain ? ", once more: " : ": ")
  }
}
