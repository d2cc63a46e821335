import Age
public import Keychain
import PrivateFiles

/// What putting an earlier state back has changed.
public struct Restoration: Hashable, Sendable {
  /// How many items there are now.
  public let count: Int
  /// Items that were brought back, or got their earlier secret or attributes back.
  public var restored = 0
  /// Items that the earlier state didn't have. They went out of use, as if deleted.
  public var retired = 0
}

extension EncryptedFileKeychain {
  /// Makes the items what they were in an earlier generation. It is a change like any other: what is replaced by it is
  /// kept, and other copies of the vault will follow.
  ///
  /// Where the vault itself can't be read, or is gone, the generation comes into its place.
  ///
  /// - Throws: `KeychainError`, also for a generation that is damaged itself.
  public func restore(_ generation: Generation) throws(KeychainError) -> Restoration {
    let earlier = try open(generation)
    return try replacingUnreadable(with: { _ throws(KeychainError) in try VaultBeginning(after: earlier) }) {
      (change, isReplaced) throws(KeychainError) in
      if isReplaced {
        return Restoration(count: change.lines.inUse.count, restored: change.lines.inUse.count)
      }
      return try change.restore(try earlier.takeAllLines(), at: clock())
    }
  }

  /// Runs `body` with a change of the vault; where that can't be read, with one that puts another generation in its
  /// place.
  ///
  /// - Parameters:
  ///   - replacement: gives that generation, if `body` is to go on where the vault is unreadable.
  func replacingUnreadable<Result>(
    with replacement: (KeychainError) throws(KeychainError) -> VaultBeginning,
    _ body: (VaultChange, _ isReplaced: Bool) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let change: VaultChange
    var isReplaced = false
    do throws(KeychainError) {
      change = try beginChange()
    } catch {
      guard error.isUnreadable(location) else { throw error }
      let earlier = try replacement(error)
      let locked = try lockFolder(patience: patience)
      let numbers = try generations().map(\.number)
      var newest = numbers.max() ?? 0
      if case .seen(let seen) = try SeenGeneration.remembered(
        of: earlier.stanzas.uuid, earlier.key, in: StateFolder(location)
      ).memory {
        newest = max(newest, seen.number)
      }
      change = try VaultChange(
        replacingUnreadableWith: earlier, after: newest, locked, unlocking: unlocking)
      isReplaced = true
    }
    let result = try body(change, isReplaced)
    try change.commit(at: clock())
    return result
  }
}

extension KeychainError {
  /// Whether the vault is gone or can't be understood, so that only an earlier state can help. With the header's
  /// recipient altered, it looks as if the identity weren't its own; an earlier state is opened by it before that is
  /// used.
  func isUnreadable(_ location: VaultLocation) -> Bool {
    switch self {
    case .damaged(let path, _), .missing(let path): path == location.vaultFile
    case .wrongIdentity(let path): path == location.identityFile
    default: false
    }
  }
}

extension VaultChange {
  /// When items were changed or deleted last.
  private func latestDates(of items: Set<ItemReference>) throws(KeychainError) -> [ItemReference: Timestamp] {
    var latest: [ItemReference: Timestamp] = [:]
    func note(_ item: Item, _ date: Timestamp) {
      guard let reference = item.reference, items.contains(reference) else { return }
      latest[reference] = max(latest[reference] ?? date, date)
    }
    let inUse = lines.inUse
    for index in inUse {
      let item = try lines.record(at: index, path: path).item
      note(item, item.changeDate)
    }
    for index in inUse.upperBound..<lines.count {
      let retired = try lines.retiredRecord(at: index, path: path)
      note(retired.record.item, retired.retired)
    }
    return latest
  }

  /// Makes the items in use those of an earlier state.
  func restore(_ earlier: borrowing VaultLines, at now: Timestamp) throws(KeychainError) -> Restoration {
    var outcome = Restoration(count: earlier.inUse.count)
    var kept: Set<ItemReference> = []
    var missing: [Int] = []
    for position in earlier.inUse {
      let item = try earlier.record(at: position, path: path).item
      let isUnchanged: Bool
      if let index = try lines.index(of: item, path: path) {
        isUnchanged = lines.withLine(index) { mine in
          earlier.withLine(position) { $0.elementsEqual(mine) }
        }
      } else {
        isUnchanged = false
      }
      if isUnchanged, let reference = item.reference {
        kept.insert(reference)
      } else {
        missing.append(position)
      }
    }
    var returning: Set<ItemReference> = []
    for position in missing {
      if let reference = try earlier.record(at: position, path: path).item.reference {
        returning.insert(reference)
      }
    }
    let latest = try latestDates(of: returning)
    for index in lines.inUse.reversed() {
      let reference = try lines.record(at: index, path: path).item.reference
      if let reference, kept.contains(reference) { continue }
      let isReturning = reference.map { returning.contains($0) } ?? false
      if !isReturning { outcome.retired += 1 }
      try retire(index, isReturning ? .replaced : .deleted, at: now)
    }
    for position in missing {
      var item = try earlier.record(at: position, path: path).item
      let credential = try earlier.credential(at: position, path: path)
      // Else another copy of the vault, with a later date, would undo it.
      let former = item.reference.flatMap { latest[$0] } ?? item.changeDate
      item.modificationDate = max(item.nextChange(at: now), Timestamp(milliseconds: former.milliseconds + 1))
      do throws(JSONReader.Malformed) {
        put(
          try earlier.withLine(position) { (line) throws(JSONReader.Malformed) in
            try Record.line(item, credential, revision: head.generation, previous: line)
          })
      } catch {
        throw .malformedItem(path: path)
      }
      outcome.restored += 1
    }
    return outcome
  }
}
