public import Keychain

/// A change of an item in a keychain. It contains no secret.
public enum KeychainChange: Hashable, Sendable {
  /// The item was added, or became visible because its collection was unlocked.
  case added(Item)
  /// The item's attributes or its secret were changed. This is its new state.
  case updated(Item)
  /// The item was deleted. This is its last known state.
  case deleted(Item)

  /// The item.
  public var item: Item {
    switch self {
    case .added(let item), .updated(let item), .deleted(let item): item
    }
  }
}

extension KeychainChange {
  /// The changes between two moments, without items that were added and deleted in between.
  static func between(_ before: [ItemRevision], _ after: [ItemRevision]) -> [KeychainChange] {
    var gone: [ItemReference?: ItemRevision] = [:]
    for revision in before { gone[revision.item.reference] = revision }
    var changes: [KeychainChange] = []
    for revision in after {
      guard let earlier = gone.removeValue(forKey: revision.item.reference) else {
        changes.append(.added(revision.item))
        continue
      }
      if earlier != revision { changes.append(.updated(revision.item)) }
    }
    let deleted = before.filter { gone[$0.item.reference] != nil }.map { KeychainChange.deleted($0.item) }
    return deleted + changes
  }
}
