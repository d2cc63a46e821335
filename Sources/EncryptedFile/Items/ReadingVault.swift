import Age
import Bytes
import Glibc
import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// Lends the lines of the change in progress, or else of the newest generation.
  func withLines<Result: ~Copyable>(
    beginning: [UInt8], _ body: (borrowing VaultLines, Range<Int>) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if let change { return try change.withLines(beginning: beginning, body) }
    guard let snapshot = try current() else { return try body(VaultLines(), 0..<0) }
    return try snapshot.withLines(beginning: beginning, body)
  }

  /// The newest generation, unlocked, with the copies beside it merged; `nil` if there is no vault yet.
  func current() throws(KeychainError) -> VaultSnapshot? {
    if isPinned { return snapshot }
    forgetWhatIsLocked()
    guard let snapshot = try newest() else { return nil }
    if copies.isEmpty && !hasMissedWrite || onlyReads { return snapshot }
    if hasMissedWrite {
      hasMissedWrite = false
      // The file there lacks items stored here, so an answer from it would be incomplete.
      try beginChange().commit(at: clock())
      return try newest()
    }
    do throws(KeychainError) {
      // A reader doesn't wait long: another process may be merging already.
      try beginChange(patience: 1).commit(at: clock())
    } catch {
      for name in copies { onNotice(.unmerged(path: location.vaultFolder + "/" + name, error)) }
      for name in copies { notMerged[name] = error }
    }
    return try newest()
  }

  /// The newest generation, unlocked; the same object as before if nobody wrote. `nil` if there is no vault yet.
  ///
  /// - Parameter needsIdentity: whether the identity itself is needed, not only an agent's answers.
  /// - Throws: ``KeychainError/rolledBack(path:generation:seen:)``, ``KeychainError/replaced(path:former:)``.
  func newest(needsIdentity: Bool = false) throws(KeychainError) -> VaultSnapshot? {
    let state = StateFolder(location)
    guard let opened = try newestWhateverWasSeen(needsIdentity: needsIdentity, state) else { return nil }
    if let snapshot, snapshot === opened { return opened }
    if !isAccepting, !isOfCopies, let error = try rollback(opened, state) {
      // Another process may have written since the file was opened.
      guard let file = try vaultFile(), file.status != opened.status else { throw error }
      return try newest(needsIdentity: needsIdentity)
    }
    snapshot = opened
    return opened
  }

  /// The newest generation, even if a newer one has been seen before.
  private func newestWhateverWasSeen(
    needsIdentity: Bool = false, _ state: StateFolder
  ) throws(KeychainError) -> VaultSnapshot? {
    var attempts = 3
    while true {
      guard let file = try vaultFile() else {
        snapshot = nil
        return nil
      }
      if let snapshot, snapshot.status == file.status,
        !needsIdentity || snapshot.key.identity is X25519Identity
      {
        return snapshot
      }
      let status = file.status
      do throws(KeychainError) {
        return try unlock(file, needsIdentity: needsIdentity, state)
      } catch {
        // The key may have been replaced after the file was opened; then there is a new file.
        attempts -= 1
        if attempts > 0, error.isAboutUnlocking, let newer = try vaultFile(), newer.status != status {
          continue
        }
        throw error
      }
    }
  }

  /// Takes over another keychain's key and membership, so that nobody is asked again.
  func use(_ other: EncryptedFileKeychain) {
    key = other.key
    membership = other.membership
  }

  /// Opens a vault's file with the key that opened it before, or else in any other way.
  func unlock(
    _ file: consuming OpenFile, needsIdentity: Bool = false, _ state: StateFolder? = nil
  ) throws(KeychainError) -> VaultSnapshot {
    var keptVault = keptVault
    let opened = try VaultSnapshot(file) { (header, stanzas) throws(KeychainError) in
      let unlocked = try unlock(header, stanzas, needsIdentity: needsIdentity, state, &keptVault)
      // If the contents are damaged, nobody is asked again for the earlier generations.
      key = unlocked.key
      return unlocked
    }
    self.keptVault = keptVault
    return opened
  }

  func unlock(_ header: Header, _ stanzas: VaultStanzas) throws(KeychainError) -> UnlockedHeader {
    var keptVault: String?
    return try unlock(header, stanzas, needsIdentity: false, nil, &keptVault)
  }

  private func unlock(
    _ header: Header, _ stanzas: VaultStanzas, needsIdentity: Bool, _ state: StateFolder?,
    _ keptVault: inout String?
  ) throws(KeychainError) -> UnlockedHeader {
    // Another process's write is no reason to ask a second time.
    if let key, !needsIdentity || key.identity is X25519Identity {
      do throws(KeychainError) {
        if let unlocked = try unlocking.open(header, with: key) { return unlocked }
      } catch .locked {
        // The agent may keep another key of the vault by now.
      }
    }
    var unlocking = unlocking
    unlocking.needsIdentity = needsIdentity
    unlocking.state = state
    var way = Unlocking.Way.identityFile
    let unlocked = try unlocking.unlock(header, stanzas, for: .use, by: &way)
    let isKept =
      switch way {
      case .identityFile: false
      case .keptKey: true
      case .slot, .passphrase: unlocking.cache?.key(of: stanzas.uuid) != nil
      }
    keptVault = isKept ? stanzas.uuid : nil
    return unlocked
  }

  /// The vault's file; `nil` if there is none yet.
  ///
  /// - Throws: ``KeychainError/missing(path:)`` and ``KeychainError/elsewhere(path:known:)`` if there was one;
  ///   ``KeychainError/notMember(keychain:recipient:label:wasBefore:)``.
  func vaultFile() throws(KeychainError) -> OpenFile? {
    try refuseExcluded()
    if let file = try openVault() { return file }
    guard let absence = try absence() else { return nil }
    // Another process may have made the vault since the first look.
    if let file = try openVault() { return file }
    throw absence
  }

  func openVault() throws(KeychainError) -> OpenFile? {
    guard let folder = try Folder(opening: location.vaultFolder) else { return nil }
    if !isOfCopies { copies = try ConflictCopies.names(in: folder).filter { notMerged[$0] == nil } }
    return try folder.file(VaultLocation.vaultName)
  }
}

extension KeychainError {
  /// Whether another key would have helped.
  fileprivate var isAboutUnlocking: Bool {
    switch self {
    case .wrongIdentity, .missing, .locked, .noSlotOpens, .slot: true
    default: false
    }
  }
}
