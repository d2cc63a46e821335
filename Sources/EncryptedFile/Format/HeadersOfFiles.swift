import Age
import PrivateFiles

/// What the header of a file tells that nobody has opened: enough to know a state of a vault by.
extension Folder {
  /// The MAC of the header of the file of that name; `nil` if there is none, or it has none, or it can't be read now.
  borrowing func headerMAC(of name: String) -> [UInt8]? {
    guard let file = try? file(name) else { return nil }
    return try? VaultSnapshot.readHeader(file).0.mac
  }

  /// Which vault the file of that name is a state of; `nil` where that can't be told.
  borrowing func vaultUUID(of name: String) -> String? {
    guard let file = try? file(name), let header = try? VaultSnapshot.readHeader(file).0 else { return nil }
    return try? VaultStanzas(header.stanzas, path: file.path).uuid
  }
}
