import Age
import Bytes
import Glibc
import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// Runs a change of the slots under the vault's lock, and writes.
  func changingSlots<Result>(
    _ body: (VaultChange, X25519Identity) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let change = try beginSlotChange()
    guard let identity = change.key?.identity as? X25519Identity else {
      throw .locked(path: location.vaultFile)
    }
    let result = try body(change, identity)
    try change.removeSlotsThatWait()
    try commitSlots(change)
    try change.removeCopiesOfFormerSlots()
    return result
  }

  /// Takes the lock, and unlocks the vault with its identity.
  func beginSlotChange() throws(KeychainError) -> VaultChange {
    _ = try slotChangeBasis()
    let change = try beginChange(needsIdentity: true)
    guard !change.isNew else { throw .missing(path: location.vaultFile) }
    // An interrupted change may have left the only copy of the key under the name for new ones.
    if let key = change.key, let state = try Folder(opening: location.stateFolder) {
      try NewIdentityFile.complete(key, in: state)
    }
    return change
  }

  /// The vault before the lock is taken: other processes must not wait while a person is being asked.
  func slotChangeBasis() throws(KeychainError) -> VaultSnapshot {
    do throws(KeychainError) {
      guard let snapshot = try newest(needsIdentity: true) else { throw .missing(path: location.vaultFile) }
      return snapshot
    } catch .locked(let path) {
      // An unlocked keychain's kept key reads and writes items; it isn't the identity.
      guard (try? newest()) ?? nil != nil else { throw .locked(path: path) }
      throw .slot(.passphraseNeeded(path: path))
    }
  }

  /// Writes a change of the slots, and keeps the notes on this machine in step: how to open a slot is noted before the
  /// slot exists, and forgotten when it is gone.
  func commitSlots(_ change: VaultChange) throws(KeychainError) {
    try writeLocalSlots(of: change)
    try change.commit(at: clock())
    key = change.key
    snapshot = nil
    if let folder = try? Folder(opening: location.localSlotsFolder) {
      let ids = Set(change.slots.map(\.id))
      for name in (try? folder.names()) ?? [] where !ids.contains(name) && VaultStanzas.isSlotID(name) {
        LocalSlot.remove(name, in: folder)
      }
    }
  }
}

extension EncryptedFileKeychain {
  /// Notes on this machine how to open slots of a change. Needs the vault's lock, which the change holds.
  func writeLocalSlots(of change: VaultChange) throws(KeychainError) {
    if change.localSlots.isEmpty { return }
    let folder = try Folder(creating: location.localSlotsFolder)
    folder.removeStaleTemporaries()
    for (id, slot) in change.localSlots { change.durability.join(try slot.write(id, in: folder)) }
  }
}

extension VaultChange {
  var slots: [VaultStanzas.Slot] { stanzas?.slots ?? [] }

  func notes() throws(KeychainError) -> SlotNotes { try SlotNotes(head, path: path) }

  /// Adds a slot, and returns its identifier.
  ///
  /// - Parameters:
  ///   - recipientText: the recipient, if it is for a key.
  ///   - label: its name for people.
  @discardableResult
  func addSlot(
    _ kind: SlotKind, for recipient: any Recipient, _ identity: X25519Identity, recipientText: String? = nil,
    label: String? = nil, at now: Timestamp
  ) throws(KeychainError) -> String {
    guard let stanzas else { throw .missing(path: path) }
    let id = newDigits()
    let slot: VaultStanzas.Slot
    do throws(AgeError) {
      slot = VaultStanzas.Slot(
        id: id, kind: kind, file: try identity.wrapped(for: recipient, uuid: stanzas.uuid))
    } catch {
      throw KeychainError(error, path: path)
    }
    guard !VaultStanzas.fitting([slot], besides: stanzas.slots).isEmpty else {
      let isFull = stanzas.slots.count >= VaultBounds.slots
      throw .slot(.tooMany(limit: isFull ? VaultBounds.slots : VaultBounds.slotsThatTakeLong))
    }
    do throws(AgeError) {
      try replaceSlots(stanzas.slots + [slot])
    } catch {
      throw KeychainError(error, path: path)
    }
    var notes = try notes()
    notes.set(SlotNotes.Note(id: id, added: now, recipient: recipientText, label: label))
    notes.write(to: &head)
    return id
  }

  /// Removes a slot, and remembers its removal.
  func removeSlot(_ id: String) throws(KeychainError) {
    do throws(AgeError) {
      try replaceSlots(slots.filter { $0.id != id })
    } catch {
      throw KeychainError(error, path: path)
    }
    var notes = try notes()
    notes.remove(id)
    notes.write(to: &head)
  }

  func replaceSlots(_ slots: [VaultStanzas.Slot]) throws(AgeError) {
    stanzas = try stanzas?.replacingSlots(with: slots)
    isDirty = true
  }

  /// Notes when a new vault's slots were added.
  func noteSlots(_ stanzas: VaultStanzas, at now: Timestamp) throws(KeychainError) {
    var notes = try notes()
    for slot in stanzas.slots {
      notes.set(
        SlotNotes.Note(id: slot.id, added: now, recipient: newVault?.recipientText, label: newVault?.label))
    }
    notes.write(to: &head)
  }

  /// Updates the copies of the slots beside the vault, for `age -d -i`, and removes those of former slots. The slots
  /// in the header are authoritative.
  func copySlots(of stanzas: VaultStanzas) throws(KeychainError) {
    let slotsFolder = locked.folder.path(of: VaultLocation.slotsName)
    if stanzas.slots.isEmpty {
      // A vault that never had slots has no folder for them.
      if try notes().removed.isEmpty { return }
      guard let slots = try Folder(opening: slotsFolder) else { return }
      try Self.removeCopies(in: slots, except: [])
      return
    }
    let slots = try Folder(creating: slotsFolder)
    for slot in stanzas.slots {
      if let copy = try? slots.file(slot.fileName), copy.status.size == slot.file.count {
        let contents = try copy.contents(first: slot.file.count)
        if contents.withUnsafeBytes({ $0.elementsEqual(slot.file) }) { continue }
      }
      // Made again while it isn't there.
      _ = try slot.file.lendingBytes { (file) throws(KeychainError) in
        try slots.replace(slot.fileName, with: file)
      }
    }
    try Self.removeCopies(in: slots, except: Set(stanzas.slots.map(\.fileName)))
  }

  /// Makes sure that no copy of a former slot is left: with it, a former passphrase opens what is stored later. A
  /// write that could not remove one goes on.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)``; the slots have been changed all the same.
  func removeCopiesOfFormerSlots() throws(KeychainError) {
    guard let folder = try Folder(opening: locked.folder.path(of: VaultLocation.slotsName)) else { return }
    try Self.removeCopies(in: folder, except: Set(slots.map(\.fileName)))
  }

  private static func removeCopies(in slots: borrowing Folder, except kept: Set<String>) throws(KeychainError)
  {
    slots.removeStaleTemporaries()
    var failure: KeychainError?
    for name in try slots.names() where name.hasSuffix(VaultStanzas.Slot.fileExtension) {
      let id = String(name.dropLast(VaultStanzas.Slot.fileExtension.count))
      if VaultStanzas.isSlotID(id), !kept.contains(name), unlinkat(slots.descriptor, name, 0) != 0,
        errno != ENOENT
      {
        failure = .system(operation: "remove", path: slots.path(of: name), errno: errno)
      }
    }
    if let failure { throw failure }
  }
}
