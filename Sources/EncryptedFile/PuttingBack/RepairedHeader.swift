import Age
import Bytes
import PrivateFiles

/// A damaged header, with the parts restored that all vaults have in common.
///
/// All of the payload depends on the header, so one wrong byte in it would be the end of a vault without other states.
/// The MAC proves whether the result is the original.
enum RepairedHeader {
  /// The common parts by offset: age's version line, then the stanza of the vault's own recipient, with a share and a
  /// wrapped key of 43 characters each (C2SP age.md, "X25519 recipient stanza"), and the stanza of ``VaultStanzas``
  /// with the vault's UUID.
  private static let constants: [(offset: Int, text: String)] = [
    (0, "age-encryption.org/v1\n-> X25519 "), (75, "\n"), (119, "\n-> llavero/vault "),
  ]

  /// Parses the beginning of a file after restoring these parts; `nil` if none is damaged, or something else is.
  static func parse(_ bytes: UnsafeRawBufferPointer) -> Header? {
    let found = Array(bytes.prefix(Header.maximumSize))
    var start = found
    for (offset, text) in constants {
      guard start.count >= offset + text.utf8.count else { return nil }
      start.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
    }
    return start == found ? nil : start.withUnsafeBytes { try? Header(parsing: $0) }
  }

  /// The same for a file; `nil` also if it can't be read now.
  static func read(_ file: borrowing OpenFile) -> Header? {
    let start = try? file.contents(first: min(file.status.size, Header.maximumSize))
    return start?.withUnsafeBytes { parse($0) }
  }
}
