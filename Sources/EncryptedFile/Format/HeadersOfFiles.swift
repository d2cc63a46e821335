import Age
import PrivateFiles

extension Folder {
  /// The MAC of the named file's header; `nil` if there is no such file or header, or it can't be read now.
  borrowing func headerMAC(of name: String) -> [UInt8]? {
    guard let file = try? file(name) else { return nil }
    return try? VaultSnapshot.readHeader(file).0.mac
  }

  /// The UUID of the vault of which the named file is a state; `nil` if it is unknown.
  borrowing func vaultUUID(of name: String) -> String? {
    guard let file = try? file(name), let header = try? VaultSnapshot.readHeader(file).0 else { return nil }
    return try? VaultStanzas(header.stanzas, path: file.path).uuid
  }

  /// The header MAC of the named file, whoever may read it, if it is a state of the vault with this UUID.
  borrowing func headerMAC(of name: String, ifOf uuid: String) -> [UInt8]? {
    guard let file = OpenFile(ofAnyone: name, in: self), let header = try? VaultSnapshot.readHeader(file).0,
      (try? VaultStanzas(header.stanzas, path: file.path).uuid) == uuid
    else { return nil }
    return header.mac
  }
}

extension VaultLocation {
  /// The header MAC of the present vault; `nil` if there is none, or it can't be read.
  var presentMAC: [UInt8]? {
    guard let folder = try? Folder(opening: vaultFolder) else { return nil }
    return folder.headerMAC(of: VaultLocation.vaultName)
  }
}
