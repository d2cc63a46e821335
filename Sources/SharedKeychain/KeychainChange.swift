public import Keychain

/// Something that has become of an item of a keychain. It brings no secret along.
public enum KeychainChange: Hashable, Sendable {
  /// It was added, or has come into view because its collection was unlocked.
  case added(Item)
  /// Its attributes or its secret were changed. The item is as it is now.
  case updated(Item)
  /// It was deleted. The item is as it was last seen.
  case deleted(Item)

  /// The item.
  public var item: Item {
    switch self {
    case .added(let item), .updated(let item), .deleted(let item): item
    }
  }
}

extension KeychainChange {
  /// What has become of the items between two moments. What came and went between them isn't told of.
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
