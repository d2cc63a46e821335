import ArgumentParser
import CredentialProtocols
import EncryptedFile
import Glibc
import Keychain
import Processes
import Terminals

/// `llavero complete SHELL WORD...`: what can stand in the place of the last word, for the scripts of
/// ``CompletionScript``. It isn't for people, so help doesn't have it.
///
/// It never asks, prompts, changes or says anything: where the keychain is locked, can't be used or keeps silent, less is
/// offered.
enum CompleteCommand {
  static let name = "complete"

  /// The longest that a person waits, in microseconds. What is known until then isn't shown, for it isn't all.
  private static let patience: UInt32 = 800_000

  static func run(_ arguments: [CString]) {
    keepSilent()
    signal(SIGALRM) { _ in _exit(0) }
    _ = ualarm(patience, 0)
    let texts = arguments.compactMap(\.bytes.text)
    // What isn't UTF-8 can't be what has been typed.
    guard texts.count == arguments.count, let shell = texts.first.flatMap(CompletionShell.init) else {
      return
    }
    switch shell {
    case .bash:
      guard texts.count == 3 else { return }
      let line = BashLine(texts[2], wordBreaks: texts[1])
      answer(Completions(for: line.words)) { line.replies(to: $0) }
    case .zsh, .fish:
      let words = shell == .fish ? ShellWord.withoutLastQuote(texts.dropFirst()) : Array(texts.dropFirst())
      answer(Completions(for: words)) { candidates in
        candidates.map { $0.summary.isEmpty ? $0.text : "\($0.text)\t\($0.summary)" }
      }
    }
  }

  /// Nothing that anybody says reaches the line that is being typed.
  private static func keepSilent() {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    if null >= 0 {
      dup2(null, 0)
      dup2(null, 2)
    }
    // Programs that would be run, and what would take scrypt's second.
    unsetenv("LLAVERO_PASSPHRASE_COMMAND")
    unsetenv("CREDENTIALS_DIRECTORY")
    setenv("LLAVERO_PROMPT", "never", 1)
  }

  private static func answer(_ completions: Completions, _ lines: ([CompletionCandidate]) -> [String]) {
    var text = completions.others.rawValue + "\n"
    for line in lines(completions.candidates) { text += line + "\n" }
    try? StandardStreams.write(raw: text)
  }
}

/// A shell that llavero has completions for.
enum CompletionShell: String, CaseIterable {
  case bash
  case zsh
  case fish
}

/// A word that can stand there.
struct CompletionCandidate {
  let text: String
  /// What it is, in a few words; may be empty.
  var summary = ""

  /// `nil` for what can't be typed or shown as it is: text that is not UTF-8, empty, or with invisible characters; and
  /// for what would be taken for an option.
  init?(attribute: ByteString, prefix: String = "", summary: String = "") {
    guard let text = attribute.text, !text.isEmpty, text.first != "-", terminalText(text) == text else {
      return nil
    }
    self.init(prefix + text, summary)
  }

  init(_ text: String, _ summary: String = "") {
    self.text = text
    self.summary = summary
  }
}
