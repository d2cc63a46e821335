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
    let staying = stanzas.slots.filter { !removed.contains($0.id) }
    if arriving.isEmpty, staying.count == stanzas.slots.count, Set(theirs.removed).isSubset(of: mine.removed)
    {
      return
    }
    var slots = Self.joined(staying, arriving)
    if try !hasWay(slots, key) { slots = Self.joined(stanzas.slots, arriving) }
    var notes = mine
    for id in theirs.removed { notes.remove(id, keepingNote: slots.contains { $0.id == id }) }
    for slot in arriving { if let note = theirs[slot.id] { notes.set(note) } }
    notes.write(to: &head)
    try setSlots(slots)
  }

  /// Removes the slots whose removal is noted, if something else opens the vault.
  ///
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if the notes about slots are malformed.
  /// - Returns: whether there were any.
  @discardableResult
  func removeSlotsThatWait() throws(KeychainError) -> Bool {
    guard let stanzas else { return false }
    let waiting = try slotsThatWait()
    if waiting.isEmpty { return false }
    var notes = try notes()
    for id in waiting { notes.remove(id) }
    notes.write(to: &head)
    try setSlots(stanzas.slots.filter { !waiting.contains($0.id) })
    return true
  }

  /// The identifiers of the slots whose removal is noted and can be done now: something else opens the vault.
  func slotsThatWait() throws(KeychainError) -> Set<String> {
    guard let key, let stanzas else { return [] }
    let removed = try notes().removed
    let staying = stanzas.slots.filter { !removed.contains($0.id) }
    if staying.count == stanzas.slots.count { return [] }
    return try hasWay(staying, key) ? Set(stanzas.slots.map(\.id)).intersection(removed) : []
  }

  private static func joined(
    _ slots: [VaultStanzas.Slot], _ arriving: [VaultStanzas.Slot]
  ) -> [VaultStanzas.Slot] {
    slots + VaultStanzas.fitting(arriving, besides: slots)
  }

  /// Whether something opens the vault with these slots. If each side has removed what the other kept, both stay: a
  /// vault that nothing opens would be worse.
  private func hasWay(_ slots: [VaultStanzas.Slot], _ key: VaultKey) throws(KeychainError) -> Bool {
    if slots.contains(where: { $0.isKnown && $0.isWellFormed }) { return true }
    return try unlocking.hasIdentityFile(of: key)
  }

  private func setSlots(_ slots: [VaultStanzas.Slot]) throws(KeychainError) {
    do throws(AgeError) {
      try replaceSlots(slots)
    } catch {
      throw KeychainError(error, path: path)
    }
  }
}
