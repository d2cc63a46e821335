extension ItemQuery {
  /// The items that answer, best first.
  ///
  /// A tool's own item comes before one that it shares; then one with a longer path, or with none if none was asked
  /// for; then a person's default; then the one changed last; then the one added last; then the keychain's own order,
  /// that of `items`.
  public func ranked(_ items: [Item]) -> [Item] {
    if items.count < 2 { return items.first.map(matches) == true ? items : [] }
    return items.filter(matches).enumerated()
      .map { (rank: Rank(of: $0.element, position: $0.offset, for: self), item: $0.element) }
      .sorted { $0.rank.precedes($1.rank) }
      .map(\.item)
  }
}

/// The rule that prefers one of two items that both answer.
public enum RankingRule: Hashable, Sendable {
  /// One of them is in a keychain that comes earlier in the list.
  case keychain
  /// The asking tool stored one of them for itself.
  case ownItem
  /// One has the longer matching path, or no path when none was asked for.
  case path
  /// A person made one of them the default.
  case isDefault
  /// One was changed later.
  case modified
  /// One was added later.
  case created
  /// One of them comes first in the keychain.
  case order
}

extension ItemQuery {
  /// The rule that puts `first` before `second` in ``ranked(_:)``.
  public func rule(preferring first: Item, to second: Item) -> RankingRule {
    Rank(of: first, position: 0, for: self).decision(against: Rank(of: second, position: 1, for: self)).rule
  }
}

private struct Rank {
  private let isForEveryTool: Bool
  private let pathDistance: Int
  private let isDefault: Bool
  private let modified: Timestamp
  private let created: Timestamp
  private let position: Int

  init(of item: Item, position: Int, for query: ItemQuery) {
    if case .internetPassword(let query) = query, case .internetPassword(let key) = item.key {
      isForEveryTool = query.securityDomain != nil && key.securityDomain == nil
      // With a path in the query, the longest is nearest; otherwise the item without one.
      pathDistance =
        query.path.map { path in -(key.path?.lengthOfAnswer(to: path) ?? 0) } ?? (key.path == nil ? 0 : 1)
    } else {
      isForEveryTool = false
      pathDistance = 0
    }
    isDefault = item.isDefault
    modified = item.modificationDate ?? Timestamp(milliseconds: .min)
    created = item.creationDate ?? Timestamp(milliseconds: .min)
    self.position = position
  }

  func precedes(_ other: Rank) -> Bool { decision(against: other).precedes }

  func decision(against other: Rank) -> (rule: RankingRule, precedes: Bool) {
    if isForEveryTool != other.isForEveryTool { return (.ownItem, other.isForEveryTool) }
    if pathDistance != other.pathDistance { return (.path, pathDistance < other.pathDistance) }
    if isDefault != other.isDefault { return (.isDefault, isDefault) }
    if modified != other.modified { return (.modified, modified > other.modified) }
    if created != other.created { return (.created, created > other.created) }
    return (.order, position < other.position)
  }
}
