import Interchange
import Keychain

struct TransferPlan {
  /// Indirect, because most steps have nothing of their own, and there may be many.
  indirect enum Step {
    /// The keychain has no such item yet.
    case add
    /// The keychain has it with the same secret.
    case unchanged
    /// The keychain has it with the same secret, without its attributes for programs.
    case completes(Item)
    /// The keychain has it with another secret.
    case differs(from: Item)
    /// An earlier login of the source is the same item.
    case repeated(of: Int, isSame: Bool)
    /// No keychain accepts it.
    case unusable(KeychainError)
    /// Its collection is missing, and the keychain can't make it.
    case noCollection(ByteString)
    /// Its collection is locked, so nobody knows whether it is there.
    case locked(ByteString)
  }

  /// In the source's order; if several could answer, the first is preferred.
  let logins: [FoundLogin]
  /// One for each login.
  let steps: [Step]
  /// The keychain's differences from a login that it keeps, in a word each.
  let contradictions: [Int: [String]]
  /// Whether notes were compared, so that a replaced item gets exactly the source's.
  let comparesNotes: Bool

  /// Compares logins with the keychain's items. Changes nothing.
  ///
  /// - Parameter comparesNotes: whether an item with the same secret, but without the source's label, comment and the
  ///   like, counts as different.
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

  var conflicts: [Int] {
    steps.indices.filter { if case .differs = steps[$0] { true } else { false } }
  }
}

extension TransferPlan.Step {
  /// Whether the keychain's item stays as it is, apart from additions.
  fileprivate var keepsItem: Bool {
    switch self {
    case .unchanged, .completes: true
    default: false
    }
  }
}
