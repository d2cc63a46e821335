import Age
import PrivateFiles

/// What the header of a file tells without opening it: enough to identify a state of a vault.
extension Folder {
  /// The MAC of the header of the named file; `nil` if there is no such file, it has no header, or it can't be read
  /// now.
  borrowing func headerMAC(of name: String) -> [UInt8]? {
    guard let file = try? file(name) else { return nil }
    return try? VaultSnapshot.readHeader(file).0.mac
  }

  /// The UUID of the vault that the named file is a state of; `nil` if that can't be told.
  borrowing func vaultUUID(of name: String) -> String? {
    guard let file = try? file(name), let header = try? VaultSnapshot.readHeader(file).0 else { return nil }
    return try? VaultStanzas(header.stanzas, path: file.path).uuid
  }

  /// The header MAC of the named file, whoever may read it, if it is a state of the vault with this UUID; else `nil`.
  borrowing func headerMAC(of name: String, ifOf uuid: String) -> [UInt8]? {
    guard let file = OpenFile(ofAnyone: name, in: self), let header = try? VaultSnapshot.readHeader(file).0,
      (try? VaultStanzas(header.stanzas, path: file.path).uuid) == uuid
    else { return nil }
    return header.mac
  }
}

extension VaultLocation {
  /// The MAC of the header of the file that is the vault now; `nil` if there is none, or it can't be read.
  var presentMAC: [UInt8]? {
    guard let folder = try? Folder(opening: vaultFolder) else { return nil }
    return folder.headerMAC(of: VaultLocation.vaultName)
  }
}
