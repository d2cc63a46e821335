/// A question to the user, worded for each way of asking.
struct PassphraseQuestion {
  static let wrong = "Wrong passphrase."
  static let wrongCode = "Wrong recovery code."
  static let wrongPassword = "Wrong password."
  static let empty = "It must not be empty."
  static let tooShort = "Choose a longer one."
  static let theyDiffer = "The two differ."
  static let onceMore = "Once more: "

  let title = "llavero"
  let description: String
  let prompt: String
  let repeatPrompt = "Once more:"
  /// The prompt on a terminal.
  let line: String

  /// A message as a sentence of its own.
  static func sentence(_ message: String) -> String {
    "\(message.prefix(1).uppercased())\(message.dropFirst())."
  }

  /// - Parameter purpose: what it is for, if that isn't plain: `to change what opens it`.
  static func passphrase(of name: String, at path: String?, _ purpose: String? = nil) -> PassphraseQuestion {
    let end = purpose.map { ", \($0)" } ?? ""
    return PassphraseQuestion(
      description: "The passphrase of the \(name)\(path.map { " \(terminalText($0))" } ?? "")\(end)",
      prompt: "Passphrase:", line: "Passphrase of the \(name)\(end): ")
  }

  /// The question where nothing but a recovery code opens the keychain.
  static func recoveryCode(at path: String) -> PassphraseQuestion {
    PassphraseQuestion(
      description: "The recovery code of the keychain \(terminalText(path))", prompt: "Recovery code:",
      line: "Recovery code of the keychain: ")
  }

  /// The question for what opens a file that isn't a keychain in use.
  static func opening(file path: String, with typed: PassphraseSources.TypedSecret) -> PassphraseQuestion {
    let (name, prompt) =
      switch typed {
      case .passphrase: ("passphrase", "Passphrase")
      case .recoveryCode: ("recovery code", "Recovery code")
      case .either: ("passphrase or a recovery code", "Passphrase or recovery code")
      }
    return PassphraseQuestion(
      description: "\(typed == .either ? "A" : "The") \(name) of \(terminalText(path))", prompt: "\(prompt):",
      line: "\(prompt) of \(terminalText(path)): ")
  }

  /// What is said before that question is asked again.
  static func wrong(_ typed: PassphraseSources.TypedSecret) -> String {
    switch typed {
    case .passphrase: wrong
    case .recoveryCode: wrongCode
    case .either: "That opens nothing."
    }
  }

  static func keyringPassword(line: String) -> PassphraseQuestion {
    PassphraseQuestion(description: "The password of the desktop's keyring", prompt: "Password:", line: line)
  }

  static func newPassphrase(of name: String) -> PassphraseQuestion {
    PassphraseQuestion(
      description: "A new passphrase for the \(name)", prompt: "New passphrase:", line: "New passphrase: ")
  }

  /// The question as an askpass program's argument.
  func argument(error: String? = nil, isAgain: Bool = false) -> String {
    (error.map { $0 + " " } ?? "") + description + (isAgain ? ", once more: " : ": ")
  }
}
