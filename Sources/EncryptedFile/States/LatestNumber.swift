import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// The highest number of a write that is known here: of the earlier states, the last writes and what was seen last; 0
  /// if there is none.
  ///
  /// - Parameter opened: a generation that doesn't count.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  func latestNumber(
    of uuid: String, _ key: VaultKey, in folder: borrowing Folder, besides opened: SeenGeneration? = nil
  ) throws(KeychainError) -> Int64 {
    var latest: Int64 = 0
    for generation in try generations() where generation.name != opened?.fileName {
      latest = max(latest, generation.number)
    }
    for write in try NewestWrite.openAll(in: folder, uuid: uuid, with: key, unlocking)
    where write.snapshot.generation != opened {
      latest = max(latest, write.snapshot.generation.number)
    }
    if case .seen(let seen) = try SeenGeneration.remembered(of: uuid, key, in: StateFolder(location)).memory,
      seen != opened
    {
      latest = max(latest, seen.number)
    }
    return latest
  }
}
