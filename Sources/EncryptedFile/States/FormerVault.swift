import Age
import Glibc
import Keychain
import PrivateFiles

/// Another vault's files in a vault's folder, from before this one took its place.
enum FormerVault {
  /// The path of its last state that still exists. `uuid` is the present vault's.
  static func lastState(otherThan uuid: String, at location: VaultLocation) -> String? {
    guard let folder = try? Folder(opening: location.vaultFolder) else { return nil }
    let newest = location.newestWriteName
    if isOther(than: uuid, newest, in: folder) { return folder.path(of: newest) }
    guard let generations = try? Folder(opening: folder.path(of: Generations.folderName)),
      let listed = try? Generations(in: folder.path)?.list()
    else { return nil }
    return listed.first { isOther(than: uuid, $0.name, in: generations) }?.path
  }

  /// Moves its last writes and earlier states into a new folder. Otherwise the present vault would number them among
  /// its own, and remove them accordingly. Needs the vault's lock.
  ///
  /// - Returns: the folder's path, and whether that survives a loss of power; `nil` if there was nothing to move.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  static func putAside(
    otherThan uuid: String, in folder: borrowing Folder
  ) throws(KeychainError) -> (path: String, Durability)? {
    let aside = folder.path(of: VaultTraces.newFolderName())
    var durability = try putAside(
      otherThan: uuid, folder.names(where: VaultLocation.isNewestWriteName), of: folder, into: aside)
    if let generations = try Folder(opening: folder.path(of: Generations.folderName)),
      let isLasting = try putAside(
        otherThan: uuid, generations.names().filter(Generations.isOwnName), of: generations, into: aside)
    {
      durability = durability ?? .lasting
      durability?.join(isLasting)
    }
    return durability.map { (aside, $0) }
  }

  private static func putAside(
    otherThan uuid: String, _ names: [String], of folder: borrowing Folder, into aside: String
  ) throws(KeychainError) -> Durability? {
    let names = names.filter { isOther(than: uuid, $0, in: folder) }
    return try VaultTraces.put(names, of: folder, into: aside)
  }

  /// Whether a file is another vault's state. An unreadable one may be this vault's.
  private static func isOther(than uuid: String, _ name: String, in folder: borrowing Folder) -> Bool {
    folder.vaultUUID(of: name).map { $0 != uuid } ?? false
  }
}
