import Keychain

/// A question that a program may have asked, to unlock something (Secret Service draft 0.2, chapter 8).
final class Prompt {
  let number: Int
  /// What is done with the answer; `nil` if it is a signal.
  var onCompletion: ((_ isDismissed: Bool) -> Void)?
  /// The connection that gets the answer, and nobody else.
  let owner: String
  /// What is unlocked, in the caller's spelling.
  let objects: [String]
  var stage = Stage.new

  /// What it waits for.
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

/// The questions of all programs. There is one passphrase, so one answer is for all of them.
struct Prompts {
  /// How many one connection may have at once.
  static let limit = 64

  private var prompts: [Int: Prompt] = [:]
  private var last = 0

  /// Those that wait for somebody to unlock something, in their order.
  var shown: [Prompt] {
    prompts.values.filter { $0.stage == .unlocking }.sorted { $0.number < $1.number }
  }

  /// Whether somebody waits for something to be unlocked.
  var hasShown: Bool { prompts.values.contains { $0.stage == .unlocking } }

  /// Adds a prompt.
  ///
  /// - Parameter onCompletion: called with the answer, which is a signal otherwise.
  mutating func add(
    for owner: String, of objects: [String], onCompletion: ((_ isDismissed: Bool) -> Void)? = nil
  ) throws(ServiceError) -> Prompt {
    guard prompts.values.count(where: { $0.owner == owner }) < Self.limit else {
      throw .limitsExceeded("this connection has \(Self.limit) prompts")
    }
    last += 1
    let prompt = Prompt(last, for: owner, of: objects, onCompletion)
    prompts[last] = prompt
    return prompt
  }

  /// The prompt at a path; `nil` if there is none.
  func prompt(at path: String) -> Prompt? {
    guard let number = Int(path.dropFirst(ObjectPath.prompts.count + 1)), path == ObjectPath.prompt(number)
    else {
      return nil
    }
    return prompts[number]
  }

  mutating func remove(_ prompt: Prompt) { prompts[prompt.number] = nil }

  /// Removes the prompts of a connection that has left the bus.
  mutating func remove(of owner: String) {
    for (number, prompt) in prompts where prompt.owner == owner {
      // What it holds holds it.
      prompt.onCompletion = nil
      prompts[number] = nil
    }
  }

  /// Puts one back, because somebody is asked about its program.
  mutating func put(_ prompt: Prompt) {
    prompt.stage = .asking
    prompts[prompt.number] = prompt
  }

  /// Removes those that wait for the keychain, in their order, and returns them.
  mutating func takeShown() -> [Prompt] {
    let shown = shown
    for prompt in shown { prompts[prompt.number] = nil }
    return shown
  }
}

/// A search that found the keychain locked. Nothing is said of what is in it; one object stands for whatever would be
/// found, so that the program has something to unlock. Afterwards it is the item that the program looked for.
struct LockedSearch {
  let owner: String
  let wanted: LookupAttributes
  let collection: ByteString?
}
