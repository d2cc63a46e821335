import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// The highest number of a write that is known here: of the earlier states, the last writes and what was seen last; 0
  /// if there is none.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  func latestNumber(
    of uuid: String, _ key: VaultKey, in folder: borrowing Folder
  ) throws(KeychainError) -> Int64 {
    var latest = try Generations(in: location.vaultFolder)?.latestNumber() ?? 0
    for write in try NewestWrite.openAll(in: folder, uuid: uuid, with: key, unlocking) {
      latest = max(latest, write.snapshot.generation.number)
    }
    if case .seen(let seen) = try SeenGeneration.remembered(of: uuid, key, in: StateFolder(location)).memory {
      latest = max(latest, seen.number)
    }
    return latest
  }
}
