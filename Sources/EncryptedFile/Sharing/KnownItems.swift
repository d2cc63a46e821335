package import Keychain

/// An item of which somebody has been able to read a secret.
package struct KnownItem: Hashable, Sendable {
  /// Whether the item is still in use.
  package enum State: String, Hashable, Sendable {
    case inUse = "in-use"
    case deleted
  }

  package let item: Item
  package let state: State
  /// When it was deleted.
  package let deleted: Timestamp?
}

extension EncryptedFileKeychain {
  /// The items that somebody could read who has had a way in since a date, as far as the vault still tells: those in
  /// use, and those that were deleted after that date. Deleted ones are known for 180 days.
  ///
  /// - Parameter date: when that began; `nil` if it isn't known.
  /// - Throws: as ``items(matching:)`` does.
  package func knownItems(since date: Timestamp?) throws(KeychainError) -> [KnownItem] {
    var known: [KnownItem] = []
    try withLines(beginning: []) { (lines, _) throws(KeychainError) in
      let inUse = lines.inUse
      var references: Set<ItemReference> = []
      for index in inUse {
        let item = try lines.record(at: index, path: location.vaultFile).item
        if item.key.kindOfCollection { continue }
        if let reference = item.reference { references.insert(reference) }
        known.append(KnownItem(item: item, state: .inUse, deleted: nil))
      }
      var deleted: [ItemReference: (item: Item, date: Timestamp)] = [:]
      for index in inUse.upperBound..<lines.count {
        let retired = try lines.retiredRecord(at: index, path: location.vaultFile)
        guard retired.reason == .deleted, let reference = retired.record.item.reference,
          !references.contains(reference), date.map({ retired.retired >= $0 }) ?? true
        else { continue }
        if let other = deleted[reference], other.date >= retired.retired { continue }
        deleted[reference] = (retired.record.item, retired.retired)
      }
      for (_, found) in deleted.sorted(by: { $0.value.date > $1.value.date }) {
        known.append(KnownItem(item: found.item, state: .deleted, deleted: found.date))
      }
    }
    return known
  }
}

extension Item.Key {
  /// Whether it is that of a collection, which has no secret.
  fileprivate var kindOfCollection: Bool {
    if case .secretService(let key) = self, key.kind == .collection { return true }
    return false
  }
}
