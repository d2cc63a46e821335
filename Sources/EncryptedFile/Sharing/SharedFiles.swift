/// What a place where a vault is shared holds at one moment: age files, as bytes.
package struct SharedFiles: Sendable {
  /// A whole vault.
  package var whole: [UInt8]
  /// What was changed since: vaults without slots, which hold the changed records alone.
  package var changes: [[UInt8]]
  /// Files that were there after the state that this machine has seen last, and aren't there any more; oldest first. A
  /// new key is trusted by what they prove, and what somebody has dropped is in them.
  package var earlier: [[UInt8]]
  /// The whole vault that was there when this machine has seen the place last; its key is trusted.
  package var trusted: [UInt8]?

  /// Takes the files.
  package init(
    whole: [UInt8], changes: [[UInt8]] = [], earlier: [[UInt8]] = [], trusted: [UInt8]? = nil
  ) {
    self.whole = whole
    self.changes = changes
    self.earlier = earlier
    self.trusted = trusted
  }

  /// How many changes are kept at most before a whole vault takes their place.
  static let maximumChanges = 512

  /// Whether a whole vault is to take the place of the one that is there and of all changes. As long as the changes are
  /// fewer than 64, or smaller together than twice the whole, a history of them grows less than one of whole vaults.
  var areDue: Bool {
    if changes.count >= Self.maximumChanges { return true }
    return changes.count >= 64 && changes.reduce(0) { $0 + $1.count } >= 2 * whole.count
  }
}

/// What a vault and the place where it is shared have got from each other.
package struct Reconciliation: Sendable {
  /// A file for the place where the vault is shared.
  package enum Publication: Sendable {
    /// The place has everything.
    case nothing
    /// What the place lacks, as one more file among the changes.
    case change([UInt8])
    /// A whole vault, instead of all that is there.
    case whole([UInt8])
  }

  /// The vault's state, as ``EncryptedFileKeychain/stateName``, of which the place has everything once it has got that.
  package let state: String?
  /// What the place is to get.
  package let publication: Publication
  /// How many items came from there, or went because they were deleted there.
  package let received: Int
  /// How many items that were changed here, which the place has never had, have got another state from there, or were
  /// deleted there: what they were here can be brought back.
  package let overridden: Int
  /// How many records the place lacks.
  package let waiting: Int
  /// Whether the vault has got the key that somebody else has made.
  package let tookKey: Bool
  /// Whether the vault has a new key that nobody else has yet. Once the place has it, this has to be called again.
  package let isKeyUnsent: Bool
  /// How many files there can't be read, although they should be.
  package let unreadable: Int
  /// The slots that don't have the new key, because they were added with the former one meanwhile. Whoever added them
  /// may be the one against whom the key was changed.
  package let slotsWithFormerKey: [SlotSummary]
  /// The slots that were removed here, and are in the vault again because it got another key: it needs a new one
  /// without them.
  package let slotsToDrop: Set<String>
}
