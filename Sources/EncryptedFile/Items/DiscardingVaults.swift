import Glibc
package import Keychain

extension EncryptedFileKeychain {
  /// Runs the body under the vault's lock.
  ///
  /// - Throws: `KeychainError` if the lock can't be taken; the body hasn't run then.
  package func whileLocked(_ body: () -> Void) throws(KeychainError) {
    let locked = try lockFolder(patience: patience)
    body()
    withExtendedLifetime(locked) {}
  }

  /// Removes the vault, and then what opens it, as far as possible. For a vault of copies; see ``isOfCopies``.
  package func discard() {
    unlink(location.vaultFile)
    unlink(location.identityFile)
    // Where a process was killed while it made a vault.
    unlink(location.stateFolder + "/" + VaultLocation.newIdentityName)
    (key, snapshot) = (nil, nil)
  }
}
