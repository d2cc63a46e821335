import Age
import Bytes
import Glibc
public import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// The error if a state older than the seen one, or another vault, is in the vault's place.
  func rollback(_ opened: VaultSnapshot, _ state: StateFolder) throws(KeychainError) -> KeychainError? {
    let uuid = opened.stanzas.uuid
    let generation = opened.generation
    var newer: SeenGeneration?
    let (memory, isHere) = try SeenGeneration.remembered(of: uuid, opened.key, in: state)
    if !isHere, try state.lending(SeenGeneration.hasOther(than: uuid, at: location.vaultFile)) ?? false {
      return .replaced(
        path: location.vaultFile, former: FormerVault.lastState(otherThan: uuid, at: location))
    }
    switch memory {
    case .seen(generation):
      // A vault that has moved must be missed at its new place, should it disappear.
      if !isHere, !onlyReads { try? rememberUnlessWritten(opened) }
      return nil
    case .seen(let seen) where seen.number >= generation.number:
      if try hasReplacedUnseen(opened, seen) { return nil }
      newer = seen
    case .otherKey: break
    case .seen, .nothing:
      // Until it is merged, the unseen write counts as the last one seen.
      if try hasReplacedUnseen(opened) { return nil }
      tellUndecided(opened)
      // Failing to remember it must not prevent an answer.
      if !onlyReads { try? rememberUnlessWritten(opened) }
      return nil
    }
    if let newer, let folder = try Folder(opening: location.vaultFolder) {
      // A sync program may have put the newer one aside as a copy.
      for name in try ConflictCopies.names(in: folder) {
        let copy = try? ConflictCopies.open(name, in: folder, uuid: uuid, with: opened.key, unlocking)
        if copy?.generation == newer { return nil }
      }
    }
    return .rolledBack(path: location.vaultFile, generation: generation.number, seen: newer?.number)
  }

  /// Whether a generation has replaced a last write that it doesn't come from.
  ///
  /// - Parameter seen: this write must be or come from it: somebody may have put an older state there, too.
  private func hasReplacedUnseen(
    _ opened: VaultSnapshot, _ seen: SeenGeneration? = nil
  ) throws(KeychainError) -> Bool {
    guard let folder = try Folder(opening: location.vaultFolder) else { return false }
    let missed = try NewestWrite.findMissed(by: opened, opened.first.head, in: folder, unlocking)
    let counts = missed.contains { write in
      guard let seen else { return true }
      return write.snapshot.generation == seen || write.snapshot.first.head.past.contains(seen)
    }
    if counts { hasMissedWrite = true }
    return counts
  }

  /// Reports last writes that a generation first seen here may lack. The next change puts them aside.
  private func tellUndecided(_ opened: VaultSnapshot) {
    guard let folder = try? Folder(opening: location.vaultFolder) else { return }
    for path in (try? undecidedWrites(besides: opened, in: folder)) ?? [] { onNotice(.undecided(path: path)) }
  }

  /// Remembers another process's generation. This takes the lock, and is skipped while a writer holds it, because the
  /// writer remembers its own generation. A slow reader would otherwise overwrite the writer's note, and if the writer
  /// has changed the vault's key meanwhile, everybody would take the vault for an older one.
  private func rememberUnlessWritten(_ opened: VaultSnapshot) throws(KeychainError) {
    guard let folder = try Folder(opening: location.vaultFolder) else { return }
    let lock = try FileLock(VaultLocation.lockName, in: folder, patience: 0) {}
    defer { withExtendedLifetime(lock) {} }
    guard let file = try openVault(), file.status == opened.status else { return }
    try opened.generation.remember(of: opened.stanzas.uuid, opened.key, at: location)
    NewestWrite.forget(knownTo: opened.first.head, in: folder)
  }

  /// Accepts the vault as it is as its newest state. The next write gets a number beyond those of all kept states.
  ///
  /// - Throws: `KeychainError.itemNotFound` if there is no vault; what locking, unlocking and writing throw.
  public func acceptRollback() throws(KeychainError) {
    if try vaultFile() == nil { throw .itemNotFound }
    isAccepting = true
    defer { isAccepting = false }
    // Nothing is noted as seen before it is merged: answers would come from it at once.
    if try acceptWhatIsThere() { try beginChange().commit(at: clock()) }
    if let opened = snapshot {
      try SeenGeneration.forgetPlace(ofOthersThan: opened.stanzas.uuid, at: location)
    }
  }

  /// Returns whether there is a last write to merge. If not, the vault is noted as seen.
  private func acceptWhatIsThere() throws(KeychainError) -> Bool {
    let locked = try lockFolder(patience: patience)
    defer { withExtendedLifetime(locked) {} }
    guard let opened = try newest() else { throw .itemNotFound }
    let (head, uuid) = (opened.first.head, opened.stanzas.uuid)
    let lost = try lostWrites(besides: opened, in: locked.folder)
    let former = try FormerVault.putAside(otherThan: uuid, in: locked.folder)
    if let (path, durability) = former {
      onNotice(.formerPutAside(path: path))
      tell(durability)
    }
    for write in lost { onNotice(write.notice(aside: former?.path)) }
    let missed = try NewestWrite.findMissed(by: opened, head, in: locked.folder, unlocking)
    let own = location.newestWriteName
    switch try NewestWrite.look(at: own, besides: opened, head, in: locked.folder, unlocking) {
    case .known, .missed: break
    case .ahead, .undecided, .otherKey, .notOpened:
      // It has replaced something seen here, which is being accepted.
      if let path = try NewestWrite.setAside(own, as: nil, isUnfinished: false, in: locked.folder) {
        unlinkat(locked.folder.descriptor, own, 0)
        onNotice(.setAside(path: path))
      }
    }
    if missed.isEmpty { try opened.generation.remember(of: uuid, opened.key, at: location) }
    return !missed.isEmpty
  }
}
