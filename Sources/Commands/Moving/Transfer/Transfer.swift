import Interchange
import Keychain

struct Transfer {
  enum Outcome: CaseIterable {
    case added
    case replaced
    /// The keychain already had it, and has now got its attributes for programs, too.
    case completed
    /// The keychain already had it.
    case unchanged
    /// The keychain has another secret, and kept it.
    case kept
    /// An earlier login of the source is the same item, with another secret.
    case repeated
    /// No keychain accepts it.
    case unusable
    /// The keychain doesn't have its collection.
    case noCollection
    /// Its collection is locked.
    case lockedCollection
    /// Somebody has added it meanwhile, with another secret, or has changed the item that it was to replace.
    case overtaken
    /// The keychain failed before it was there, or before confirming that.
    case unconfirmed
  }

  struct Result {
    /// One for each login.
    let outcomes: [Outcome]
    /// Why it ended too early; `nil` if it didn't.
    var failure: KeychainError?
  }

  let plan: TransferPlan
  /// The indices of the differing logins that replace the keychain's items.
  let replacing: Set<Int>

  /// The expected outcome for each login.
  var foreseen: [Outcome] {
    settlingRepeats(
      of: plan.steps.enumerated().map { index, step in
        switch step {
        case .add: .added
        case .unchanged, .repeated(of: _, isSame: true): .unchanged
        case .repeated(of: _, isSame: false): .repeated
        case .differs: replacing.contains(index) ? .replaced : .kept
        case .completes: .completed
        case .unusable: .unusable
        case .noCollection: .noCollection
        case .locked: .lockedCollection
        }
      })
  }

  /// The outcomes, where a login that is the same as an earlier one of the source shares that one's success.
  private func settlingRepeats(of outcomes: [Outcome]) -> [Outcome] {
    var outcomes = outcomes
    for (index, step) in plan.steps.enumerated() {
      guard case .repeated(of: let earlier, isSame: true) = step else { continue }
      outcomes[index] = outcomes[earlier].isThere ? .unchanged : outcomes[earlier]
    }
    return outcomes
  }

  /// Makes the changes. The file is written once; a desktop service gets a batch of items at a time, so that those it
  /// has needn't be sent again after an interruption.
  ///
  /// - Returns: the outcome for each login, even if the keychain has failed in the middle.
  func run(
    in keychain: any KeychainStore, batch: Int, progress: (_ done: Int, _ total: Int) -> Void
  ) -> Result {
    let foreseen = foreseen
    var outcomes = foreseen
    // If nothing else decides, the item changed last answers. So the first login of the source is written last.
    let written = outcomes.indices.filter { outcomes[$0].isWritten }
    let preferred = preferred(to: written)
    let writtenKeys = preferred.isEmpty ? [] : Set(written.map { plan.logins[$0].primaryKey })
    let changes = (written + preferred).sorted().reversed()
    let dates = dates(at: .now)
    var rest = Array(changes)[...]
    while !rest.isEmpty {
      let part = rest.prefix(batch)
      var done = 0
      do throws(KeychainError) {
        try keychain.exclusively { () throws(KeychainError) in
          // The keychain may run this more than once.
          done = changes.count - rest.count
          for index in part {
            outcomes[index] = foreseen[index]
            if plan.steps[index].isUnchanged {
              try putFirst(plan.logins[index].primaryKey, before: writtenKeys, in: keychain)
            } else {
              try change(index, in: keychain, dates[index], &outcomes[index])
            }
            done += 1
            if done % 100 == 0 { progress(done, changes.count) }
          }
        }
      } catch {
        for index in rest where foreseen[index].isWritten { outcomes[index] = .unconfirmed }
        confirm(part.filter { foreseen[$0].isWritten }, in: keychain, &outcomes)
        return Result(outcomes: settlingRepeats(of: outcomes), failure: error)
      }
      progress(done, changes.count)
      rest = rest.dropFirst(part.count)
    }
    return Result(outcomes: settlingRepeats(of: outcomes))
  }

  /// Finds out which logins of a failed part are there nevertheless: a service keeps everything it got before.
  private func confirm(_ part: [Int], in keychain: any KeychainStore, _ outcomes: inout [Outcome]) {
    let foreseen = foreseen
    // An item with the secret may still lack the rest.
    let sent = part.filter { foreseen[$0] != .completed }
    var hoped = foreseen.map { _ in Outcome.unconfirmed }
    for index in sent { hoped[index] = foreseen[index] }
    guard keychain is any DesktopKeychain,
      let missing = try? missing(hoped, in: keychain, progress: { _, _ in })
    else { return }
    let there = Set(sent).subtracting(missing)
    // If only the notes differed, the secret was the same before.
    let now =
      there.contains { foreseen[$0] == .replaced }
      ? try? TransferPlan(plan.logins, in: keychain, comparesNotes: plan.comparesNotes) : nil
    for index in there {
      if foreseen[index] == .replaced {
        guard case .unchanged? = now?.steps[index] else { continue }
      }
      outcomes[index] = foreseen[index]
    }
  }

  /// The modification date of each login: the source's, but never later than now, or than that of a preferred login.
  private func dates(at now: Timestamp) -> [Timestamp] {
    var former: [Item.Key: Timestamp] = [:]
    return plan.logins.enumerated().map { index, login in
      guard let given = login.item.modificationDate else {
        return Timestamp(milliseconds: now.milliseconds - Int64(index))
      }
      // With a future date it would answer before anything changed until then.
      var date = min(given, now)
      let place = login.primaryKey.withoutAccount
      if let former = former[place], date >= former {
        date = Timestamp(milliseconds: former.milliseconds - 1)
      }
      former[place] = date
      return date
    }
  }

  /// Logins that the keychain already has, and the source prefers to some written at the same place.
  private func preferred(to written: [Int]) -> [Int] {
    guard let last = plan.steps.lastIndex(where: \.isUnchanged) else { return [] }
    let places = Set(written.map { plan.logins[$0].primaryKey.withoutAccount })
    var seen: Set<Item.Key> = []
    return plan.logins.indices.prefix(through: last).filter { index in
      let place = plan.logins[index].primaryKey.withoutAccount
      return places.contains(place) && seen.insert(place).inserted && plan.steps[index].isUnchanged
    }
  }

  /// Makes an item answer before those written at its place, as in the source.
  private func putFirst(
    _ primaryKey: Item.Key, before written: Set<Item.Key>, in keychain: any KeychainStore
  ) throws(KeychainError) {
    // A service counts whole seconds; and without an account, no question can name the item.
    guard primaryKey.account != nil, !(keychain is any DesktopKeychain),
      let query = try? ItemQuery(for: primaryKey.withoutAccount)
    else { return }
    let all = try keychain.items(matching: query)
    guard let item = all.first(where: { $0.key.primaryKey == primaryKey }) else { return }
    let isBehind = all.contains { other in
      guard written.contains(other.key.primaryKey), let date = other.modificationDate else { return false }
      return item.modificationDate.map { $0 <= date } ?? true
    }
    if isBehind { try keychain.update(item) }
  }

  private func change(
    _ index: Int, in keychain: any KeychainStore, _ date: Timestamp, _ outcome: inout Outcome
  ) throws(KeychainError) {
    let login = plan.logins[index]
    if let item = plan.steps[index].changedItem {
      do throws(KeychainError) {
        guard try isAsPlanned(item, in: keychain) else { return outcome = .overtaken }
        if item.isOther != login.item.isOther {
          try turn(item, into: login.item, login.credential, in: keychain)
          return
        }
        var changed = item.completed(by: login.item)
        if case .differs = plan.steps[index] {
          changed = item.taking(notesOf: login.item)
          if plan.comparesNotes { changed.takeNotes(onlyOf: login.item) }
        }
        // Otherwise the keychain itself keeps what isn't given.
        if login.credential.hasNoPassword || login.credential.further.hasFields {
          let held = try keychain.credential(of: item)
          try keychain.update(changed, held.completed(by: login.credential))
        } else {
          try keychain.update(changed, login.credential)
        }
        return
      } catch .itemNotFound {
        // It was deleted meanwhile.
        outcome = .added
      } catch .duplicateItem {
        // Its new key was added meanwhile.
        return outcome = .overtaken
      }
    }
    var item = login.item
    item.reference = nil
    item.modificationDate = date
    item.creationDate = item.creationDate.map { min($0, .now) } ?? date
    // There is one default collection, and the keychain's own choice stays.
    if item.isDefault, item.key.secretServiceItem?.kind == .collection {
      var criteria = ItemCriteria()
      criteria.itemClass = .secretServiceCollection
      item.isDefault = try !keychain.items(matching: .criteria(criteria)).contains(where: \.isDefault)
    }
    do throws(KeychainError) {
      try Self.naming(item) { (item) throws(KeychainError) in
        try keychain.add(keepingDatesOf: item, login.credential)
      }
    } catch .duplicateItem {
      // It was added meanwhile.
      outcome = try Self.has(keychain, item.key, login.credential) ? .unchanged : .overtaken
    }
  }

  /// Whether an item is as it was when the plan was made. A service's item looks different from case to case, with the
  /// same date.
  ///
  /// - Throws: ``KeychainError/itemNotFound`` if it is gone.
  private func isAsPlanned(_ item: Item, in keychain: any KeychainStore) throws(KeychainError) -> Bool {
    if let desktop = keychain as? any DesktopKeychain {
      return try desktop.asProgramsFind(item).modificationDate == item.modificationDate
    }
    return try keychain.present(item) == item
  }

  /// Turns a login into an item that a login has no room for, or the reverse, as a program has done at the source.
  private func turn(
    _ held: Item, into item: Item, _ credential: borrowing Credential, in keychain: any KeychainStore
  ) throws(KeychainError) {
    var turned = item
    turned.reference = held.reference
    let credential = credential.copy()
    try Self.naming(turned) { (item) throws(KeychainError) in try keychain.update(item, credential) }
  }

  /// Runs `body` with an item, and with other names for it while another item that is no login has its name. Such a
  /// name means nothing to programs.
  private static func naming(
    _ item: Item, _ body: (Item) throws(KeychainError) -> Void
  ) throws(KeychainError) {
    guard item.isOther, let name = item.key.secretServiceItem?.name else { return try body(item) }
    var item = item
    for number in 2... {
      do throws(KeychainError) {
        return try body(item)
      } catch .duplicateItem {
        item.key = SecretServiceItem(.item, name: ByteString("\(name)-\(number)")).item.key
      }
    }
  }

  private static func has(
    _ keychain: any KeychainStore, _ key: Item.Key, _ credential: borrowing Credential
  ) throws(KeychainError) -> Bool {
    for item in try keychain.items(matching: .criteria(ItemCriteria(key)))
    where item.key.primaryKey == key.primaryKey {
      guard let held = try keychain.credentialIfPresent(of: item) else { continue }
      return held.hasAll(of: credential)
    }
    return false
  }

  /// Reads back the items that should be there.
  ///
  /// - Parameter lacking: receives the logins whose item lacks something of theirs, with a word for each thing.
  /// - Returns: the logins whose item is missing or has another secret.
  func missing(
    _ outcomes: [Outcome], in keychain: any KeychainStore,
    lacking: (_ index: Int, _ what: [String]) -> Void = { _, _ in },
    progress: (_ done: Int, _ total: Int) -> Void
  ) throws(KeychainError) -> [Int] {
    try keychain.reading { () throws(KeychainError) -> [Int] in
      let held = try HeldItems(in: keychain, for: plan.logins, isWhole: true, looksForLocked: false)
      var missing: [Int] = []
      for (index, outcome) in outcomes.enumerated() where outcome.isThere {
        if let answer = try held.counterpart(of: index),
          answer.credential.hasAll(of: plan.logins[index].credential)
        {
          let login = plan.logins[index]
          let what = try held.lacking(answer.item, of: login.item, isOfFile: login.original == nil)
          if !what.isEmpty { lacking(index, what) }
          progress(index + 1, outcomes.count)
          continue
        }
        missing.append(index)
      }
      return missing
    }
  }
}

extension Item {
  /// Takes another item's notes in place of its own, but keeps further addresses, fields and tags. A service may have
  /// more attributes, and keeps no content type.
  fileprivate mutating func takeNotes(onlyOf other: Item) {
    let former = self
    for attribute in Attribute.notes { self[attribute] = other[attribute] }
    secretService = former.secretService
    furtherAttributes = other.furtherAttributes
    for tag in Item.listTags { furtherAttributes[tag] = former.furtherAttributes[tag] }
  }
}

extension TransferPlan.Step {
  /// The keychain's item that would be changed.
  fileprivate var changedItem: Item? {
    switch self {
    case .differs(let item), .completes(let item): item
    default: nil
    }
  }

  fileprivate var isUnchanged: Bool {
    if case .unchanged = self { true } else { false }
  }
}

extension Transfer.Outcome {
  /// Whether the keychain has the login after this outcome.
  var isThere: Bool {
    switch self {
    case .added, .replaced, .completed, .unchanged: true
    case .kept, .repeated, .unusable, .noCollection, .lockedCollection, .overtaken, .unconfirmed: false
    }
  }

  /// Whether it writes to the keychain.
  var isWritten: Bool { [.added, .replaced, .completed].contains(self) }
}

extension Item.Key {
  /// A primary key without the account, the same for all accounts of a place.
  fileprivate var withoutAccount: Item.Key {
    var key = self
    key[.account] = nil
    return key
  }
}
