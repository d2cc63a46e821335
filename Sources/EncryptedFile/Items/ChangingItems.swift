import Age
public import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// Adds an item.
  @discardableResult
  public func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try add(keepingDatesOf: item.undated, credential)
  }

  /// Adds an item with its dates.
  @discardableResult
  public func add(
    keepingDatesOf item: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Item {
    try item.validate(with: credential)
    return try changing { (change) throws(KeychainError) in
      if change.isNew, !change.isMade {
        try change.make(.identityFile)
        change.onCommit { [onNotice, location] in onNotice(.created(location)) }
      }
      try change.refuseTwin(of: item, except: nil)
      let now = clock()
      var added = item
      added.reference = ItemReference(ByteString(timeOrderedUUID(at: now, change.randomness.next(16))))
      added.creationDate = item.creationDate ?? now
      added.modificationDate = item.modificationDate ?? now
      try change.insert(added, credential.stored(), replacing: nil)
      return added
    }
  }

  /// Changes an item's attributes.
  @discardableResult
  public func update(_ item: Item) throws(KeychainError) -> Item {
    try changing { (change) throws(KeychainError) in
      let index = try change.index(of: item)
      let credential = try change.credential(at: index)
      try item.validate(with: credential)
      return try change.replace(index, with: item, credential, at: clock())
    }
  }

  /// Changes an item's attributes and secret.
  @discardableResult
  public func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try item.validate(with: credential)
    return try changing { (change) throws(KeychainError) in
      try change.replace(try change.index(of: item), with: item, credential, at: clock())
    }
  }

  /// Deletes items.
  @discardableResult
  public func delete(_ items: [Item]) throws(KeychainError) -> Int {
    if items.isEmpty { return 0 }
    return try changing { (change) throws(KeychainError) in
      try change.undoing { () throws(KeychainError) in
        var count = 0
        for item in items {
          do throws(KeychainError) {
            try change.retire(try change.index(of: item), .deleted, at: clock())
            count += 1
          } catch .itemNotFound {
            continue
          }
        }
        return count
      }
    }
  }

  /// Runs the body under the vault's lock, and writes once at the end if anything has changed.
  public func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if let change { return try change.undoing(body) }
    let change = try beginChange()
    self.change = change
    defer { self.change = nil }
    let result = try body()
    if isOfCopies, change.lines.count == 0 {
      discard()
      return result
    }
    // Earlier changes by others, or by a merge, were not seen.
    let isSeen = seenMAC != nil && change.beginning?.mac == seenMAC && !change.hasMerged
    try change.commit(at: clock())
    if let mac = change.writtenMAC { seenMAC = isSeen ? mac : nil }
    if change.writtenMAC != nil { sharing?.afterChange() }
    return result
  }

  func changing<Result>(
    _ body: (VaultChange) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    // A savepoint copies the positions of all lines; a single step of a change needs none.
    if let change { return try body(change) }
    return try exclusively { () throws(KeychainError) -> Result in
      guard let change else { throw .itemNotFound }
      return try body(change)
    }
  }

  /// Opens the vault's folder and takes the lock.
  ///
  /// - Throws: what ``checkName`` throws; `KeychainError.missing` if another folder keeps taking its place.
  func lockFolder(patience: Int) throws(KeychainError) -> LockedFolder {
    for _ in 0..<3 {
      let folder = try Folder(creating: location.vaultFolder)
      let lock = try FileLock(VaultLocation.lockName, in: folder, patience: patience) {
        onNotice(.waiting(path: location.vaultFolder + "/" + VaultLocation.lockName))
      }
      try checkName()
      // The path leads elsewhere now: files found by it would be put into the moved folder.
      if folder.wasMovedAway { continue }
      let exchanged = folder.removeStaleTemporaries()
      return LockedFolder(folder: folder, lock: lock, exchanged: exchanged)
    }
    throw .missing(path: location.vaultFile)
  }

  /// - Parameter needsIdentity: whether the identity itself is needed.
  func beginChange(patience: Int? = nil, needsIdentity: Bool = false) throws(KeychainError) -> VaultChange {
    forgetWhatIsLocked()
    // Asking a person must not block others, so it comes before the lock. And if a vault is missing, no folder is
    // made: a disk might be mounted over it later.
    let isThere = key == nil ? try newest() != nil : try isThere()
    if !isThere { try location.refuseHomeOfAnother() }
    let locked = try lockFolder(patience: patience ?? self.patience)
    isPinned = false
    let snapshot = try newest(needsIdentity: needsIdentity)
    if let snapshot, !locked.exchanged.isEmpty {
      TakenOut.settle(locked.exchanged, in: locked.folder, besides: snapshot, at: location)
    }
    // The change takes the lines from the snapshot.
    self.snapshot = nil
    let change = try VaultChange(snapshot, locked, unlocking: unlocking)
    change.isOfCopies = isOfCopies
    // An accepted older state leaves higher numbers, and generations are kept and put back by number.
    if let snapshot, let generations = try Generations(in: location.vaultFolder) {
      let latest = try generations.latestNumber(besides: snapshot.generation.number)
      change.head.generation = max(change.head.generation, latest + 1)
    }
    if !isOfCopies { try mergeOthers(into: change) }
    announce(change)
    return change
  }

  /// Merges the copies that other programs have put beside the file, and writes that were missed.
  private func mergeOthers(into change: VaultChange) throws(KeychainError) {
    var count = try change.mergeCopies(except: Set(notMerged.keys)) { (name, path, error) in
      notMerged[name] = error
      onNotice(.unmerged(path: path, error))
    }
    count += try change.mergeMissed { onNotice(.unmerged(path: $0, $1)) }
    if count > 0 { change.onCommit { [onNotice, count] in onNotice(.merged(copies: count)) } }
  }

  /// Tells the user if a change, which is in place, may not survive a loss of power.
  func tell(_ durability: Durability) {
    if case .unsure(let error) = durability { onNotice(.unsure(error)) }
  }

  /// Once the change is on the disk, tells the user what it couldn't keep.
  func announce(_ change: VaultChange) {
    change.onCommit { [onNotice, tell, unowned change] in
      for path in change.setAside {
        onNotice(Generations.isUnfinished(path) ? .unfinished(path: path) : .setAside(path: path))
      }
      for path in change.leftSlots { onNotice(.slotsLeft(path: path)) }
      if !change.mergedSlots.isEmpty { onNotice(.slotsMerged(change.mergedSlots)) }
      if let error = change.identityFailure {
        let path = change.unlocking.location.stateFolder + "/" + VaultLocation.newIdentityName
        onNotice(.identityNotReplaced(newPath: path, error))
      }
      tell(change.durability)
      if let error = change.noteFailure { onNotice(.unnoted(error)) }
      if let error = change.copyFailure { onNotice(.uncopied(error)) }
    }
  }
}
