public import Keychain
import PrivateFiles

extension EncryptedFileKeychain: ChangeReporting {
  /// Calls `report` when the vault's file, or a copy that a sync program puts beside it, has changed. Works before
  /// there is a vault, too.
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

  /// Whether the vault is what this object has written last, so that nobody else has changed anything since.
  package var isAsWritten: Bool {
    guard let lastWrittenMAC, let folder = try? Folder(opening: location.vaultFolder) else { return false }
    return folder.headerMAC(of: VaultLocation.vaultName) == lastWrittenMAC
  }

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
