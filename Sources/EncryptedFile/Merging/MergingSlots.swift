import Keychain

extension VaultChange {
  /// Adds the slots of another copy of the vault that has the same key, except those that were removed in either
  /// copy; and removes those here that were removed there.
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
    var slots = stanzas.slots.filter { !leaving.contains($0.id) }
    slots += arriving.prefix(max(0, VaultBounds.slots - slots.count))
    // If each side has removed what the other kept, both stay: a vault that nothing opens would be worse.
    let hasWay = slots.contains { $0.isKnown && $0.isWellFormed }
    if !hasWay, !stanzas.slots.isEmpty, try !unlocking.hasIdentityFile(of: key) { return }
    var notes = mine
    for id in theirs.removed { notes.remove(id) }
    for slot in arriving { if let note = theirs[slot.id] { notes.set(note) } }
    do {
      try replaceSlots(slots)
    } catch {
      throw KeychainError(error, path: path)
    }
    notes.write(to: &head)
  }
}
