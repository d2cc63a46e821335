import Age
import Keychain

extension VaultChange {
  /// Adds the slots of another copy of the vault that has the same key, except those that were removed in either
  /// copy; and removes those here that were removed there. If nothing would be left that opens the vault, all stay, and
  /// their removal stays noted, for ``removeSlotsThatWait()``.
  ///
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if the notes about slots of either are malformed.
  func mergeSlots(_ other: VaultSnapshot) throws(KeychainError) {
    // Slots that wrap another key open nothing here.
    guard let key, key.recipient == other.key.recipient, let stanzas else { return }
    let mine = try notes()
    let theirs = try SlotNotes(other.first.head, path: path)
    let removed = Set(mine.removed + theirs.removed)
    let arriving = other.stanzas.slots.filter { slot in
      !removed.contains(slot.id) && !stanzas.slots.contains { $0.id == slot.id }
    }
    let leaving = Set(stanzas.slots.map(\.id).filter { removed.contains($0) })
    if arriving.isEmpty, leaving.isEmpty, Set(theirs.removed).isSubset(of: mine.removed) { return }
    var slots = stanzas.slots
    slots += arriving.prefix(max(0, VaultBounds.slots - slots.count + leaving.count))
    var notes = mine
    for id in theirs.removed { notes.remove(id) }
    for slot in arriving { if let note = theirs[slot.id] { notes.set(note) } }
    notes.write(to: &head)
    try setSlots(slots)
    try removeSlotsThatWait()
  }

  /// Removes the slots whose removal is noted, if something else opens the vault.
  ///
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if the notes about slots are malformed.
  func removeSlotsThatWait() throws(KeychainError) {
    guard let key, let stanzas else { return }
    let removed = try notes().removed
    let slots = stanzas.slots.filter { !removed.contains($0.id) }
    if slots.count == stanzas.slots.count { return }
    // If each side has removed what the other kept, both stay: a vault that nothing opens would be worse.
    if !slots.contains(where: { $0.isKnown && $0.isWellFormed }), try !unlocking.hasIdentityFile(of: key) {
      return
    }
    try setSlots(slots)
  }

  private func setSlots(_ slots: [VaultStanzas.Slot]) throws(KeychainError) {
    do throws(AgeError) {
      try replaceSlots(slots)
    } catch {
      throw KeychainError(error, path: path)
    }
  }
}
