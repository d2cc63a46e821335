import Bytes
import Keychain

/// Changes that are collected until they are sent, and what they make of the items that the other machine has.
struct CollectedChanges {
  /// A credential that several may hold.
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

  /// The items of the other machine as they were seen.
  private var former: [ItemReference: Item] = [:]
  /// The secrets that were seen in them.
  private var seen: [ItemReference: Secrets] = [:]
  private var additions: [ItemReference: Addition] = [:]
  private var updates: [ItemReference: (item: Item, secrets: Secrets?)] = [:]
  private var updateOrder: [ItemReference] = []
  private var deletions: [ItemReference] = []

  /// What was looked for, and what was found at first.
  private var lookups: [ItemQuery: Set<ItemReference>] = [:]
  /// Whether it was seen that somebody else changes the same meanwhile, so that what was seen never was so at any
  /// moment. Then nothing may come of it, not even that nothing has to be changed.
  private(set) var isTorn = false

  /// The references of added items, in their order.
  private(set) var added: [ItemReference] = []

  // MARK: What was seen

  /// Takes what a query has found.
  ///
  /// - Returns: queries that had not found some of it before, though it matches them: either it is new, or they may not
  ///   find it.
  mutating func see(_ items: [Item], _ query: ItemQuery) -> [ItemQuery] {
    var found: Set<ItemReference> = []
    var doubtful: Set<ItemQuery> = []
    for item in items {
      guard let reference = item.reference else { continue }
      found.insert(reference)
      // The first look counts: what is done depends on it.
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

  /// The item as the changes leave it; `nil` if it is deleted, or was not seen.
  func present(at reference: ItemReference) -> Item? {
    if let addition = additions[reference] { return addition.item }
    if isDeleted(reference) { return nil }
    return updates[reference]?.item ?? former[reference]
  }

  /// The secret as the changes leave it; `nil` if they don't touch it.
  ///
  /// - Throws: `KeychainError.itemNotFound` if the item is deleted.
  func credential(at reference: ItemReference) throws(KeychainError) -> Credential? {
    if isDeleted(reference) { throw .itemNotFound }
    return (additions[reference]?.secrets ?? updates[reference]?.secrets)?.credential.copy()
  }

  /// What a query finds once the changes are made, the latest first as in other keychains.
  func applied(to found: [Item], _ query: ItemQuery) -> [Item] {
    let touched = Set(deletions).union(updates.keys)
    let untouched = found.filter { item in item.reference.map { !touched.contains($0) } ?? true }
    let changed = updateOrder.reversed().compactMap { updates[$0]?.item }
    let new = added.reversed().compactMap { additions[$0]?.item }
    return (new + changed).filter(query.matches) + untouched
  }

  // MARK: Changing

  /// - Parameter reference: how the item is named until the other machine has named it.
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

  // MARK: Sending

  /// The changes: what is deleted first, for it may make room for the others.
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
