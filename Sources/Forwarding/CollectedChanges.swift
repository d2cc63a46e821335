import Bytes
import Keychain

/// Changes collected for sending, and their effect on the other machine's items.
struct CollectedChanges {
  final class Secrets {
    let credential: Credential

    init(_ credential: consuming Credential) {
      self.credential = credential
    }
  }

  private struct Addition {
    var item: Item
    var secrets: Secrets
    let keepsDates: Bool
  }

  /// The other machine's items as first seen.
  private var former: [ItemReference: Item] = [:]
  private var seen: [ItemReference: Secrets] = [:]
  private var additions: [ItemReference: Addition] = [:]
  private var updates: [ItemReference: (item: Item, secrets: Secrets?)] = [:]
  private var updateOrder: [ItemReference] = []
  private var deletions: [ItemReference] = []

  /// The queries, with their first results.
  private var lookups: [ItemQuery: Set<ItemReference>] = [:]
  /// Whether somebody else was seen changing the same items meanwhile, so that the items seen never existed together.
  /// Then no result counts, not even that nothing needs to be changed.
  private(set) var isTorn = false

  /// The references of added items, in order.
  private(set) var added: [ItemReference] = []

  // MARK: Seen items

  /// Takes a query's results. Returns the earlier queries that should have found one of them: either that item is new,
  /// or they may not find it.
  mutating func see(_ items: [Item], _ query: ItemQuery) -> [ItemQuery] {
    var found: Set<ItemReference> = []
    var doubtful: Set<ItemQuery> = []
    for item in items {
      guard let reference = item.reference else { continue }
      found.insert(reference)
      // The first look counts, because the changes depend on it.
      if let former = former[reference] {
        if former != item { isTorn = true }
      } else {
        former[reference] = item
        for (other, result) in lookups
        where other != query && !result.contains(reference) && other.matches(item) {
          doubtful.insert(other)
        }
      }
    }
    if let former = lookups[query] {
      if former != found { isTorn = true }
    } else {
      lookups[query] = found
    }
    return Array(doubtful)
  }

  mutating func see(_ credential: borrowing Credential, at reference: ItemReference) {
    guard former[reference] != nil else { return }
    if let seen = seen[reference] {
      if !seen.credential.hasSameSecret(as: credential) || seen.credential.expiry != credential.expiry {
        isTorn = true
      }
    } else {
      seen[reference] = Secrets(credential.copy())
    }
  }

  // MARK: Items as they will be

  func isDeleted(_ reference: ItemReference) -> Bool { deletions.contains(reference) }

  /// The item after the changes; `nil` if it is deleted, or was not seen.
  func present(at reference: ItemReference) -> Item? {
    if let addition = additions[reference] { return addition.item }
    if isDeleted(reference) { return nil }
    return updates[reference]?.item ?? former[reference]
  }

  /// The secret after the changes; `nil` if they don't touch it.
  ///
  /// - Throws: `KeychainError.itemNotFound` if the item is deleted.
  func credential(at reference: ItemReference) throws(KeychainError) -> Credential? {
    if isDeleted(reference) { throw .itemNotFound }
    return (additions[reference]?.secrets ?? updates[reference]?.secrets)?.credential.copy()
  }

  /// A query's results after the changes, the latest first as in other keychains.
  func applied(to found: [Item], _ query: ItemQuery) -> [Item] {
    let touched = Set(deletions).union(updates.keys)
    let untouched = found.filter { item in item.reference.map { !touched.contains($0) } ?? true }
    let changed = updateOrder.reversed().compactMap { updates[$0]?.item }
    let new = added.reversed().compactMap { additions[$0]?.item }
    return (new + changed).filter(query.matches) + untouched
  }

  // MARK: Changing

  /// - Parameter reference: the item's reference until the other machine gives it one.
  mutating func add(
    _ item: Item, _ credential: consuming Credential, keepsDates: Bool, at reference: ItemReference
  ) -> Item {
    var item = item
    item.reference = reference
    let now = Timestamp.now
    item.creationDate = keepsDates ? item.creationDate ?? now : now
    item.modificationDate = keepsDates ? item.modificationDate ?? now : now
    additions[reference] = Addition(item: item, secrets: Secrets(credential), keepsDates: keepsDates)
    added.append(reference)
    return item
  }

  mutating func update(_ item: Item, _ secrets: Secrets?, at reference: ItemReference) -> Item {
    var item = item
    item.reference = reference
    if var addition = additions[reference] {
      addition.item = item
      if let secrets { addition.secrets = secrets }
      additions[reference] = addition
      return item
    }
    if let former = former[reference] {
      item.creationDate = former.creationDate
      item.modificationDate = former.nextChange(at: .now)
    }
    updateOrder.removeAll { $0 == reference }
    updateOrder.append(reference)
    updates[reference] = (item, secrets ?? updates[reference]?.secrets)
    return item
  }

  mutating func delete(at reference: ItemReference) {
    if additions.removeValue(forKey: reference) != nil {
      added.removeAll { $0 == reference }
      return
    }
    updates[reference] = nil
    updateOrder.removeAll { $0 == reference }
    deletions.append(reference)
  }

  /// Takes back the changes since. What was seen since counts all the same.
  mutating func undo(to earlier: CollectedChanges) {
    additions = earlier.additions
    added = earlier.added
    updates = earlier.updates
    updateOrder = earlier.updateOrder
    deletions = earlier.deletions
  }

  // MARK: Sending

  /// The changes, deletions first, because they may make room for the others.
  var changes: [ItemChange] {
    var changes: [ItemChange] = []
    for reference in deletions {
      if let item = former[reference] {
        changes.append(ItemChange(.delete(item), nil, seen: seenCopy(reference)))
      }
    }
    for reference in updateOrder {
      if let item = former[reference], let update = updates[reference] {
        changes.append(
          ItemChange(.update(item, update.item), update.secrets?.credential.copy(), seen: seenCopy(reference))
        )
      }
    }
    for reference in added {
      if let addition = additions[reference] {
        var item = addition.item
        item.reference = nil
        changes.append(
          ItemChange(.add(item, keepsDates: addition.keepsDates), addition.secrets.credential.copy()))
      }
    }
    return changes
  }

  private func seenCopy(_ reference: ItemReference) -> Credential? { seen[reference]?.credential.copy() }
}
