import Age
import Bytes
public import Keychain
import PrivateFiles

/// The changes made by restoring an earlier state.
public struct Restoration: Hashable, Sendable {
  /// How many items there are now.
  public let count: Int
  /// Items that were brought back, or got their earlier secret or attributes back.
  public var restored = 0
  /// Items that the earlier state lacked. They went out of use, as if deleted.
  public var retired = 0
}

extension EncryptedFileKeychain {
  /// Restores the items of an earlier generation. This is a change like any other: the present state is kept, and
  /// other copies of the vault will follow.
  ///
  /// If the vault itself is unreadable or gone, its newest readable state takes its part: items of that which the
  /// generation lacks go out of use, as usual. The key and the slots stay as they were last, not as in that
  /// generation.
  ///
  /// - Parameters:
  ///   - generation: the earlier state.
  ///   - confirm: asks whether to restore the vault with ways in that may not be its last ones; by default refuses.
  /// - Throws: `KeychainError`, also if the generation itself is damaged; `KeychainError.SlotFault.unconfirmed`.
  public func restore(
    _ generation: Generation, confirm: WaysConfirmation = { _ in false }
  ) throws(KeychainError) -> Restoration {
    try askingOnce { () throws(KeychainError) in
      // Asking a person must not keep others waiting, so the generation is opened before taking the lock.
      var earlier = try earlierOfReadable(generation)
      return try replacingUnreadable(
        by: generation, confirm,
        with: { (ways, _) throws(KeychainError) in
          let chosen = try open(generation, uuid: ways.stanzas.uuid, with: ways.key)
          earlier = nil
          guard let newest = try newestGood(for: ways, after: chosen) else {
            return try VaultBeginning(chosen, ways)
          }
          earlier = chosen
          return try VaultBeginning(newest, ways, orSlots: chosen.stanzas.slots)
        }
      ) { (change, isReplaced) throws(KeychainError) in
        if isReplaced {
          try change.supersede(try generations())
          var outcome = Restoration(count: change.lines.inUse.count)
          if let earlier { outcome = try change.restore(try earlier.takeAllLines(), at: clock()) }
          // No present item could be read.
          outcome.restored = outcome.count
          return outcome
        }
        if earlier == nil, let key = change.key, let uuid = change.stanzas?.uuid {
          earlier = try open(generation, uuid: uuid, with: key)
        }
        guard let earlier else { throw .missing(path: location.vaultFile) }
        return try change.restore(try earlier.takeAllLines(), at: clock())
      }
    }
  }

  /// Opens a generation with the vault's key; `nil` if the vault can't be read.
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

  /// Runs an operation that may open several files. A passphrase typed for one is tried on the others first.
  public func askingOnce<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let source = unlocking.passphrase
    unlocking.passphrase = TypedPassphrases(source).passphrase
    defer { unlocking.passphrase = source }
    return try body()
  }

  /// Runs `body` with a change of the vault or, if that can't be read, one that replaces it by another generation.
  ///
  /// - Parameters:
  ///   - generation: the generation to restore, if a certain one is meant.
  ///   - confirm: asks whether these ways in may open the restored vault.
  ///   - replacement: returns the state to begin with if the vault is unreadable.
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

  /// A change of the vault, now that its key is known; `nil` if the vault can't be read.
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
    // Another process put something there while a person was asked.
    guard status == ways.status else { throw .slot(.changedMeanwhile) }
    let (uuid, key) = (ways.stanzas.uuid, ways.key)
    let writes = try NewestWrite.openAll(in: locked.folder, uuid: uuid, with: key, unlocking)
    var latest = max(beginning.head.generation - 1, ways.head?.generation ?? 0)
    for write in writes { latest = max(latest, write.snapshot.generation.number) }
    let readable = latest
    if case .seen(let seen) = try SeenGeneration.remembered(of: uuid, key, in: StateFolder(location)).memory {
      latest = max(latest, seen.number)
    }
    let isOlder = readable > 0 && readable < latest
    let seen = latest
    latest = try Generations(in: location.vaultFolder)?.latestNumber(besides: latest) ?? latest
    let change = try VaultChange(
      replacingUnreadableWith: beginning, after: latest, keeping: writes, locked, unlocking: unlocking)
    announce(change)
    if isOlder {
      change.onCommit { [onNotice] in onNotice(.newestUnreadable(seen: seen, readable: readable)) }
    }
    return change
  }

  private func described(_ ways: [SlotSummary], by notes: SlotNotes) -> [SlotSummary] {
    ways.map { way in
      var way = way
      way.describe(by: notes[way.id])
      return way
    }
  }

  /// Whether an earlier state may help: the vault is gone or damaged, or nothing opens it although the identity file
  /// opens an earlier state, or its slots' copies differ from those in its header, which may be damaged then.
  func isWorthRescuing(after error: KeychainError) throws(KeychainError) -> Bool {
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
  /// Whether the vault is gone or can't be understood, so that only an earlier state can help. An altered recipient in
  /// the header looks like a wrong identity; that identity must open an earlier state before that one is used.
  func isUnreadable(_ location: VaultLocation) -> Bool {
    switch self {
    case .damaged(let path, _), .missing(let path): path == location.vaultFile
    case .wrongIdentity(let path): path == location.identityFile
    default: false
    }
  }
}

extension VaultChange {
  /// When the items were last changed or deleted.
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
      // A merge may have retired it with the date of a fast clock.
      note(retired.record.item, max(retired.retired, retired.record.item.changeDate))
    }
    return latest
  }

  func restore(_ earlier: borrowing VaultLines, at now: Timestamp) throws(KeychainError) -> Restoration {
    var outcome = Restoration(count: earlier.inUse.count)
    var kept: Set<ItemReference> = []
    var missing: [Int] = []
    for position in earlier.inUse {
      let item = try earlier.record(at: position, path: path).item
      let isUnchanged: Bool
      if let index = try lines.index(of: item, path: path) {
        isUnchanged = lines.withLine(index) { mine in
          earlier.withLine(position) { $0.equals(mine) }
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
      // Otherwise another copy of the vault, with a later date, would undo the change.
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
