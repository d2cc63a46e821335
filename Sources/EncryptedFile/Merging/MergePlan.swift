import Bytes
import Keychain

/// The plan for merging two copies of a vault, item by item. Each part of an item (its key, its other attributes, its
/// confidential parts) is taken from the copy in which it was changed last; a deletion wins over earlier changes.
/// Everything else is kept as a record out of use: nothing is dropped.
///
/// An item that has lost its key to another one stays out of use, even once that one has another key or is deleted:
/// later merges have to come to the same. It returns if somebody changes it without knowing of that, or brings it
/// back.
///
/// If the common ancestor of both copies is known, this is a three-way merge: a part that only one copy has changed is
/// taken from that copy, whatever the dates say, and an item that one copy has deleted and the other left unchanged is
/// deleted. Dates decide only if both have changed the same part.
///
/// Both places arrive at the same items, whichever of them merges the other's copy.
struct MergePlan {
  typealias Place = MergedItem.Place

  struct Retirement {
    let place: Place
    /// The merged item, if the record was made of both copies.
    let made: MergedItem?
    let date: Timestamp
    let reason: RetirementReason
  }

  /// The records of mine and theirs in use after the merge.
  private(set) var winners: Set<Place> = []
  private(set) var made: [MergedItem] = []
  private(set) var retirements: [Retirement] = []
  /// How many items of mine are gone, because they went out of use there.
  private(set) var deleted = 0
  /// How many items both copies are known to have changed in different ways.
  private(set) var undecided = 0

  /// - Parameters:
  ///   - theirs: the other copy. If it is put together from several, it may have several states of an item.
  ///   - base: the records of the common ancestor; `nil` if unknown.
  ///   - date: the retirement date of the losers; the same in both places.
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if a line is not a record.
  init(
    _ mine: borrowing VaultLines, _ theirs: borrowing VaultLines, base: borrowing VaultLines?,
    losersRetireAt date: Timestamp, path: String
  ) throws(KeychainError) {
    var deletions: [ItemReference: Timestamp] = [:]
    var merged: [ItemReference: [Place]] = [:]
    var items: [ItemReference: [(place: Place, item: Item)]] = [:]
    func collect(_ lines: borrowing VaultLines, _ place: (Int) -> Place) throws(KeychainError) {
      let inUse = lines.inUse
      for index in inUse {
        let item = try lines.record(at: index, path: path).item
        if let reference = item.reference { items[reference, default: []].append((place(index), item)) }
      }
      for index in inUse.upperBound..<lines.count {
        let retired = try lines.retiredRecord(at: index, path: path)
        guard let reference = retired.record.item.reference else { continue }
        switch retired.reason {
        case .deleted: deletions[reference] = max(deletions[reference] ?? retired.retired, retired.retired)
        case .merged: if retired.hasSecret { merged[reference, default: []].append(place(index)) }
        case .replaced: break
        }
      }
    }
    try collect(mine) { .mine($0) }
    try collect(theirs) { .theirs($0) }
    var survivors: [(item: Item, place: Place, made: MergedItem?)] = []

    func lend<Result>(
      _ place: Place, _ body: (UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> Result
    ) throws(KeychainError) -> Result {
      do throws(JSONReader.Malformed) {
        switch place {
        case .mine(let index): return try mine.withLine(index, body)
        case .theirs(let index): return try theirs.withLine(index, body)
        case .made: preconditionFailure("what is made of both stands nowhere")
        }
      } catch {
        throw .malformedItem(path: path)
      }
    }
    func state(_ place: Place, isInUse: Bool = true) throws(KeychainError) -> MergedItem {
      try lend(place) { (line) throws(JSONReader.Malformed) in
        try MergedItem(line, at: place, keyPrefix: isInUse ? "" : RetiredRecord.keyPrefix)
      }
    }
    var former: [ItemReference: MergedItem] = [:]
    switch base {
    case .none: break
    case .some(let base):
      for index in base.inUse {
        let item: MergedItem
        do throws(JSONReader.Malformed) {
          item = try base.withLine(index) { (line) throws(JSONReader.Malformed) in
            try MergedItem(line, at: .made)
          }
        } catch {
          throw .malformedItem(path: path)
        }
        if let reference = item.item.reference { former[reference] = item }
      }
    }
    func isUnchanged(_ place: Place, _ reference: ItemReference) throws(KeychainError) -> Bool {
      guard let before = former[reference] else { return false }
      return try lend(place) { line in before.line.withUnsafeBytes { $0.equals(line) } }
    }
    /// Whether a merge put a state out of use, or everything in it is no later than in one that it did.
    func isMerged(_ place: Place, _ reference: ItemReference) throws(KeychainError) -> Bool {
      guard let others = merged[reference] else { return false }
      let new = try state(place)
      for other in others {
        let retired = try state(other, isInUse: false)
        do throws(JSONReader.Malformed) {
          if try new.isKnown(to: retired) { return true }
        } catch {
          throw .malformedItem(path: path)
        }
      }
      return false
    }
    func isSame(_ one: Place, _ other: Place) throws(KeychainError) -> Bool {
      try lend(one) { (line) throws(JSONReader.Malformed) in
        do throws(KeychainError) {
          return try lend(other) { $0.equals(line) }
        } catch {
          throw JSONReader.Malformed()
        }
      }
    }
    func settle(_ reference: ItemReference, _ states: [(place: Place, item: Item)]) throws(KeychainError) {
      var result: (item: Item, place: Place, made: MergedItem?)?
      // Each separately: one side may have brought back what the other deleted before.
      for (place, item) in states {
        if let deletion = deletions[reference], item.changeDate <= deletion {
          retirements.append(Retirement(place: place, made: nil, date: deletion, reason: .deleted))
          continue
        }
        if states.count == 1, try isUnchanged(place, reference) {
          retirements.append(Retirement(place: place, made: nil, date: item.changeDate, reason: .deleted))
          continue
        }
        if try isMerged(place, reference) {
          retirements.append(Retirement(place: place, made: nil, date: date, reason: .merged))
          continue
        }
        guard let present = result else {
          result = (item: item, place: place, made: nil)
          continue
        }
        if present.made == nil, try isSame(present.place, place) { continue }
        let known = if let made = present.made { made } else { try state(present.place) }
        let new = try state(place)
        let merge: ItemMerge
        do throws(JSONReader.Malformed) {
          merge = try ItemMerge(known, new, base: former[reference])
        } catch {
          throw .malformedItem(path: path)
        }
        let both = merge.result
        result = (item: both.item, place: both.place, made: both.place == .made ? both : nil)
        if merge.isUndecided { undecided += 1 }
        for loser in merge.losers {
          let made = loser.place == .made ? loser : nil
          retirements.append(Retirement(place: loser.place, made: made, date: date, reason: .merged))
        }
      }
      if let result {
        survivors.append(result)
      } else if case .mine? = states.first?.place {
        deleted += 1
      }
    }
    for (reference, states) in items { try settle(reference, states) }

    // Of different items with the same key only one stays; both places may have stored the same login as a new item.
    var keepers: [Item.Key: (item: Item, place: Place, made: MergedItem?)] = [:]
    for survivor in survivors {
      let key = survivor.item.key.primaryKey
      guard let other = keepers[key] else {
        keepers[key] = survivor
        continue
      }
      let new = if let made = survivor.made { made } else { try state(survivor.place) }
      let present = if let made = other.made { made } else { try state(other.place) }
      let isBetter = new.keepsKey(before: present)
      let loser = isBetter ? other : survivor
      if isBetter { keepers[key] = survivor }
      undecided += 1
      retirements.append(Retirement(place: loser.place, made: loser.made, date: date, reason: .merged))
    }
    for (_, survivor) in keepers {
      if let combined = survivor.made { made.append(combined) } else { winners.insert(survivor.place) }
    }
  }
}
