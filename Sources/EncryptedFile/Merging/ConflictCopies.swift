import Bytes
import Glibc
import Keychain
import PrivateFiles

/// Copies that a sync program put beside a vault after changes in two places at once.
///
/// Syncthing names them `vault.sync-conflict-DATE-TIME-DEVICE.age`, Dropbox and Nextcloud `vault (… conflicted copy
/// …).age`, or the equivalent in another language: Konflikt, conflicto, conflit. Files with other names, such as a
/// person's own backup, are left alone.
enum ConflictCopies {
  /// The name of a copy that this program puts aside.
  static func newName() -> String { "vault.conflict-\(newDigits()).age" }

  static func names(in folder: borrowing Folder) throws(KeychainError) -> [String] {
    let names = try folder.names(where: isCopy)
    return names.count < 2 ? names : names.sorted()
  }

  /// Whether a file of that name may be a copy. Every answer calls this for every name in the vault's folder, and the
  /// first byte rules out most.
  static func isCopy(_ name: UnsafeRawBufferPointer) -> Bool {
    let (beginning, ending): (StaticString, StaticString) = ("vault", ".age")
    guard name.has(beginning, at: 0), name.has(ending, at: name.count - ending.utf8CodeUnitCount) else {
      return false
    }
    let places = beginning.utf8CodeUnitCount..<name.count
    return places.contains {
      name.hasIgnoringCase("confli", at: $0) || name.hasIgnoringCase("konfli", at: $0)
    }
  }

  /// Opens a copy with the vault's own key.
  ///
  /// - Returns: `nil` if the copy is gone; another process may just have merged it.
  /// - Throws: ``KeychainError/otherKey(path:)`` if the vault's identity was changed here or there;
  ///   ``KeychainError/wrongIdentity(path:)`` if the copy belongs to another vault; other errors for a faulty copy.
  static func open(
    _ name: String, in folder: borrowing Folder, uuid: String, with key: VaultKey, _ unlocking: Unlocking
  ) throws(KeychainError) -> VaultSnapshot? {
    guard let file = try folder.file(name, isTightened: true) else { return nil }
    do throws(KeychainError) {
      return try VaultSnapshot(file, uuid: uuid, with: key, unlocking)
    } catch .wrongIdentity(let path) where folder.vaultUUID(of: name) == uuid {
      throw .otherKey(path: path)
    }
  }

  /// Moves a copy that a person has had merged to the earlier states.
  static func settle(_ merged: VaultSnapshot, in folder: borrowing Folder) throws(KeychainError) {
    for name in try names(in: folder) where folder.headerMAC(of: name) == merged.mac {
      try Generations(creatingIn: folder).take(name, from: folder, as: merged.generation.fileName)
    }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func has(_ text: StaticString, at position: Int) -> Bool {
    let size = text.utf8CodeUnitCount
    guard position >= 0, count - position >= size, let base = baseAddress else { return false }
    return memcmp(base + position, text.utf8Start, size) == 0
  }

  /// The same in any case. `text` is lower-case ASCII letters.
  fileprivate func hasIgnoringCase(_ text: StaticString, at position: Int) -> Bool {
    let size = text.utf8CodeUnitCount
    guard count - position >= size else { return false }
    for offset in 0..<size where self[position + offset] | 0x20 != text.utf8Start[offset] { return false }
    return true
  }
}
