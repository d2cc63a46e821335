public import Keychain
import PrivateFiles

extension EncryptedFileKeychain: ChangeReporting {
  /// Calls `report` when the vault's file, or a sync program's copy beside it, has changed, even without a vault yet.
  ///
  /// - Throws: `KeychainError.system` if the vault's folder can't be watched.
  public func onChange(
    _ report: @escaping @Sendable () -> Void
  ) throws(KeychainError) -> ChangeSubscription {
    let watch = try FolderWatch(
      location.vaultFolder,
      isWanted: { $0.elementsEqual(VaultLocation.vaultName.utf8) || ConflictCopies.isCopy($0) },
      report: report)
    return ChangeSubscription { watch.stop() }
  }

  /// Whether the vault is as read by ``allItems()``, apart from this object's own changes since: nobody else has
  /// changed anything before or after.
  package var isAsSeen: Bool {
    guard let seenMAC else { return false }
    return presentMAC == seenMAC
  }

  /// The MAC of the vault's header, which each write changes; `nil` if there is no vault, or it can't be read.
  package var presentMAC: [UInt8]? { location.presentMAC }

  /// Every item of one generation.
  ///
  /// - Throws: as ``items(matching:)`` does.
  public func revisions() throws(KeychainError) -> [ItemRevision] {
    var revisions: [ItemRevision] = []
    try withLines(beginning: []) { (lines, _) throws(KeychainError) in
      for index in lines.inUse {
        let record = try lines.record(at: index, path: location.vaultFile)
        revisions.append(ItemRevision(record.item, number: record.revision))
      }
    }
    return revisions
  }
}
