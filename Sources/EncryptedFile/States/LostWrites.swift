import Keychain
import PrivateFiles

/// A write last seen in a vault's place that no file there has any more.
struct LostWrite {
  let number: Int64
  /// Whether it is another vault's than the present one.
  let isOfFormer: Bool
  /// Its vault's newest earlier state, if any is newer than the present one.
  let kept: Generation?

  /// - Parameter aside: the folder that the former vault's states were moved into.
  func notice(aside: String?) -> EncryptedFileKeychain.Notice {
    guard isOfFormer, let aside else { return .lost(write: number, kept: kept) }
    return .formerLost(write: number, kept: kept.map { aside + "/" + $0.name })
  }
}

extension EncryptedFileKeychain {
  /// The writes last seen in the vault's place that no file there has any more: a file that came into its place has
  /// replaced their copies, too. A newer vault may come from them. Needs the lock.
  ///
  /// - Throws: `KeychainError` if the folders can't be read.
  func lostWrites(
    besides opened: VaultSnapshot, in folder: borrowing Folder
  ) throws(KeychainError) -> [LostWrite] {
    let present = opened.generation.number
    let noted = try SeenGeneration.noted(at: location).filter {
      $0.uuid != opened.stanzas.uuid || $0.seen.number >= present
    }
    var lost: [LostWrite] = []
    for (uuid, seen) in noted {
      var macs = try folder.names().compactMap { folder.headerMAC(of: $0, ifOf: uuid) }
      var newest: Generation?
      if let generations = try Folder(opening: folder.path(of: Generations.folderName)) {
        macs += try generations.names().compactMap { generations.headerMAC(of: $0, ifOf: uuid) }
        newest = try self.generations().first { generations.vaultUUID(of: $0.name) == uuid }
      }
      if macs.contains(where: { SeenGeneration(number: seen.number, headerMAC: $0) == seen }) { continue }
      let isOfFormer = uuid != opened.stanzas.uuid
      let kept = newest.flatMap { isOfFormer || $0.number > present ? $0 : nil }
      lost.append(LostWrite(number: seen.number, isOfFormer: isOfFormer, kept: kept))
    }
    return lost
  }
}
