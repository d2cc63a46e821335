package import Keychain

extension EncryptedFileKeychain {
  /// Whether somebody would have to be asked before reading the vault. A vault that isn't there yet is not locked.
  /// Asks nobody itself, if made without a source of passphrases.
  ///
  /// - Throws: ``KeychainError`` if the vault can't be used at all.
  package func isLocked() throws(KeychainError) -> Bool {
    do throws(KeychainError) {
      forgetWhatIsLocked()
      _ = try newest()
      return false
    } catch {
      switch error {
      case .locked, .promptDismissed: return true
      default: throw error
      }
    }
  }
}
