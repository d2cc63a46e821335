/// The age files in a place where a vault is shared, at one moment.
package struct SharedFiles: Sendable {
  package var whole: [UInt8]
  /// Later changes: vaults without slots, which hold the changed records alone.
  package var changes: [[UInt8]]
  /// Files that came after the state last seen by this machine and are gone again; oldest first. They prove whether to
  /// trust a new key, and have anything that somebody has dropped.
  package var earlier: [[UInt8]]
  /// The whole vault that this machine last saw there; its key is trusted.
  package var trusted: [UInt8]?

  package init(
    whole: [UInt8], changes: [[UInt8]] = [], earlier: [[UInt8]] = [], trusted: [UInt8]? = nil
  ) {
    self.whole = whole
    self.changes = changes
    self.earlier = earlier
    self.trusted = trusted
  }

  /// The most changes to keep before a whole vault replaces them.
  static let maximumChanges = 512

  /// Whether a whole vault should replace the present one and all changes. With fewer than 64 changes, or changes
  /// smaller together than twice the whole, their history grows less than one of whole vaults.
  var areDue: Bool {
    if changes.count >= Self.maximumChanges { return true }
    return changes.count >= 64 && changes.reduce(0) { $0 + $1.count } >= 2 * whole.count
  }
}

/// An exchange between a vault and the place where it is shared.
package struct Reconciliation: Sendable {
  /// A file for the place where the vault is shared.
  package enum Publication: Sendable {
    /// The place has everything.
    case nothing
    /// One more file among the changes, with what the place lacks.
    case change([UInt8])
    /// A whole vault, to replace everything there.
    case whole([UInt8])
  }

  /// The vault's state, as ``EncryptedFileKeychain/stateName``: the place has all of it once it has the publication.
  package let state: String?
  package let publication: Publication
  /// How many items came from there, or went because they were deleted there.
  package let received: Int
  /// How many items with changes that the place never had got another state from there, or were deleted there. Their
  /// state here can be brought back.
  package let overridden: Int
  /// How many records the place lacks.
  package let waiting: Int
  /// Whether the vault took a key that somebody else made.
  package let tookKey: Bool
  /// Whether the vault has a new key that nobody else has yet. Once the place has it, call this again.
  package let isKeyUnsent: Bool
  /// How many files there should be readable and aren't.
  package let unreadable: Int
  /// The slots without the new key, because they were added with the former one meanwhile, perhaps by the very person
  /// against whom the key was changed.
  package let slotsWithFormerKey: [SlotSummary]
  /// The slots removed here that came back with a key taken from others: the vault needs a new key without them.
  package let slotsToDrop: Set<String>
}
