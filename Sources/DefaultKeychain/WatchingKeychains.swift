public import Keychain

extension DefaultKeychain: ChangeReporting {
  /// Calls `report` when the keychain in use has changed.
  ///
  /// - Throws: `KeychainError` if the choice is unknown, or the keychain can't report changes.
  public func onChange(
    _ report: @escaping @Sendable () -> Void
  ) throws(KeychainError) -> ChangeSubscription {
    try wrapped().reportingChanges().onChange(report)
  }

  /// All items of the keychain in use.
  ///
  /// - Throws: `KeychainError` if the choice is unknown, or the keychain can't be read.
  public func revisions() throws(KeychainError) -> [ItemRevision] {
    try wrapped().reportingChanges().revisions()
  }
}
