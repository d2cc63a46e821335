import Bytes
import Glibc
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
    let names = try folder.names(where: isCopy)
    return names.count < 2 ? names : names.sorted()
  }

  /// Whether a file of that name may be a copy. Asked of every name in the vault's folder at every answer, so the
  /// first byte decides about most of them.
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
  /// - Returns: `nil` if it is gone, for another process may just have merged it.
  /// - Throws: ``KeychainError/wrongIdentity(path:)`` if it is not of this vault, or of a time before its identity was
  ///   changed; what is wrong with it.
  static func open(
    _ name: String, in folder: borrowing Folder, uuid: String, with key: VaultKey, _ unlocking: Unlocking
  ) throws(KeychainError) -> VaultSnapshot? {
    guard let file = try folder.file(name, isTightened: true) else { return nil }
    return try VaultSnapshot(file, uuid: uuid, with: key, unlocking)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes from `position` on begin with a text.
  fileprivate func has(_ text: StaticString, at position: Int) -> Bool {
    let size = text.utf8CodeUnitCount
    guard position >= 0, count - position >= size, let base = baseAddress else { return false }
    return memcmp(base + position, text.utf8Start, size) == 0
  }

  /// The same where a letter may also be a capital one.
  ///
  /// - Parameter text: small letters of ASCII.
  fileprivate func hasIgnoringCase(_ text: StaticString, at position: Int) -> Bool {
    let size = text.utf8CodeUnitCount
    guard count - position >= size else { return false }
    for offset in 0..<size where self[position + offset] | 0x20 != text.utf8Start[offset] { return false }
    return true
  }
}
