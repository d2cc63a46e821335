import Age
import Bytes
import Keychain
import PrivateFiles

extension VaultChange {
  /// Writes the new generation, reads it back with every reader's code, and replaces the old one with it.
  ///
  /// - Throws: `KeychainError.missing` if the vault's folder was moved away meanwhile: it has the change then, but
  ///   not where it is looked for.
  func commit(at now: Timestamp) throws(KeychainError) {
    guard isDirty, let key, let stanzas else {
      try? putCopiesAway()
      return
    }
    // A write with a fast clock removes nothing extra: only records that had expired by the write before it go.
    let due = min(now, head.written)
    try settleRetired(at: due)
    head.written = now
    if newVault != nil { try noteSlots(stanzas, at: now) }
    let encoded = try EncodedVault(lines, head: head, stanzas: stanzas, key: key, path: path)
    if let newVault {
      try newVault.install(at: unlocking.location, in: locked.folder) { () throws(KeychainError) in
        try write(encoded, key, due: due)
        return durability
      }
    } else if let newIdentityFile {
      let previous = head.previous
      try newIdentityFile.install(at: unlocking.location) { () throws(KeychainError) in
        try write(encoded, key, due: due)
        return durability
      } hasFailed: {
        // If the present file can't be identified, the new one's key is kept.
        guard let file = try? locked.folder.file(VaultLocation.vaultName) else { return false }
        return (try? VaultSnapshot.readHeader(file).0.mac) == previous
      }
      identityFailure = newIdentityFile.failure
    } else {
      try write(encoded, key, due: due)
      // The change is in place; the next write completes anything that is interrupted here.
      if durability == .lasting, let state = try? Folder(opening: unlocking.location.stateFolder) {
        do throws(KeychainError) {
          try NewIdentityFile.complete(key, in: state)
        } catch {
          identityFailure = error
        }
      }
    }
    if locked.folder.wasMovedAway { throw .missing(path: path) }
    // The change is in place; the next one retries anything that fails here.
    try? copySlots(of: stanzas)
    isDirty = false
    for listener in listeners { listener() }
    listeners = []
  }

  /// Removes all earlier generations, once the change is on the disk.
  ///
  /// - Returns: whether they stay away after a loss of power.
  /// - Throws: ``KeychainError/earlierStatesRemain(because:)``, also if the change may not survive a loss of power:
  ///   they would be all that is left.
  func purgeGenerations() throws(KeychainError) -> Durability {
    do throws(KeychainError) {
      try durability.required()
      // A former file that stayed after the exchange is an earlier state, too.
      for name in [VaultLocation.vaultName, newestWriteName] {
        try locked.folder.removeTemporaries(for: name, replaced: before?.status)
      }
      let isGone = try Generations(creatingIn: locked.folder).purge()
      NewestWrite.forget(knownTo: head, besides: hasOwnCopy ? newestWriteName : nil, in: locked.folder)
      return isGone
    } catch {
      throw .earlierStatesRemain(because: error)
    }
  }

  private func keepNewestWrite(_ name: String, _ file: VaultSnapshot) {
    copyFailure = NewestWrite.keep(name, file, as: newestWriteName, in: locked.folder)
  }

  private var hasOwnCopy: Bool {
    guard let mac = locked.folder.headerMAC(of: VaultLocation.vaultName) else { return false }
    return mac == locked.folder.headerMAC(of: newestWriteName)
  }

  private func putCopiesAway() throws(KeychainError) {
    if mergedCopies.isEmpty { return }
    let generations = try Generations(creatingIn: locked.folder)
    for copy in mergedCopies { try generations.take(copy.name, from: locked.folder, as: copy.keptAs) }
    mergedCopies = []
    durability.join(locked.folder.synchronize())
  }

  /// Keeps the last writes that are in no generation yet, also those just merged by this change. Returns their names.
  private func setLastWritesAside() throws(KeychainError) -> [String] {
    var names: [String] = []
    for name in try NewestWrite.names(in: locked.folder)
    where try isToBeKept(name, isOwn: name == newestWriteName) {
      let isUnfinished = try isUnfinished(name)
      let kept = takenIn[name]
      if let path = try NewestWrite.setAside(
        name, as: kept, isUnfinished: isUnfinished, in: locked.folder)
      {
        setAside.append(path)
      }
      names.append(name)
    }
    return names
  }

  /// Whether a copy of the vault is known to be this machine's write, broken off before it was in the vault's place.
  func isUnfinished(_ copy: VaultSnapshot) throws(KeychainError) -> Bool {
    if try Generations(in: locked.folder.path)?.hasUnfinished(copy.mac) == true { return true }
    let own = unlocking.location.newestWriteName
    if locked.folder.headerMAC(of: own) != copy.mac { return false }
    return try isUnfinished(own)
  }

  func isUnfinished(_ name: String) throws(KeychainError) -> Bool {
    guard let beginning, takenIn[name] == nil else { return false }
    switch try NewestWrite.look(at: name, besides: beginning, head, in: locked.folder, unlocking) {
    case .ahead(let isUnfinished), .missed(_, let isUnfinished): return isUnfinished
    case .known, .undecided, .otherKey, .notOpened: return false
    }
  }

  /// Whether a last write may contain something that is neither in an earlier state nor in this change's write.
  ///
  /// - Parameters:
  ///   - isOwn: whether it is this machine's own.
  ///   - asStatesGo: whether the earlier states are about to be removed, and those of other machines with them.
  func isToBeKept(_ name: String, isOwn: Bool, asStatesGo: Bool = false) throws(KeychainError) -> Bool {
    // After a power failure the copy may be empty: nobody waits until it is on the disk.
    if let status = try? locked.folder.status(of: name), status.size == 0 { return false }
    if takenIn[name] != nil { return true }
    if spentWrites.contains(name) { return false }
    // The state that replaces an unreadable vault comes after everything that was seen, and this may be the write that
    // nobody could read. The next change looks at other machines' writes.
    guard let beginning, let uuid = stanzas?.uuid else {
      return isOwn || otherLastWrites.contains { $0.name == name }
    }
    switch try NewestWrite.look(at: name, besides: beginning, head, in: locked.folder, unlocking) {
    case .known: return false
    // It may have been written here, without a note of seeing it.
    case .ahead: return isOwn || asStatesGo
    case .missed, .undecided: return true
    case .otherKey:
      return !NewestWrite.isBeingReplaced(name, of: uuid, in: locked.folder, at: unlocking.location)
    // Its name is about to be reused.
    case .notOpened: return isOwn
    }
  }

  private func write(
    _ encoded: borrowing EncodedVault, _ key: VaultKey, due: Timestamp
  ) throws(KeychainError) {
    if isOfCopies {
      return try locked.folder.replaceWithoutWaiting(VaultLocation.vaultName) { encoded.write(lines, to: $0) }
    }
    var written: VaultSnapshot?
    var putAside: [String] = []
    let displaced = ConflictCopies.newName()
    // Anything in between opens only with the former key, which is about to go.
    let changesKey = beginning.map { $0.key.recipient != key.recipient } ?? false
    let inPlace = try locked.folder.replace(
      VaultLocation.vaultName, replaced: before.map { ($0.status, displaced, changesKey) }
    ) {
      encoded.write(lines, to: $0)
    } verify: { (temporary) throws(KeychainError) in
      guard let file = try locked.folder.file(temporary) else {
        throw .missing(path: locked.folder.path(of: temporary))
      }
      let snapshot = try VaultSnapshot(file) { (header, _) throws(KeychainError) in
        guard let unlocked = try unlocking.open(header, with: key) else { throw .wrongIdentity(path: path) }
        return unlocked
      }
      guard try snapshot.holds(encoded.text, lines) else {
        throw .damaged(path: path, detail: "the file just written can't be read back")
      }
      written = snapshot
      if let beginning, beginning.key.recipient != key.recipient, let uuid = stanzas?.uuid {
        // Either of the two may be there afterwards, and counts as the last seen.
        try snapshot.generation.remember(
          of: uuid, key, at: unlocking.location, besides: beginning.generation, beginning.key)
      }
      if let before {
        try Generations(creatingIn: locked.folder).keep(
          VaultLocation.vaultName, in: locked.folder, before.status, as: before.keptAs,
          displaced: displaced)
      }
      putAside = try setLastWritesAside()
      if !isNew, !changesKey { keepNewestWrite(temporary, snapshot) }
    }
    durability.join(inPlace)
    // No trace of a vault may precede the vault, or it would be missed if this process were killed. A copy with a new
    // key says nothing new, and must not stay if the vault keeps the former one.
    if let written, isNew || changesKey { keepNewestWrite(VaultLocation.vaultName, written) }
    // Without this, a file that arrived since would lose its key.
    if changesKey, let present = locked.folder.headerMAC(of: VaultLocation.vaultName), present != written?.mac
    {
      throw .slot(.changedMeanwhile)
    }
    writtenMAC = written?.mac
    if let stanzas {
      do throws(KeychainError) {
        if before != nil {
          try written?.generation.remember(of: stanzas.uuid, key, at: unlocking.location)
        } else if let written {
          durability.join(
            try written.generation.rememberFirst(of: stanzas.uuid, key, at: unlocking.location))
        }
      } catch {
        noteFailure = error
      }
    }
    if before != nil {
      try? Generations(creatingIn: locked.folder).prune(keyedSince: head.keyedSince, at: due)
    }
    try? putCopiesAway()
    // If this one could not be copied, the former copy is better than none.
    NewestWrite.forget(knownTo: head, putAside, besides: newestWriteName, in: locked.folder)
  }
}

extension EncodedVault {
  /// Returns 0 or an `errno`.
  fileprivate borrowing func write(_ lines: borrowing VaultLines, to descriptor: Int32) -> Int32 {
    var failure: Int32 = 0
    encrypt(lines) { if failure == 0 { failure = writeFully(descriptor, $0) } }
    return failure
  }
}
