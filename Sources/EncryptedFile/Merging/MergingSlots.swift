import Age
import Keychain

/// The ways into a vault added and removed by merging another copy.
public struct SlotChanges: Hashable, Sendable {
  /// The kinds of added ways.
  public internal(set) var added: [SlotKind] = []
  /// The kinds of removed ways.
  public internal(set) var removed: [SlotKind] = []

  /// Whether the ways in are as before.
  public var isEmpty: Bool { added.isEmpty && removed.isEmpty }

  mutating func append(_ other: SlotChanges) {
    added += other.added
    removed += other.removed
  }
}

extension VaultChange {
  /// Adds the slots of another copy with the same key, except those removed in either copy; and removes those here
  /// that were removed there. If nothing would open the vault any more, all stay, and their removal stays noted for
  /// ``removeSlotsThatWait()``.
  ///
  /// - Parameter isTried: whether to find out only what would change.
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if either's notes about slots are malformed.
  @discardableResult
  func mergeSlots(_ other: VaultSnapshot, isTried: Bool = false) throws(KeychainError) -> SlotChanges {
    // Slots that wrap another key open nothing here.
    guard let key, key.recipient == other.key.recipient, let stanzas else { return SlotChanges() }
    let mine = try notes()
    let theirs = try SlotNotes(other.first.head, path: path)
    let removed = Set(mine.removed + theirs.removed)
    let arriving = other.stanzas.slots.filter { slot in
      !removed.contains(slot.id) && !stanzas.slots.contains { $0.id == slot.id }
    }
    // Slots whose removal waits here go once something else was seen to open the vault.
    let waiting = try Set(mine.removed).subtracting(slotsThatWait())
    let staying = stanzas.slots.filter { !removed.contains($0.id) || waiting.contains($0.id) }
    if arriving.isEmpty, staying.count == stanzas.slots.count, Set(theirs.removed).isSubset(of: mine.removed)
    {
      return SlotChanges()
    }
    var slots = Self.joined(staying, arriving)
    if try !hasWay(slots, key) { slots = Self.joined(stanzas.slots, arriving) }
    func kinds(of some: [VaultStanzas.Slot], without others: [VaultStanzas.Slot]) -> [SlotKind] {
      some.filter { slot in !others.contains { $0.id == slot.id } }.map(\.kind)
    }
    let changes = SlotChanges(
      added: kinds(of: slots, without: stanzas.slots), removed: kinds(of: stanzas.slots, without: slots))
    if isTried { return changes }
    var notes = mine
    for id in theirs.removed { notes.remove(id, keepingNote: slots.contains { $0.id == id }) }
    for slot in arriving { if let note = theirs[slot.id] { notes.set(note) } }
    notes.write(to: &head)
    try setSlots(slots)
    return changes
  }

  /// Removes the slots whose removal is noted, if something else was seen to open the vault, and tells the user.
  /// Returns whether there were any.
  ///
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if the notes about slots are malformed.
  @discardableResult
  func removeSlotsThatWait() throws(KeychainError) -> Bool {
    guard let stanzas else { return false }
    let waiting = try slotsThatWait()
    if waiting.isEmpty { return false }
    tellOfRemoval(of: waiting)
    var notes = try notes()
    for id in waiting { notes.remove(id) }
    notes.write(to: &head)
    try setSlots(stanzas.slots.filter { !waiting.contains($0.id) })
    return true
  }

  /// The identifiers of slots whose noted removal is possible now: something else was seen to open the vault on this
  /// machine, or others share it.
  func slotsThatWait() throws(KeychainError) -> Set<String> {
    guard let key, let stanzas else { return [] }
    let removed = try notes().removed
    let staying = stanzas.slots.filter { !removed.contains($0.id) }
    if staying.count == stanzas.slots.count { return [] }
    var isOpened = try unlocking.hasIdentityFile(of: key)
    if !isOpened { isOpened = try head.keyNumber != nil ? hasWay(staying, key) : self.isOpened(by: staying) }
    return isOpened ? Set(stanzas.slots.map(\.id)).intersection(removed) : []
  }

  /// Once the change is on the disk, tells the user of slots removed in another copy.
  func tellOfRemoval(of ids: Set<String>) {
    mergedSlots.removed += slots.filter { ids.contains($0.id) }.map(\.kind)
  }

  private static func joined(
    _ slots: [VaultStanzas.Slot], _ arriving: [VaultStanzas.Slot]
  ) -> [VaultStanzas.Slot] {
    slots + VaultStanzas.fitting(arriving, besides: slots)
  }

  /// Whether something opens the vault with these slots. If each side has removed the other's way, both stay: a vault
  /// that nothing opens would be worse.
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
