import Keychain
import SecretService

/// A prompt for a program, to unlock objects (Secret Service draft 0.2, chapter 8).
final class ServedPrompt {
  let number: Int
  /// Receives the answer; `nil` sends it as a signal.
  var onCompletion: ((_ isDismissed: Bool) -> Void)?
  /// The only connection that gets the answer.
  let owner: String
  /// The objects to unlock, in the caller's spelling.
  let objects: [String]
  var stage = Stage.new

  enum Stage {
    /// The program hasn't asked for it yet.
    case new
    /// Somebody has to unlock the keychain.
    case unlocking
    /// The keychain is unlocked, and somebody is asked about the program.
    case asking
  }

  init(
    _ number: Int, for owner: String, of objects: [String], _ onCompletion: ((_ isDismissed: Bool) -> Void)?
  ) {
    self.number = number
    self.owner = owner
    self.objects = objects
    self.onCompletion = onCompletion
  }

  var path: String { ObjectPath.prompt(number) }
}

/// The prompts of all programs. One passphrase answers them all.
struct Prompts {
  /// How many prompts one connection may have at once.
  static let limit = 64

  private var prompts: [Int: ServedPrompt] = [:]
  private var last = 0

  /// The prompts that wait for somebody to unlock, in order.
  var shown: [ServedPrompt] {
    prompts.values.filter { $0.stage == .unlocking }.sorted { $0.number < $1.number }
  }

  /// Whether a prompt waits for somebody to unlock.
  var hasShown: Bool { prompts.values.contains { $0.stage == .unlocking } }

  /// Adds a prompt.
  ///
  /// - Parameter onCompletion: receives the answer, in place of a signal.
  mutating func add(
    for owner: String, of objects: [String], onCompletion: ((_ isDismissed: Bool) -> Void)? = nil
  ) throws(ServiceError) -> ServedPrompt {
    guard prompts.values.count(where: { $0.owner == owner }) < Self.limit else {
      throw .limitsExceeded("this connection has \(Self.limit) prompts")
    }
    last += 1
    let prompt = ServedPrompt(last, for: owner, of: objects, onCompletion)
    prompts[last] = prompt
    return prompt
  }

  func prompt(at path: String) -> ServedPrompt? {
    ObjectPath.number(path, in: ObjectPath.prompts).flatMap { prompts[$0] }
  }

  mutating func remove(_ prompt: ServedPrompt) { prompts[prompt.number] = nil }

  mutating func remove(of owner: String) {
    for (number, prompt) in prompts where prompt.owner == owner {
      // Breaks a reference cycle.
      prompt.onCompletion = nil
      prompts[number] = nil
    }
  }

  /// Puts a prompt back, because somebody is asked about its program.
  mutating func put(_ prompt: ServedPrompt) {
    prompt.stage = .asking
    prompts[prompt.number] = prompt
  }

  /// Removes and returns the prompts that wait for the keychain, in order.
  mutating func takeShown() -> [ServedPrompt] {
    let shown = shown
    for prompt in shown { prompts[prompt.number] = nil }
    return shown
  }
}

/// A search in a locked keychain. It reveals nothing of the contents: one object stands for the results, so that the
/// program can unlock something. Afterwards it is the item that the program looked for.
struct LockedSearch {
  let owner: String
  let wanted: LookupAttributes
  let collection: ByteString?
}
