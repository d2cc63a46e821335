import Keychain
import PrivateFiles

/// Copies of a vault that a sync program has put beside it, because the vault was changed in two places at once.
///
/// Syncthing calls them `vault.sync-conflict-DATE-TIME-DEVICE.age`, Dropbox and Nextcloud
/// `vault (… conflicted copy …).age`, or in the words of another language: Konflikt, conflicto, conflit. What is called
/// otherwise, as a person's own backup may be, is left alone.
enum ConflictCopies {
  /// What a copy is called that this program has to put aside itself.
  static func newName() -> String { "vault.conflict-\(randomHexadecimal(bytes: 8)).age" }

  /// The names of what may be copies, in their order.
  static func names(in folder: borrowing Folder) throws(KeychainError) -> [String] {
    try folder.names().filter(isCopy).sorted()
  }

  static func isCopy(_ name: String) -> Bool {
    guard name.hasPrefix("vault"), name.hasSuffix(".age"), name != VaultLocation.vaultName else {
      return false
    }
    let small = Array(name.lowercased().utf8)
    return (0..<small.count).contains { start in
      small[start...].starts(with: "confli".utf8) || small[start...].starts(with: "konfli".utf8)
    }
  }

  /// Opens a copy with the vault's own key.
  ///
  /// - Returns: `nil` if it is gone, for another process may just have merged it.
  /// - Throws: ``KeychainError/wrongIdentity(path:)`` if it is not of this vault, or of a time before its identity was
  ///   changed; what is wrong with it.
  static func open(
    _ name: String, in folder: borrowing Folder, uuid: String, with key: VaultKey, _ unlocking: Unlocking
  ) throws(KeychainError) -> VaultSnapshot? {
    guard let file = try folder.file(name, isTightened: true) else { return nil }
    let path = file.path
    return try VaultSnapshot(file) { (header, stanzas) throws(KeychainError) in
      guard stanzas.uuid == uuid, let unlocked = try unlocking.open(header, with: key) else {
        throw .wrongIdentity(path: path)
      }
      return unlocked
    }
  }
}
