import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// The highest number of a write that is known here: of the earlier states, the last writes and what was seen last.
  ///
  /// - Parameter proven: the number of a state that the vault's key has opened, at least 0.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  func latestNumber(
    of uuid: String, _ key: VaultKey, in folder: borrowing Folder, besides proven: Int64
  ) throws(KeychainError) -> Int64 {
    var latest = proven
    for write in try NewestWrite.openAll(in: folder, uuid: uuid, with: key, unlocking) {
      latest = max(latest, write.snapshot.generation.number)
    }
    if case .seen(let seen) = try SeenGeneration.remembered(of: uuid, key, in: StateFolder(location)).memory {
      latest = max(latest, seen.number)
    }
    return try Generations(in: location.vaultFolder)?.latestNumber(besides: latest) ?? latest
  }
}
