import Age
import Bytes
import Glibc
package import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// Puts a shared vault in this place if there is none yet, or only an earlier state of the same vault that nothing
  /// here has ever opened. So a vault is locked, never empty, for a person who isn't a member yet.
  ///
  /// - Parameters:
  ///   - whole: the file.
  ///   - place: where it comes from, for errors.
  /// - Returns: whether it was put there.
  /// - Throws: `KeychainError.damaged` if it is no vault; `.wrongIdentity` if it is not the one here; what reading
  ///   and writing throw.
  @discardableResult
  package func take(_ whole: [UInt8], from place: String) throws(KeychainError) -> Bool {
    if try isSeen() { return false }
    let header = try header(of: whole, from: place)
    let uuid = try VaultStanzas(header.stanzas, path: place).uuid
    // Only a real vault is a reason to make a folder.
    let locked = try lockFolder(patience: patience)
    if let file = try openVault() {
      let present = try VaultSnapshot.readHeader(file).0
      guard try VaultStanzas(present.stanzas, path: file.path).uuid == uuid else {
        throw .wrongIdentity(path: place)
      }
      if present.mac == header.mac { return false }
    } else if let absence = try absence() {
      throw absence
    }
    let durability = try whole.lendingBytes { (bytes) throws(KeychainError) in
      try locked.folder.replace(VaultLocation.vaultName, with: bytes)
    }
    snapshot = nil
    tell(durability)
    return true
  }

  /// Puts a shared vault in this place to replace a damaged or lost copy. Anything there is put aside.
  ///
  /// - Parameters:
  ///   - whole: the file. Its key is trusted.
  ///   - path: the absolute path of the identity's file that has to open it.
  ///   - place: where it comes from, for errors.
  /// - Returns: the folders with the former files.
  /// - Throws: `KeychainError.damaged` if it is no vault; `.wrongIdentity` if another one was here; `.otherKey` if
  ///   the identity doesn't open it; what reading and writing throw.
  package func takeAnew(
    _ whole: [UInt8], openedBy path: String, from place: String
  ) throws(KeychainError) -> [String] {
    let header = try header(of: whole, from: place)
    let stanzas = try VaultStanzas(header.stanzas, path: place)
    let seen = try Folder(opening: location.stateFolder)?.names(where: SeenGeneration.isFileName) ?? []
    if !seen.isEmpty, !seen.contains(stanzas.uuid + ".seen") { throw .wrongIdentity(path: place) }
    guard try slot(of: header, stanzas, openedBy: path) != nil else { throw .otherKey(path: place) }
    let locked = try lockFolder(patience: patience)
    var (aside, durability) = try VaultTraces.putAside(at: location, in: locked.folder)
    key = nil
    snapshot = nil
    durability.join(
      try whole.lendingBytes { (bytes) throws(KeychainError) in
        try locked.folder.replace(VaultLocation.vaultName, with: bytes)
      })
    tell(durability)
    return aside
  }

  /// Whether a file is a state of this vault.
  ///
  /// - Parameter place: where it comes from, for errors.
  /// - Throws: `KeychainError.damaged` if it is no vault; what reading throws.
  package func isSame(as whole: [UInt8], from place: String) throws(KeychainError) -> Bool {
    guard let file = try openVault() else { return false }
    let present = try VaultSnapshot.readHeader(file).0
    return try VaultStanzas(present.stanzas, path: file.path).uuid
      == VaultStanzas(try header(of: whole, from: place).stanzas, path: place).uuid
  }

  private func header(of whole: [UInt8], from place: String) throws(KeychainError) -> Header {
    do throws(AgeError) {
      return try whole.lendingBytes { (bytes) throws(AgeError) in try Header(parsing: bytes) }
    } catch {
      throw KeychainError(error, path: place)
    }
  }

  /// Makes room for a state of the vault that an identity opens, if nothing opens the one here: somebody was let in
  /// again, perhaps with another key. The one here is kept beside it.
  ///
  /// - Parameters:
  ///   - whole: that state.
  ///   - path: the absolute path of the identity's file.
  ///   - place: where it comes from, for errors.
  /// - Returns: whether the identity opens it. Then ``take(_:from:)`` puts it in place.
  /// - Throws: `KeychainError.wrongIdentity` if it is another vault; what reading and writing throw.
  package func makeRoom(
    for whole: [UInt8], openedBy path: String, from place: String
  ) throws(KeychainError) -> Bool {
    let header = try header(of: whole, from: place)
    let stanzas = try VaultStanzas(header.stanzas, path: place)
    guard try isSame(as: whole, from: place) else { throw .wrongIdentity(path: place) }
    guard try slot(of: header, stanzas, openedBy: path) != nil else { return false }
    let locked = try lockFolder(patience: patience)
    defer { withExtendedLifetime(locked) {} }
    var number = 1
    while FileStatus.isThere("\(location.vaultFile)~\(number)") { number += 1 }
    let kept = "\(location.vaultFile)~\(number)"
    guard link(location.vaultFile, kept) == 0 else {
      throw .system(operation: "make", path: kept, errno: errno)
    }
    unlink("\(location.stateFolder)/\(stanzas.uuid).seen")
    key = nil
    snapshot = nil
    return true
  }

  /// The slot that an identity opens; `nil` if it opens none.
  private func slot(
    of header: Header, _ stanzas: VaultStanzas, openedBy path: String
  ) throws(KeychainError) -> String? {
    guard let identities = try Unlocking.identities(inFile: path) else { throw .missing(path: path) }
    for slot in stanzas.slots where slot.kind.isOpenedByKey {
      guard let opened = try? unlocking.open(slot, with: identities),
        (try? unlocking.open(header, with: VaultKey(opened, uuid: ""))) != nil
      else { continue }
      return slot.id
    }
    return nil
  }

  private func isSeen() throws(KeychainError) -> Bool {
    guard let file = try openVault() else { return false }
    let present = try VaultSnapshot.readHeader(file).0
    let uuid = try VaultStanzas(present.stanzas, path: file.path).uuid
    guard let state = try Folder(opening: location.stateFolder) else { return false }
    return try state.contains(uuid + ".seen")
  }

  /// Notes on this machine which slot an identity opens, so that no other is tried first.
  ///
  /// - Parameter path: the absolute path of the identity's file.
  /// - Returns: the slot's identifier; `nil` if the identity opens none.
  /// - Throws: `KeychainError.missing` if there is no such file; what reading and writing throw.
  @discardableResult
  package func noteIdentity(_ path: String) throws(KeychainError) -> String? {
    guard let file = try vaultFile() else { return nil }
    let (header, _) = try VaultSnapshot.readHeader(file)
    let stanzas = try VaultStanzas(header.stanzas, path: file.path)
    guard let id = try slot(of: header, stanzas, openedBy: path) else { return nil }
    let locked = try lockFolder(patience: patience)
    defer { withExtendedLifetime(locked) {} }
    let folder = try Folder(creating: location.localSlotsFolder)
    if try LocalSlot.read(id, in: folder) != .identity(path: path) {
      tell(try LocalSlot.identity(path: path).write(id, in: folder))
    }
    return id
  }

  /// The copies of the slots, for programs that know age and no keychain: an identifier and an age file each.
  ///
  /// - Throws: what reading throws.
  package func slotFiles() throws(KeychainError) -> [(id: String, file: [UInt8])] {
    guard let file = try vaultFile() else { return [] }
    let (header, _) = try VaultSnapshot.readHeader(file)
    return try VaultStanzas(header.stanzas, path: file.path).slots.map { ($0.id, $0.file) }
  }

  /// The hexadecimal digits of the header MAC, which tells the vault's file from every other; `nil` if there is none.
  package var stateName: String? { location.presentMAC.map { hexadecimal($0) } }
}
