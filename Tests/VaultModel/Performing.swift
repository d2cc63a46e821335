import EncryptedFile
import Keychain
import TestSupport

extension Machine {
  /// Performs a step on one machine.
  func perform(_ step: Step, scale: Int) throws {
    var choices = Choices(step.entropy, scale: scale)
    // No two changes here happen in the same millisecond, because the order in which two old states are forgotten
    // depends on it.
    clock.now.milliseconds += 1 + Int64(choices.index(1000))
    if choices.chance(3) { keychain = reopened() }
    switch step.kind {
    case .transaction, .failingTransaction: try transaction(&choices, fails: step.kind == .failingTransaction)
    case .addMany:
      try self.step {
        let first = choices.index(600)
        try transaction(
          (0..<choices.index(120) + 1).map { number in
            { machine, choices in
              let item = Item(choices.numberedKey(first + number))
              let credential = choices.credential(at: machine.now)
              try machine.both { (store, _) throws(KeychainError) in try store.add(item, credential) }
            }
          }, &choices)
      }
    case .undelete: try self.step { try undelete(&choices) }
    case .restore: try self.step { try restore(&choices) }
    case .putBack: try putBack(&choices)
    case .compact:
      let before = state
      try compact()
      try settle(before, mayWriteAnyway: true)
    case .passTime: clock.now.milliseconds += Int64(choices.index(3_600_000))
    case .passDays: clock.now.milliseconds += Int64(choices.index(10)) * KnownState.day
    case .passMonth: clock.now.milliseconds += Int64(choices.index(70)) * KnownState.day
    case .setBack: clock.now.milliseconds -= Int64(choices.index(3 * 86_400_000))
    case .find: break
    case .rotate, .addRecipient, .removeSlot, .changePassphrase: try changeSlots(step.kind, &choices)
    default: try self.step { try primitive(step.kind, &choices) }
    }
  }

  /// An existing item, with a preference for a few.
  private func chosen(_ choices: inout Choices) -> KnownItem? {
    let all = state.items.values.sorted {
      ($0.item.name, $0.item.reference?.bytes.description ?? "") < (
        $1.item.name, $1.item.reference?.bytes.description ?? ""
      )
    }
    if all.isEmpty { return nil }
    return choices.chance(2) ? all[choices.index(min(all.count, 3))] : all[choices.index(all.count)]
  }

  private func primitive(_ kind: Step.Kind, _ choices: inout Choices) throws {
    switch kind {
    case .add:
      let item = choices.item(choices.chance(4) ? choices.neighbouringKey() : choices.key())
      let credential = choices.credential(at: now)
      try both { (store, _) throws(KeychainError) in try store.add(item, credential) }
    case .addDated:
      var item = choices.item(choices.key())
      item.creationDate = Timestamp(
        milliseconds: now.milliseconds - Int64(choices.index(100)) * KnownState.day)
      // Another machine's clock may be ahead.
      item.modificationDate = Timestamp(
        milliseconds: now.milliseconds + Int64(choices.index(20) - 15) * KnownState.day)
      let credential = choices.credential(at: now)
      try both { (store, _) throws(KeychainError) in try store.add(keepingDatesOf: item, credential) }
    case .updateSecret, .updateAll, .change:
      guard let known = chosen(&choices) else { return }
      let credential = choices.credential(at: now)
      let item = kind == .updateSecret ? known.item : choices.attributes(of: known.item)
      try both { (store, named) throws(KeychainError) in
        var changed = item
        changed.reference = named(known).reference
        try store.update(changed, credential)
      }
    case .updateAttributes, .touch, .rename:
      guard let known = chosen(&choices) else { return }
      var item = kind == .touch ? known.item : choices.attributes(of: known.item)
      if kind == .rename { item.key = choices.chance(3) ? choices.neighbouringKey() : choices.key() }
      try both { (store, named) throws(KeychainError) in
        var changed = item
        changed.reference = named(known).reference
        try store.update(changed)
      }
    case .delete:
      let several = (0..<1 + choices.index(3)).compactMap { _ in chosen(&choices) }
      try both { (store, named) throws(KeychainError) in try store.delete(several.map(named)) }
    case .deleteAll:
      // One after the other, so that each has its own date.
      let all = state.items.values.sorted { $0.item.name < $1.item.name }
      try both { (store, named) throws(KeychainError) in try store.delete(all.map(named)) }
    case .save:
      let key = chosen(&choices).map(\.item.key)
      let item = Item(choices.chance(2) ? key ?? choices.key() : choices.key())
      let credential = choices.credential(at: now)
      let date = now
      try both { (store, _) throws(KeychainError) in try store.save(item, credential, at: date) }
    case .eraseHolding, .erase:
      guard let known = chosen(&choices), let query = try? ItemQuery(for: known.item.key) else { return }
      let secret = choices.chance(4) ? [] : known.confidential.secret.bytes
      // What is refused expires now, to the second, and both keychains are to say the same.
      let date = now
      try both { (store, _) throws(KeychainError) in
        if kind == .erase {
          _ = try store.erase(query)
        } else {
          _ = try store.erase(query, holding: Secret(secret), at: date)
        }
      }
    default: preconditionFailure("\(kind) is no operation of one item")
    }
  }

  private func transaction(_ choices: inout Choices, fails: Bool) throws {
    let kinds: [Step.Kind] = [.add, .updateSecret, .updateAttributes, .rename, .delete, .save, .change]
    let steps = (0..<1 + choices.index(12)).map { _ in choices.generator.pick(kinds) }
    try step {
      try transaction(
        steps.map { kind in
          { machine, choices in
            machine.clock.now.milliseconds += 1
            try machine.primitive(kind, &choices)
          }
        }, &choices, fails: fails)
    }
  }

  /// Several operations that are written all at once, or not at all.
  private func transaction(
    _ parts: [(Machine, inout Choices) throws -> Void], _ choices: inout Choices, fails: Bool = false
  ) throws {
    struct Abandoned: Error {}
    let before = state
    var finding: (any Error)?
    do throws(KeychainError) {
      try keychain.exclusively { () throws(KeychainError) in
        do {
          for part in parts { try part(self, &choices) }
        } catch {
          finding = error
        }
        if fails || finding != nil { throw .promptDismissed }
      }
    } catch .promptDismissed {
      if let finding { throw finding }
      guard fails else { throw Finding("the change failed") }
      state = before
      try rebuildMemory()
    } catch {
      throw Finding("the change failed: \(error)")
    }
  }
}
