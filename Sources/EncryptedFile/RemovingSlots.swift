import Age
import Bytes
import Glibc
public import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// Removes a way into the vault. Older copies of the vault still have it.
  ///
  /// - Parameter id: a slot's identifier, or ``SlotSummary/identityFileID``.
  /// - Throws: `KeychainError.SlotFault.notFound`, `KeychainError.SlotFault.lastWayIn`,
  ///   `KeychainError.SlotFault.nothingElseOpens`; what unlocking
  ///   and writing throw.
  public func removeSlot(_ id: String) throws(KeychainError) {
    if id == SlotSummary.identityFileID { return try removeIdentityFile() }
    try changingSlots { (change, identity) throws(KeychainError) in
      guard change.slots.contains(where: { $0.id == id }) else { throw .slot(.notFound(id: id)) }
      try change.removeSlot(id)
      let hasIdentityFile = try unlocking.hasIdentityFile(of: identity)
      guard hasIdentityFile || change.slots.contains(where: { $0.isKnown && $0.isWellFormed }) else {
        throw .slot(.lastWayIn(id: id))
      }
    }
  }

  /// Whether somebody knows a passphrase or a code, or whether a key or a program is here that opens the vault: a
  /// recipient's identity may be nowhere.
  private func opensOtherwise(_ slots: [VaultStanzas.Slot]) throws(KeychainError) -> Bool {
    if slots.contains(where: { $0.isWellFormed && [.passphrase, .recovery].contains($0.kind) }) {
      return true
    }
    guard let file = try openVault() else { return false }
    let (header, _) = try VaultSnapshot.readHeader(file)
    var fault: KeychainError?
    return try unlocking.openWithoutAsking(
      header, try VaultStanzas(header.stanzas, path: file.path), &fault) != nil
  }

  private func removeIdentityFile() throws(KeychainError) {
    let change = try beginSlotChange()
    let id = SlotSummary.identityFileID
    guard let identity = change.key?.identity as? X25519Identity,
      let state = try Folder(opening: location.stateFolder), try unlocking.hasIdentityFile(of: identity)
    else { throw .slot(.notFound(id: id)) }
    guard change.slots.contains(where: { $0.isKnown && $0.isWellFormed }) else {
      throw .slot(.lastWayIn(id: id))
    }
    guard try opensOtherwise(change.slots) else { throw .slot(.nothingElseOpens) }
    for name in [VaultLocation.newIdentityName, VaultLocation.identityName] {
      guard let file = try state.file(name) else { continue }
      let text = IdentityText.replacing(
        identity, with: nil, in: try file.contents(limit: VaultBounds.identityFile))
      if IdentityText.isEmpty(text) {
        if unlinkat(state.descriptor, name, 0) != 0 {
          throw .system(operation: "remove", path: state.path(of: name), errno: errno)
        }
      } else {
        try text.withUnsafeBytes { (text) throws(KeychainError) in try state.replace(name, with: text) }
      }
    }
    try state.synchronize()
  }
}
