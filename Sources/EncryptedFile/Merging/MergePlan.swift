import Bytes
import JSON
import Keychain

/// The plan for merging two copies of a vault, item by item. Each part of an item (its key, its other attributes, its
/// confidential parts) is taken from the copy in which it was changed last; a deletion wins over changes made before
/// it. Whatever doesn't get into the result is kept as a record out of use: nothing is dropped.
///
/// If the common ancestor of both copies is known, this is a three-way merge: a part that only one copy has changed
/// is taken from that copy, whatever the dates say, and an item that one copy has deleted and the other left
/// unchanged is deleted. Dates decide only if both have changed the same part.
///
/// Both places arrive at the same items, whichever of them merges the other's copy.
struct MergePlan {
  typealias Place = MergedItem.Place

  /// A record that is to go out of use.
  struct Retirement {
    let place: Place
    /// The merged item, if the record was made of both copies.
    let made: MergedItem?
    let date: Timestamp
    let reason: RetirementReason
  }

  /// The records of mine and theirs that are in use after the merge.
  private(set) var winners: Set<Place> = []
  /// The records that are made of both.
  private(set) var made: [MergedItem] = []
  /// The records that go out of use.
  private(set) var retirements: [Retirement] = []
  /// How many items both copies have changed in different ways, as far as that can be told.
  private(set) var undecided = 0

  /// - Parameters:
  ///   - base: the records of the common ancestor; `nil` if it isn't known.
  ///   - date: the retirement date of the losers; the same in both places.
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if a line is not a record.
  init(
    _ mine: borrowing VaultLines, _ theirs: borrowing VaultLines, base: borrowing VaultLines?,
    losersRetireAt date: Timestamp, path: String
  ) throws(KeychainError) {
    var deletions: [ItemReference: Timestamp] = [:]
    let ours = try Self.items(mine, path, &deletions)
    let others = try Self.items(theirs, path, &deletions)
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
    func state(_ place: Place) throws(KeychainError) -> MergedItem {
      try lend(place) { (line) throws(JSONReader.Malformed) in try MergedItem(line, at: place) }
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
    /// Whether an item that is in use in only one copy is to be deleted.
    func isDeleted(_ place: Place, _ item: Item, _ reference: ItemReference) throws(KeychainError) -> Bool {
      if let deletion = deletions[reference], item.changeDate <= deletion { return true }
      guard let before = former[reference] else { return false }
      return try lend(place) { line in before.line.withUnsafeBytes { $0.elementsEqual(line) } }
    }
    func settle(_ reference: ItemReference, _ own: (Int, Item)?, _ other: (Int, Item)?) throws(KeychainError)
    {
      var places: [(place: Place, item: Item)] = []
      if let own { places.append((.mine(own.0), own.1)) }
      if let other { places.append((.theirs(other.0), other.1)) }
      if places.count == 2 {
        // Each is checked separately: one side may have brought back what the other deleted before.
        for (place, item) in places {
          if let deletion = deletions[reference], item.changeDate <= deletion {
            retirements.append(Retirement(place: place, made: nil, date: deletion, reason: .deleted))
            places.removeAll { $0.place == place }
          }
        }
      } else if let (place, item) = places.first, try isDeleted(place, item, reference) {
        let deletion = max(deletions[reference] ?? item.changeDate, item.changeDate)
        retirements.append(Retirement(place: place, made: nil, date: deletion, reason: .deleted))
        return
      }
      guard let first = places.first else { return }
      guard places.count == 2 else {
        survivors.append((first.item, first.place, nil))
        return
      }
      let isSame = try lend(first.place) { (mine) throws(JSONReader.Malformed) in
        do throws(KeychainError) {
          return try lend(places[1].place) { $0.elementsEqual(mine) }
        } catch {
          throw JSONReader.Malformed()
        }
      }
      if isSame {
        survivors.append((first.item, first.place, nil))
        return
      }
      let merge: ItemMerge
      let states = (try state(first.place), try state(places[1].place))
      do throws(JSONReader.Malformed) {
        merge = try ItemMerge(states.0, states.1, base: former[reference])
      } catch {
        throw .malformedItem(path: path)
      }
      let result = merge.result
      survivors.append((result.item, result.place, result.place == .made ? result : nil))
      if merge.isUndecided { undecided += 1 }
      for loser in merge.losers {
        retirements.append(Retirement(place: loser.place, made: nil, date: date, reason: .merged))
      }
    }
    for (reference, own) in ours { try settle(reference, own, others[reference]) }
    for (reference, other) in others where ours[reference] == nil { try settle(reference, nil, other) }

    // Of different items with the same key only one is kept; the same login may have been stored in both places, each
    // time as a new item.
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

  /// The items in use by reference; the dates of deletions go into `deletions`.
  private static func items(
    _ lines: borrowing VaultLines, _ path: String, _ deletions: inout [ItemReference: Timestamp]
  ) throws(KeychainError) -> [ItemReference: (Int, Item)] {
    var items: [ItemReference: (Int, Item)] = [:]
    let inUse = lines.inUse
    for index in inUse {
      let item = try lines.record(at: index, path: path).item
      if let reference = item.reference { items[reference] = (index, item) }
    }
    for index in inUse.upperBound..<lines.count {
      let retired = try lines.retiredRecord(at: index, path: path)
      guard retired.reason == .deleted, let reference = retired.record.item.reference else { continue }
      deletions[reference] = max(deletions[reference] ?? retired.retired, retired.retired)
    }
    return items
  }
}
