import Terminals

/// What a person is asked, in the words of each way to ask.
struct PassphraseQuestion {
  /// What the answer was wrong with.
  static let wrong = "That is not it."
  /// A new passphrase has to be something.
  static let empty = "It must not be empty."
  /// A new passphrase is typed twice.
  static let theyDiffer = "The two differ."
  static let onceMore = "Once more: "

  /// Over a dialog.
  let title = "llavero"
  /// In a dialog.
  let description: String
  /// Before a dialog's field.
  let prompt: String
  /// Before the second field.
  let repeatPrompt = "Once more:"
  /// On a terminal.
  let line: String

  /// The passphrase of what has this name.
  static func passphrase(of name: String, at path: String?) -> PassphraseQuestion {
    PassphraseQuestion(
      description: "The passphrase of the \(name)\(path.map { " \(terminalText($0))" } ?? "")",
      prompt: "Passphrase:", line: "Passphrase of the \(name): ")
  }

  /// The password of the desktop's keyring.
  static func keyringPassword(line: String) -> PassphraseQuestion {
    PassphraseQuestion(description: "The password of the desktop's keyring", prompt: "Password:", line: line)
  }

  /// A new passphrase.
  static func newPassphrase(of name: String) -> PassphraseQuestion {
    PassphraseQuestion(
      description: "A new passphrase for the \(name)", prompt: "New passphrase:", line: "New passphrase: ")
  }

  /// The same, by another line on a terminal.
  func asked(by line: String) -> PassphraseQuestion {
    PassphraseQuestion(description: description, prompt: prompt, line: line)
  }

  /// As one argument of an askpass program.
  func argument(error: String? = nil, isAgain: Bool = false) -> String {
    (error.map { $0 + " " } ?? "") + description + (isAgain ? ", once more: " : ": ")
  }
}
