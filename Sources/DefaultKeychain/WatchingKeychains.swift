public import Keychain

extension DefaultKeychain: ChangeReporting {
  /// Has `report` called when the keychain that is used now has changed.
  ///
  /// - Throws: `KeychainError` if it can't be told which that is, or if it can't tell of changes.
  public func onChange(
    _ report: @escaping @Sendable () -> Void
  ) throws(KeychainError) -> ChangeSubscription {
    try store().reportingChanges().onChange(report)
  }

  /// Every item of the keychain that is used now.
  ///
  /// - Throws: `KeychainError` if it can't be told which that is, or if it can't be read.
  public func revisions() throws(KeychainError) -> [ItemRevision] {
    try store().reportingChanges().revisions()
  }

  /// Whether the keychain that would be used now could keep a secret. Where none was chosen yet, none is by that.
  public func probe() -> KeychainReadiness {
    do throws(KeychainError) {
      return try store().probe()
    } catch {
      return KeychainReadiness(readingFailedWith: error)
    }
  }
}
