import Interchange
import Keychain

/// The steps that bring logins from elsewhere into a keychain.
struct TransferPlan {
  /// The step for one login. Indirect, because most have nothing of their own, and there may be many.
  indirect enum Step {
    /// The keychain has no such item yet.
    case add
    /// The keychain has it with the same secret.
    case unchanged
    /// The keychain has it with the same secret, and lacks by which attributes programs find it.
    case completes(Item)
    /// The keychain has it with another secret.
    case differs(from: Item)
    /// An earlier login of the source is the same item.
    case repeated(of: Int, isSame: Bool)
    /// No keychain accepts it.
    case unusable(KeychainError)
    /// It belongs to a collection that the keychain doesn't have and can't make by itself.
    case noCollection(ByteString)
    /// It belongs to a collection that is locked, so that nobody knows whether it is there.
    case locked(ByteString)
  }

  /// The logins in the source's order; if several could answer, the first is preferred.
  let logins: [FoundLogin]
  /// The step for each login.
  let steps: [Step]
  /// What the keychain has otherwise than a login, in a word each, and keeps.
  let contradictions: [Int: [String]]
  /// Whether notes were compared, so that what is replaced gets those of the source, and no others.
  let comparesNotes: Bool

  /// Compares logins with what the keychain has. Changes nothing.
  ///
  /// - Parameter comparesNotes: whether an item with the same secret, but without the source's label, comment and the
  ///   like, counts as different.
  /// - Throws: what reading the keychain throws.
  init(
    _ logins: [FoundLogin], in keychain: any KeychainStore, comparesNotes: Bool
  ) throws(KeychainError) {
    self.logins = logins
    self.comparesNotes = comparesNotes
    var contradictions: [Int: [String]] = [:]
    steps = try keychain.reading { () throws(KeychainError) -> [Step] in
      // The keychain may run this more than once.
      contradictions = [:]
      // Logins of files and of other programs name no collection.
      let held = try HeldItems(
        in: keychain, for: logins, isWhole: comparesNotes,
        looksForLocked: comparesNotes || logins.contains { $0.item.isOfCollection })
      var firsts = FirstOfEachKey(of: logins)
      var steps: [Step] = []
      steps.reserveCapacity(logins.count)
      for (index, login) in logins.enumerated() {
        do throws(KeychainError) {
          try login.item.validate(with: login.credential)
        } catch {
          steps.append(.unusable(error))
          continue
        }
        let earlier = firsts.first(for: index)
        if earlier != index {
          let isSame = logins[earlier].credential.hasAll(of: login.credential)
          steps.append(.repeated(of: earlier, isSame: isSame))
          continue
        }
        guard let answer = try held.counterpart(of: index) else {
          steps.append(held.obstacle(to: login.item) ?? .add)
          continue
        }
        let step = try held.step(from: answer, to: login, comparesNotes: comparesNotes)
        if step.keepsItem {
          let item = answer.item.completed(by: login.item)
          let what = try held.lacking(item, of: login.item, isOfFile: login.original == nil)
          if !what.isEmpty { contradictions[index] = what }
        }
        steps.append(step)
      }
      return steps
    }
    self.contradictions = contradictions
  }

  /// The logins that differ from what the keychain has.
  var conflicts: [Int] {
    steps.indices.filter { if case .differs = steps[$0] { true } else { false } }
  }
}

extension TransferPlan.Step {
  /// Whether the keychain's item stays as it is, apart from what it lacks.
  fileprivate var keepsItem: Bool {
    switch self {
    case .unchanged, .completes: true
    default: false
    }
  }
}
