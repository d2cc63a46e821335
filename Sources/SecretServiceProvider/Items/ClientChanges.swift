import Bytes
import Keychain
import SecretService

/// The changes by programs, each as one write. They run on the keychain's thread and return the item as stored.
enum ClientChanges {
  /// Stores an item.
  ///
  /// - Parameters:
  ///   - replaced: the item to replace, in the state seen.
  ///   - isExact: whether to replace it only in that state.
  ///   - mayReplaceLogin: whether to replace another item too if it is the same login.
  static func store(
    _ shown: ItemTranslation.Shown, _ body: SharedSecret, in collection: ByteString?,
    replacing replaced: Item?, isExact: Bool = false, mayReplaceLogin: Bool, in keychain: any KeychainStore
  ) throws(KeychainError) -> Item {
    let name = newName()
    let made = try keychain.exclusively { () throws(KeychainError) in
      let new = ItemTranslation.item(shown, body.secret, in: collection, orNamed: name)
      try new.item.validate(with: new.credential)
      if let replaced {
        do throws(KeychainError) {
          let current = try present(replaced, isExact, in: keychain)
          // It may have become another item meanwhile.
          if ItemTranslation.shown(current).attributes == ItemTranslation.shown(replaced).attributes {
            return try change(current, to: new, shown, body, in: keychain)
          }
        } catch .itemNotFound where !isExact {}
      }
      let twins = new.item.key.secretServiceItem == nil ? try twins(of: new.item, in: keychain) : []
      if let twin = twins.first {
        // An equal login from a person or a tool is the same one; equal items of other programs stay side by side.
        let isOfOtherCollection = twin.secretService.collection != collection
        if mayReplaceLogin, !isOfOtherCollection {
          return try change(twin, to: new, shown, body, in: keychain)
        }
        let other = ItemTranslation.other(shown, body.secret, in: collection, named: name)
        try other.item.validate(with: other.credential)
        return try keychain.add(other.item, other.credential)
      }
      return try keychain.add(new.item, new.credential)
    }
    return keychain.committed(made)
  }

  /// Changes an item's attributes, label or secret, and keeps the rest of its present state.
  ///
  /// - Parameter body: the new secret; `nil` if it stays.
  static func update(
    _ item: Item, _ body: SharedSecret? = nil, isExact: Bool = false, in keychain: any KeychainStore,
    _ edit: (inout ItemTranslation.Shown) -> Void
  ) throws(KeychainError) -> Item {
    let made = try keychain.exclusively { () throws(KeychainError) in
      let current = try present(item, isExact, in: keychain)
      var shown = ItemTranslation.shown(current)
      edit(&shown)
      let body: SharedSecret =
        if let body { body } else {
          SharedSecret(ItemTranslation.bodyForPrograms(of: current, try keychain.credential(of: current)))
        }
      let new = ItemTranslation.item(
        shown, body.secret, in: current.secretService.collection, orNamed: newName())
      try new.item.validate(with: new.credential)
      return try change(current, to: new, shown, body, in: keychain)
    }
    return keychain.committed(made)
  }

  static func delete(
    _ item: Item, isExact: Bool, in keychain: any KeychainStore
  ) throws(KeychainError) {
    try keychain.exclusively { () throws(KeychainError) in
      if isExact { _ = try present(item, isExact, in: keychain) }
      try keychain.delete([item])
    }
  }

  /// Makes an item of the keychain match a program's item. It keeps its reference and people's notes.
  private static func change(
    _ item: Item, to new: borrowing Answer, _ shown: ItemTranslation.Shown, _ body: SharedSecret,
    in keychain: any KeychainStore
  ) throws(KeychainError) -> Item {
    var changed = new.item
    let twins = new.item.key.secretServiceItem == nil ? try twins(of: new.item, in: keychain) : []
    let isTaken = twins.contains { $0.reference != item.reference }
    var answer: Answer?
    if isTaken {
      let other = ItemTranslation.other(
        shown, body.secret, in: new.item.secretService.collection, named: newName())
      changed = other.item
      answer = consume other
    }
    // An item that has a name of its own keeps it.
    if let name = item.key.secretServiceItem, changed.key.secretServiceItem != nil {
      changed.key = .secretService(name)
    }
    changed.reference = item.reference
    changed.comment = changed.comment ?? item.comment
    changed.itemDescription = changed.itemDescription ?? item.itemDescription
    changed.isDefault = changed.isDefault || item.isDefault
    if changed.furtherAttributes.isEmpty { changed.furtherAttributes = item.furtherAttributes }
    switch answer {
    case .some(let other): return try keychain.update(changed, other.credential)
    case .none: return try keychain.update(changed, new.credential)
    }
  }

  private static func twins(of item: Item, in keychain: any KeychainStore) throws(KeychainError) -> [Item] {
    try items(like: item, in: keychain).filter { $0.key.primaryKey == item.key.primaryKey }
  }

  /// The items with this item's key. Uses a query, because a person may have to allow it, and nobody is asked about a
  /// list.
  private static func items(
    like item: Item, in keychain: any KeychainStore
  ) throws(KeychainError) -> [Item] {
    let query: ItemQuery
    do throws(KeychainError) {
      query = try ItemQuery(for: item.key)
    } catch {
      query = .criteria(ItemCriteria(item.key))
    }
    return try keychain.items(matching: query)
  }

  /// Whether the items are unchanged, in their order.
  ///
  /// - Parameter isListed: whether they are in the list of all items, if the keychain is another machine's. Listed
  ///   items need no question.
  static func unchanged(
    _ items: [Item], isListed: Bool, in keychain: any KeychainStore
  ) throws(KeychainError) -> [Bool] {
    var present = isListed ? try keychain.items(matching: .all) : []
    var unchanged: [Bool] = []
    for item in items {
      if !isListed { present = try self.items(like: item, in: keychain) }
      unchanged.append(present.contains(item))
    }
    return unchanged
  }

  /// The present state of the item.
  ///
  /// - Parameter isExact: whether it must be unchanged; if not so, it counts as gone.
  private static func present(
    _ item: Item, _ isExact: Bool, in keychain: any KeychainStore
  ) throws(KeychainError) -> Item {
    let same = try items(like: item, in: keychain)
    if isExact, !same.contains(item) { throw .itemNotFound }
    if let found = same.first(where: { $0.reference == item.reference }) { return found }
    // It may have another key by now.
    let all = try keychain.items(matching: .all)
    guard let found = all.first(where: { $0.reference == item.reference }) else { throw .itemNotFound }
    return found
  }

  /// Makes a collection or changes its record. `nil` leaves a value as it is.
  static func putCollection(
    _ name: ByteString, label: String?, isDefault: Bool?, in keychain: any KeychainStore
  ) throws(KeychainError) -> [Item] {
    let made = try keychain.exclusively { () throws(KeychainError) in
      var changed: [Item] = []
      let records = try collectionRecords(in: keychain)
      if isDefault == true {
        for var other in records where other.isDefault && other.key.secretServiceItem?.name != name {
          other.isDefault = false
          changed.append(try keychain.update(other))
        }
      }
      if var record = records.first(where: { $0.key.secretServiceItem?.name == name }) {
        if let label { record.label = ByteString(label) }
        record.isDefault = isDefault ?? record.isDefault
        changed.append(try keychain.update(record))
      } else {
        let key = SecretServiceItem(.collection, name: name).item.key
        let record = Item(key, label: ByteString(label ?? name.description), isDefault: isDefault ?? false)
        changed.append(try keychain.add(record, Credential(Secret())))
      }
      return changed
    }
    return made.map(keychain.committed)
  }

  /// Deletes a collection with everything in it.
  ///
  /// - Parameter items: the only items to delete, if they are unchanged; `nil` for all.
  static func deleteCollection(
    _ name: ByteString, _ items: [Item]?, in keychain: any KeychainStore
  ) throws(KeychainError) {
    try keychain.exclusively { () throws(KeychainError) in
      let record = SecretServiceItem(.collection, name: name).item.key
      let gone = try keychain.items(matching: .all).filter { item in
        if item.key == record { return true }
        return item.secretService.collection == name && items?.contains(item) ?? true
      }
      let count = gone.count { $0.key != record }
      if let items, count < items.count { throw .itemNotFound }
      try keychain.delete(gone)
    }
  }

  private static func collectionRecords(in keychain: any KeychainStore) throws(KeychainError) -> [Item] {
    var criteria = ItemCriteria()
    criteria.itemClass = .secretServiceCollection
    return try keychain.items(matching: .criteria(criteria))
  }

  /// A name that no other item has: 128 random bits.
  static func newName() -> ByteString {
    ByteString(hexadecimal((0..<16).map { _ in UInt8.random(in: 0...255) }))
  }
}
