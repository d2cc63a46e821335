import Age
import Bytes
import Glibc
public import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// Removes a way into the vault. It still opens older copies of the vault.
  ///
  /// - Parameter id: a slot's identifier, or ``SlotSummary/identityFileID``.
  /// - Throws: `KeychainError.SlotFault.notFound`, `KeychainError.SlotFault.lastWayIn`,
  ///   `KeychainError.SlotFault.nothingElseOpens`; what unlocking and writing throw.
  public func removeSlot(_ id: String) throws(KeychainError) {
    if id == SlotSummary.identityFileID { return try removeIdentityFile() }
    try changingSlots { (change, identity) throws(KeychainError) in
      try remove(id, from: change, identity)
    }
  }

  /// Checks that a way into the vault can be removed, before somebody is asked whether it is to go. Changes nothing.
  ///
  /// - Throws: as ``removeSlot(_:)`` does.
  package func checkRemoval(of id: String) throws(KeychainError) {
    let change = try beginSlotChange()
    if id == SlotSummary.identityFileID {
      _ = try removableIdentity(change)
      return
    }
    guard let identity = change.key?.identity as? X25519Identity else {
      throw .locked(path: location.vaultFile)
    }
    try remove(id, from: change, identity)
  }

  private func remove(
    _ id: String, from change: VaultChange, _ identity: X25519Identity
  ) throws(KeychainError) {
    guard change.slots.contains(where: { $0.id == id }) else { throw .slot(.notFound(id: id)) }
    try change.removeSlot(id)
    let hasIdentityFile = try unlocking.hasIdentityFile(of: identity)
    guard hasIdentityFile || change.slots.contains(where: { $0.isKnown && $0.isWellFormed }) else {
      throw .slot(.lastWayIn(id: id))
    }
    if hasIdentityFile { return }
    guard try change.isOpened(by: change.slots) else { throw .slot(.nothingElseOpens) }
  }

  /// The vault's identity, if it is in the identity file and doesn't have to stay there.
  private func removableIdentity(_ change: VaultChange) throws(KeychainError) -> X25519Identity {
    let id = SlotSummary.identityFileID
    guard let identity = change.key?.identity as? X25519Identity,
      try unlocking.hasIdentityFile(of: identity)
    else { throw .slot(.notFound(id: id)) }
    guard change.slots.contains(where: { $0.isKnown && $0.isWellFormed }) else {
      throw .slot(.lastWayIn(id: id))
    }
    guard try change.isOpened(by: change.slots) else { throw .slot(.nothingElseOpens) }
    return identity
  }

  private func removeIdentityFile() throws(KeychainError) {
    let change = try beginSlotChange()
    let identity = try removableIdentity(change)
    guard let state = try Folder(opening: location.stateFolder) else {
      throw .slot(.notFound(id: SlotSummary.identityFileID))
    }
    // A file left by a killed writer has the same key. While the file itself is there, nothing has changed.
    for name in [VaultLocation.newIdentityName, VaultLocation.identityName] {
      try state.removeTemporaries(for: name, replaced: nil)
    }
    var durability = Durability.lasting
    for name in [VaultLocation.newIdentityName, VaultLocation.identityName] {
      guard let file = try state.file(name) else { continue }
      let text = IdentityText.replacing(
        identity, with: nil, in: try file.contents(limit: VaultBounds.identityFile))
      if IdentityText.isEmpty(text) {
        if unlinkat(state.descriptor, name, 0) != 0 {
          throw .system(operation: "remove", path: state.path(of: name), errno: errno)
        }
      } else {
        durability.join(
          try text.withUnsafeBytes { (text) throws(KeychainError) in try state.replace(name, with: text) })
      }
    }
    durability.join(state.synchronize())
    tell(durability)
  }
}

extension VaultChange {
  /// Whether the vault opens without the identity file: by a passphrase or a code that somebody knows, or by a key or
  /// a program on this machine. A recipient's identity may no longer exist anywhere.
  func isOpened(by slots: [VaultStanzas.Slot]) throws(KeychainError) -> Bool {
    // This change's own notes have just opened a slot.
    let isKnown = slots.contains { slot in
      slot.isWellFormed && slot.kind.isTyped
        || localSlots.contains { $0.id == slot.id }
    }
    if isKnown { return true }
    guard let key, let uuid = stanzas?.uuid, let file = try locked.folder.file(VaultLocation.vaultName) else {
      return false
    }
    let (header, _) = try VaultSnapshot.readHeader(file)
    let notes = try notes()
    // The identity file, perhaps the one to be removed, opens a slot for the vault's own key.
    let others = slots.filter { notes[$0.id]?.recipient != key.recipient.description }
    var fault: KeychainError?
    return try unlocking.finds(key.recipient, in: others, header, uuid: uuid, &fault)
  }
}
