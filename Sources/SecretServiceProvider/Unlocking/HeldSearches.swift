import Bytes
import Keychain
import SecretService

/// Searches that found the keychain locked, and wait until a person has unlocked it.
struct HeldSearches {
  /// How long one waits, in milliseconds: clients give up after 25 s.
  static let patience = 20_000
  /// For how long a connection isn't asked about again after a person has declined, in milliseconds. Some programs
  /// search for one thing after the other.
  static let peace = 60_000

  private var held: [(prompt: Prompt, end: Int, giveUp: () -> Void)] = []
  private var declined: [String: Int] = [:]

  mutating func add(_ prompt: Prompt, now: Int, giveUp: @escaping () -> Void) {
    held.append((prompt, now + Self.patience, giveUp))
  }

  mutating func remove(_ prompt: Prompt) { held.removeAll { $0.prompt === prompt } }

  /// Takes note that nobody has unlocked the keychain for a connection.
  mutating func decline(_ connection: String, now: Int) { declined[connection] = now }

  func hasDeclined(_ connection: String, now: Int) -> Bool {
    declined[connection].map { now - $0 < Self.peace } ?? false
  }

  /// Removes and returns those that have waited long enough.
  mutating func takeOverdue(now: Int) -> [(prompt: Prompt, giveUp: () -> Void)] {
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
  /// Answers a search. While the keychain is locked, it is unlocked first if somebody does that: many programs have no
  /// use for an item of which they see nothing. What takes longer than they wait gets an object that stands for what
  /// would be found, which they can have unlocked, too.
  func search(
    _ wanted: LookupAttributes, in collection: ByteString?, for call: MethodCall,
    answer: @escaping (_ unlocked: [String], _ locked: [String]) -> Void
  ) throws(ServiceError) {
    func finish() throws(ServiceError) {
      let (unlocked, locked) = try search(wanted, in: collection, for: call)
      answer(unlocked, locked)
    }
    if try asks(for: wanted, in: collection, call, then: finish) { return }
    guard isLocked, collection != Self.sessionCollection else { return try finish() }
    let now = SystemClock.awake
    if settings.unlockProgram == nil || heldSearches.hasDeclined(call.sender, now: now) { throw .isLocked }
    func conclude() {
      do throws(ServiceError) {
        try finish()
      } catch {
        call.refuse(error)
      }
    }
    var held: Prompt?
    let prompt = try prompts.add(for: call.sender, of: []) { [self] isDismissed in
      if let held { heldSearches.remove(held) }
      if !isDismissed { return conclude() }
      heldSearches.decline(call.sender, now: SystemClock.awake)
      call.refuse(.isLocked)
    }
    held = prompt
    heldSearches.add(prompt, now: now, giveUp: conclude)
    show(prompt)
  }

  /// Answers searches that have waited long enough. The question goes on, for the programs that have it asked now.
  func answerOverdueSearches() {
    for (prompt, giveUp) in heldSearches.takeOverdue(now: SystemClock.awake) {
      prompts.remove(prompt)
      prompt.onCompletion = nil
      giveUp()
    }
  }
}
