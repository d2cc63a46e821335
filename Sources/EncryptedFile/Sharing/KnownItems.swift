package import Keychain

/// An item with a secret that somebody has been able to read.
package struct KnownItem: Hashable, Sendable {
  package enum State: String, Hashable, Sendable {
    case inUse = "in-use"
    case deleted
  }

  package let item: Item
  package let state: State
  package let deleted: Timestamp?
}

extension EncryptedFileKeychain {
  /// The items readable for somebody with a way in since a date, as far as the vault still tells: those in use, and
  /// those deleted after that date. Deleted ones are known for 180 days.
  ///
  /// - Parameter date: when that began; `nil` if unknown.
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
  /// Whether it is a collection's, which has no secret.
  fileprivate var kindOfCollection: Bool {
    if case .secretService(let key) = self, key.kind == .collection { return true }
    return false
  }
}
