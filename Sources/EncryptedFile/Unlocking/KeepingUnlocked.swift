import Age
public import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// The result of unlocking a vault.
  public enum Unlocked: Hashable, Sendable {
    /// There is no vault yet.
    case noVault
    /// This machine's identity file opens it at any time.
    case notNeeded
    /// It was unlocked already.
    case already(UnlockState)
    /// It is unlocked now.
    case kept(UnlockState)
  }

  /// Makes the cache keep the vault unlocked from now on, within the cache's limits.
  ///
  /// - Parameter anew: whether to ask for the passphrase and restart the limits even if the vault is unlocked.
  /// - Throws: as ``items(matching:)`` does; `KeychainError.unavailable` without a cache; what keeping the key
  ///   throws.
  public func unlock(anew: Bool) throws(KeychainError) -> Unlocked {
    guard let cache = unlocking.cache, cache.mode != .none else {
      throw .unavailable(reason: "nothing is to keep it unlocked")
    }
    guard let file = try vaultFile() else { return .noVault }
    var way = Unlocking.Way.identityFile
    let opened = try VaultSnapshot(file) { (header, stanzas) throws(KeychainError) in
      try unlocking.unlock(header, stanzas, for: anew ? .keepingAnew : .keeping, by: &way)
    }
    key = opened.key
    keptVault = way == .identityFile ? nil : opened.stanzas.uuid
    snapshot = opened
    if way == .identityFile { return .notNeeded }
    guard let state = cache.state(of: opened.stanzas.uuid) else {
      throw .unavailable(reason: "the unlock cache has forgotten it")
    }
    return way == .keptKey ? .already(state) : .kept(state)
  }

  /// Makes the cache keep the vault unlocked from now on, because a person has just typed the passphrase that opens it.
  ///
  /// - Throws: what keeping the key throws.
  package func keepUnlocked() throws(KeychainError) {
    guard let cache = unlocking.cache, let key, let identity = key.identity as? X25519Identity,
      let file = try vaultFile()
    else { return }
    try cache.keep(identity, key.authenticationKey, of: try VaultSummary.stanzas(of: file).uuid)
  }

  /// How long the vault stays unlocked; `nil` if it is locked, or its key is in the identity file.
  ///
  /// - Throws: as ``items(matching:)`` does, but not for a locked vault.
  public func unlockState() throws(KeychainError) -> UnlockState? {
    guard let cache = unlocking.cache, let file = try vaultFile() else { return nil }
    return cache.state(of: try VaultSummary.stanzas(of: file).uuid)
  }

  /// The result of locking a vault.
  public enum Locked: Hashable, Sendable {
    /// There is no vault yet.
    case noVault
    /// A key on this machine, of the identity file or of a slot, opens it without asking anybody.
    case notPossible
    /// It is locked now.
    case locked
    /// This process has forgotten its key, but the live agents in these folders don't answer and may still have it.
    case kept(byAgentsIn: [String])
  }

  /// Makes the cache forget the vault's key, wherever it is kept.
  ///
  /// - Throws: as ``items(matching:)`` does, but not for a locked vault.
  public func lock() throws(KeychainError) -> Locked {
    let found: OpenFile?
    do throws(KeychainError) {
      found = try vaultFile()
    } catch {
      // A key may be kept of any vault that was seen here.
      for uuid in SeenGeneration.uuids(in: location.stateFolder) { unlocking.cache?.forget(uuid) }
      throw error
    }
    guard let file = found else { return .noVault }
    let (header, stanzas) = try header(of: file)
    let folders = unlocking.cache?.forget(stanzas.uuid) ?? []
    key = nil
    snapshot = nil
    if !folders.isEmpty { return .kept(byAgentsIn: folders) }
    return try unlocking.opensByKeyOfThisMachine(header, stanzas) ? .notPossible : .locked
  }

  /// Whether a key on this machine opens the vault without asking anybody, so that it can't be locked. Nobody is asked
  /// for a vault that isn't there yet, either.
  ///
  /// - Throws: as ``lock()`` does.
  package func opensUnasked() throws(KeychainError) -> Bool {
    guard let file = try vaultFile() else { return true }
    let (header, stanzas) = try header(of: file)
    return try unlocking.opensByKeyOfThisMachine(header, stanzas)
  }

  private func header(of file: borrowing OpenFile) throws(KeychainError) -> (Header, VaultStanzas) {
    let (header, _) = try VaultSnapshot.readHeader(file)
    return (header, try VaultStanzas(header.stanzas, path: file.path))
  }

  /// Forgets a vault's key if the cache has forgotten it: its time is over, or another process has locked the vault. A
  /// key never given to the cache is kept.
  func forgetWhatIsLocked() {
    guard let keptVault, let cache = unlocking.cache, cache.key(of: keptVault) == nil else { return }
    key = nil
    snapshot = nil
  }
}
