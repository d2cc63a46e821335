import Bytes
import Keychain
import SecretService

/// Searches in a locked keychain that wait for a person to unlock it.
struct HeldSearches {
  /// How long a search waits, in milliseconds: clients give up after 25 s.
  static let patience = 20_000
  /// How long a connection isn't asked about again after a person has declined, in milliseconds. Some programs search
  /// for one item after another.
  static let peace = 60_000

  private var held: [(prompt: ServedPrompt, end: Int, giveUp: () -> Void)] = []
  private var declined: [String: Int] = [:]

  mutating func add(_ prompt: ServedPrompt, now: Int, giveUp: @escaping () -> Void) {
    held.append((prompt, now + Self.patience, giveUp))
  }

  mutating func remove(_ prompt: ServedPrompt) { held.removeAll { $0.prompt === prompt } }

  mutating func decline(_ connection: String, now: Int) { declined[connection] = now }

  func hasDeclined(_ connection: String, now: Int) -> Bool {
    declined[connection].map { now - $0 < Self.peace } ?? false
  }

  mutating func takeOverdue(now: Int) -> [(prompt: ServedPrompt, giveUp: () -> Void)] {
    let overdue = held.filter { $0.end <= now }
    held.removeAll { $0.end <= now }
    return overdue.map { ($0.prompt, $0.giveUp) }
  }

  /// Forgets a connection that has left the bus.
  mutating func remove(of connection: String) {
    held.removeAll { $0.prompt.owner == connection }
    declined[connection] = nil
  }
}

extension Provider {
  /// Answers overdue searches. The question stays open for programs that ask for the prompt by now.
  func answerOverdueSearches() {
    for (prompt, giveUp) in heldSearches.takeOverdue(now: SystemClock.awake) {
      prompts.remove(prompt)
      prompt.onCompletion = nil
      giveUp()
    }
  }
}
