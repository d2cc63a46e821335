import Bytes
import EncryptedFile
package import Keychain
import KeychainChoice

package enum WordPrompt {
  private static let tries = 3

  package static var isThere: Bool { (try? prompt()) != nil }

  /// Asks through ``PassphrasePrompt``. The beginning of a word is enough if no other begins with it.
  ///
  /// - Parameters:
  ///   - sentence: the matter, in whole sentences.
  ///   - timeout: the time limit for a program that asks, in milliseconds; `nil` for that of `LLAVERO_PROMPT_TIMEOUT`.
  /// - Returns: the word; `nil` if nobody can be asked, or three answers were none of them.
  /// - Throws: ``KeychainError/promptDismissed`` if the user declined; ``KeychainError/unavailable(reason:)`` if
  ///   asking failed.
  package static func ask(
    _ sentence: String, among words: [String], within timeout: Int? = nil
  ) throws(KeychainError) -> String? {
    guard let prompt = try prompt(timeout) else { return nil }
    let wish = "Type " + words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    let question = PassphraseQuestion(
      description: "\(sentence) \(wish)", prompt: "Answer:", line: "\(sentence)\n\(wish): ")
    for attempt in 1...tries {
      let error = attempt > 1 ? "That is none of them." : nil
      let answer = try answer(to: question, by: prompt, error)
      let meant = words.filter { !answer.isEmpty && $0.hasPrefix(answer) }
      if meant.count == 1 { return meant[0] }
    }
    return nil
  }

  /// The same, with `nil` if the user declines.
  ///
  /// - Throws: ``KeychainError/unavailable(reason:)`` if asking failed.
  package static func answer(
    to sentence: String, among words: [String], within timeout: Int? = nil
  ) throws(KeychainError) -> String? {
    do throws(KeychainError) {
      return try ask(sentence, among: words, within: timeout)
    } catch .promptDismissed {
      return nil
    }
  }

  private static func answer(
    to question: PassphraseQuestion, by prompt: PassphrasePrompt, _ error: String?
  ) throws(KeychainError) -> String {
    if case .terminal = prompt {
      guard let terminal = Terminal() else { throw .promptDismissed }
      if let error { terminal.show("\(error)\n") }
      let lines = question.line.split(separator: "\n", maxSplits: 1).map(String.init)
      terminal.show("\(lines[0])\n")
      guard let answer = terminal.answer(to: "\(lines.last ?? "")") else { throw .promptDismissed }
      return trimmed(answer)
    }
    let answer = try prompt.ask(question, error: error)
    return trimmed(answer.withUnsafeBytes { String(decoding: $0.prefix(64), as: UTF8.self) })
  }

  private static func trimmed(_ answer: String) -> String {
    String(answer.lowercased().split(separator: " ").first ?? "")
  }

  private static func prompt(_ timeout: Int? = nil) throws(KeychainError) -> PassphrasePrompt? {
    if KeychainEnvironment().forbidsPrompts { return nil }
    if let timeout { return PassphrasePrompt.find(timeout: timeout) }
    return PassphrasePrompt.find(timeout: try PassphraseSources.promptTimeout())
  }
}
