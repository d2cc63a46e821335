import Age
import JSON
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
  /// Where the vault itself can't be read, or is gone, the generation comes into its place. What opens the vault is as it
  /// was last, and not as in that generation.
  ///
  /// - Parameters:
  ///   - generation: the earlier state.
  ///   - confirm: asks whether the vault may be put back with ways in of which it can't be told whether they are those
  ///     that it had last. Without it that is refused.
  /// - Throws: `KeychainError`, also for a generation that is damaged itself; `KeychainError.SlotFault.unconfirmed`.
  public func restore(
    _ generation: Generation, confirm: WaysConfirmation = { _ in false }
  ) throws(KeychainError) -> Restoration {
    try askingOnce { () throws(KeychainError) in
      // A person who is asked for what opens it must not keep others waiting.
      var earlier = try earlierOfReadable(generation)
      return try replacingUnreadable(
        by: generation, confirm,
        with: { (ways, _) throws(KeychainError) in
          try VaultBeginning(try open(generation, uuid: ways.stanzas.uuid, with: ways.key), ways)
        }
      ) { (change, isReplaced) throws(KeychainError) in
        if isReplaced {
          try change.supersede(try generations())
          return Restoration(count: change.lines.inUse.count, restored: change.lines.inUse.count)
        }
        if earlier == nil, let key = change.key, let uuid = change.stanzas?.uuid {
          earlier = try open(generation, uuid: uuid, with: key)
        }
        guard let earlier else { throw .missing(path: location.vaultFile) }
        return try change.restore(try earlier.takeAllLines(), at: clock())
      }
    }
  }

  /// A generation, opened with the vault's key; `nil` where the vault can't be read.
  private func earlierOfReadable(_ generation: Generation) throws(KeychainError) -> VaultSnapshot? {
    let current: VaultSnapshot?
    do throws(KeychainError) {
      current = try newest()
    } catch {
      if try isWorthRescuing(after: error) { return nil }
      throw error
    }
    guard let current else { return nil }
    return try open(generation, uuid: current.stanzas.uuid, with: current.key)
  }

  /// Runs an operation that may open several files. What was typed for one is tried on the others first.
  private func askingOnce<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let source = unlocking.passphrase
    unlocking.passphrase = TypedPassphrases(source).passphrase
    defer { unlocking.passphrase = source }
    return try body()
  }

  /// Runs `body` with a change of the vault; where that can't be read, with one that puts another generation in its
  /// place.
  ///
  /// - Parameters:
  ///   - generation: the one that is meant, if one is.
  ///   - confirm: asks whether what opens the vault again may do so.
  ///   - replacement: gives what the vault is to begin with, if `body` is to go on where it is unreadable.
  func replacingUnreadable<Result>(
    by generation: Generation?, _ confirm: WaysConfirmation,
    with replacement: (WaysThatCount, KeychainError) throws(KeychainError) -> VaultBeginning,
    _ body: (VaultChange, _ isReplaced: Bool) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    try askingOnce { () throws(KeychainError) in
      let change: VaultChange
      var isReplaced = false
      do throws(KeychainError) {
        change = try beginChange()
      } catch {
        guard try isWorthRescuing(after: error) else { throw error }
        let ways = try waysThatCount(restoring: generation, after: error)
        key = ways.key
        if let readable = try changeIfReadable() {
          change = readable
        } else {
          change = try replace(ways, confirm, with: try replacement(ways, error))
          isReplaced = true
        }
      }
      let result = try body(change, isReplaced)
      try change.commit(at: clock())
      return result
    }
  }

  /// A change of the vault, now that its key is known; `nil` where it can't be read.
  private func changeIfReadable() throws(KeychainError) -> VaultChange? {
    do throws(KeychainError) {
      return try beginChange()
    } catch {
      guard try isWorthRescuing(after: error) else { throw error }
      return nil
    }
  }

  private func replace(
    _ ways: WaysThatCount, _ confirm: WaysConfirmation, with beginning: VaultBeginning
  ) throws(KeychainError) -> VaultChange {
    if var returning = ways.returning {
      returning.ways = try described(returning.ways, by: SlotNotes(beginning.head, path: location.vaultFile))
      guard confirm(returning) else { throw .slot(.unconfirmed) }
    }
    let locked = try lockFolder(patience: patience)
    let hasFile = try locked.folder.contains(VaultLocation.vaultName)
    let status = hasFile ? try locked.folder.status(of: VaultLocation.vaultName) : nil
    // Another process has put something there while somebody was asked.
    guard status == ways.status else { throw .slot(.changedMeanwhile) }
    let numbers = try generations().map(\.number)
    var newest = max(numbers.max() ?? 0, ways.head?.generation ?? 0)
    if case .seen(let seen) = try SeenGeneration.remembered(
      of: ways.stanzas.uuid, ways.key, in: StateFolder(location)
    ).memory {
      newest = max(newest, seen.number)
    }
    let writes = try NewestWrite.openAll(
      in: locked.folder, uuid: ways.stanzas.uuid, with: ways.key, unlocking)
    return try VaultChange(
      replacingUnreadableWith: beginning, after: newest, keeping: writes, locked, unlocking: unlocking)
  }

  private func described(_ ways: [SlotSummary], by notes: SlotNotes) -> [SlotSummary] {
    ways.map { way in
      var way = way
      way.added = notes[way.id]?.added
      way.recipient = notes[way.id]?.recipient
      return way
    }
  }

  /// Whether the vault is gone or damaged, or what should open it doesn't though the identity file opens an earlier
  /// state, or the copies of its slots are others than those of its header: then the header may be damaged.
  private func isWorthRescuing(after error: KeychainError) throws(KeychainError) -> Bool {
    if error.isUnreadable(location) { return true }
    switch error {
    case .wrongPassphrase, .wrongPassphraseGiven, .mistypedRecoveryCode, .noSlotOpens: break
    default: return false
    }
    guard let file = try openVault(), let (header, _) = try? VaultSnapshot.readHeader(file),
      let stanzas = try? VaultStanzas(header.stanzas, path: file.path)
    else { return true }
    if case .noSlotOpens = error, try opensEarlierStateByIdentityFile() { return true }
    return try SlotCopies(at: location, known: stanzas.slots).slots.contains { copy in
      !stanzas.slots.contains { $0.file == copy.file }
    }
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
  func latestDates(of items: Set<ItemReference>) throws(KeychainError) -> [ItemReference: Timestamp] {
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
