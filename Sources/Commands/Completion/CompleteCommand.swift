import ArgumentParser
import Bytes
import CredentialProtocols
import EncryptedFile
import Glibc
import Keychain
import ToolCommands

/// `llavero complete SHELL WORD...` prints completions of the last word, for the scripts of ``CompletionScript``. The
/// help doesn't list it, because it isn't for people.
///
/// It never asks, prompts, changes or reports anything. If the keychain is locked, can't be used or doesn't answer, it
/// offers less.
enum CompleteCommand {
  static let name = "complete"

  /// The longest wait for completions, in microseconds. An incomplete list is not shown.
  private static let patience: UInt32 = 800_000

  static func run(_ arguments: [CString]) {
    keepSilent()
    signal(SIGALRM) { _ in _exit(0) }
    _ = ualarm(patience, 0)
    let texts = arguments.compactMap(\.bytes.text)
    // Arguments that aren't UTF-8 can't have been typed.
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

  /// Keeps all messages away from the line that you are typing.
  private static func keepSilent() {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    if null >= 0 {
      dup2(null, 0)
      dup2(null, 2)
    }
    // These would run programs, or spend a second on scrypt.
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

enum CompletionShell: String, CaseIterable {
  case bash
  case zsh
  case fish
}

struct CompletionCandidate {
  let text: String
  var summary = ""

  /// Returns `nil` if the attribute can't be typed or shown as it is, because it is not UTF-8, is empty or has
  /// invisible characters, or if it looks like an option.
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
