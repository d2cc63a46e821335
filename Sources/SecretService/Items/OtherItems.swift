import Bytes
import CSecret
public import Keychain

extension SecretServiceKeychain {
  func other(_ stored: StoredItem) -> Item {
    let shown = ItemTranslation.Shown(
      attributes: stored.lookup, label: stored.label, contentType: ItemTranslation.plainText)
    return ItemTranslation.other(
      shown, Secret(), in: collectionInFile(of: stored.path), named: otherName(of: stored)
    ).item.as(stored)
  }

  /// Whether it is such an item, and they are included.
  func describesNoLogin(_ stored: StoredItem) -> Bool {
    settings.includesOtherItems
      && (stored.exactAttributes != nil || ItemAttributes.key(of: stored.attributes) == nil)
  }

  /// The name of an item that is no login: its path and creation date, because gnome-keyring reuses paths.
  private func otherName(of stored: StoredItem) -> ByteString {
    let parts = Array(stored.path.split(separator: "/").suffix(2))
    guard parts.count == 2 else { return ByteString(stored.path) }
    let collection = ObjectPath.name(parts[0])
    return ByteString("\(collection)/\(parts[1])@\(stored.created?.seconds ?? 0)")
  }

  /// An item's collection, as in the encrypted file, where items without one belong to the login collection.
  private func collectionInFile(of path: String) -> ByteString? {
    let name = ObjectPath.name(collectionName(of: path))
    return name == CollectionName.login ? nil : name
  }

  /// Whether a collection is only in memory, so that its items are useless elsewhere.
  func isSessionCollection(_ path: String) -> Bool { collectionName(of: path) == "session" }

  // MARK: Collections

  /// The persistent collections, as items; empty if only logins are included.
  func collectionItems() throws(KeychainError) -> [Item] {
    guard settings.includesOtherItems else { return [] }
    let collections =
      settings.collection == nil
      ? try reporting(service.collections()) : try existingCollection().map { [$0] } ?? []
    var items: [Item] = []
    for path in collections where !isSessionCollection(path) {
      let name = ObjectPath.name(collectionName(of: path))
      var item = Item(
        SecretServiceItem(.collection, name: name).item.key, label: ByteString(try label(ofCollection: path)),
        isDefault: path == service.defaultCollection)
      item.reference = ItemReference(ByteString(path))
      items.append(item)
    }
    return items
  }

  /// The collection for an item from elsewhere.
  ///
  /// - Throws: ``KeychainError/noCollection(_:)`` if there is none of its name.
  func collection(for item: Item) throws(KeychainError) -> String {
    guard settings.includesOtherItems else { return try collectionForNewItems() }
    let paths = try reporting(service.collections())
    func path(named name: ByteString) -> String? {
      paths.first { ObjectPath.name(collectionName(of: $0)) == name }
    }
    if let name = item.secretService.collection {
      let only = settings.collection == nil ? nil : try existingCollection()
      guard let path = path(named: name), only == nil || path == only else {
        throw .noCollection(name.description)
      }
      return path
    }
    // It came from there, even if new items go elsewhere.
    if settings.collection == nil, let path = path(named: CollectionName.login) { return path }
    return try collectionForNewItems()
  }

  // MARK: Reading and writing without loss

  /// An item with everything that the service has of it.
  public func whole(_ item: Item, asLogin: Bool) throws(KeychainError) -> Answer {
    guard let reference = item.reference else { throw .itemNotFound }
    if item.key.secretServiceItem?.kind == .collection {
      return Answer(item: item, credential: Credential(Secret()))
    }
    return try repeatable { () throws(KeychainError) in try whole(reference, asLogin: asLogin) }
  }

  /// An item as programs find it.
  public func asProgramsFind(_ item: Item) throws(KeychainError) -> Item {
    guard let reference = item.reference else { throw .itemNotFound }
    if item.key.secretServiceItem?.kind == .collection { return item }
    return try repeatable { () throws(KeychainError) in
      let stored = try readableItem(at: StoredItem.path(of: reference))
      if stored.reference != reference { throw .itemNotFound }
      return other(stored)
    }
  }

  private func whole(_ reference: ItemReference, asLogin: Bool) throws(KeychainError) -> Answer {
    let held = try held(reference)
    let stored = held.stored
    if stored.exactAttributes == nil, let item = ItemAttributes.item(of: stored),
      item.key.secretServiceItem != nil
    {
      return Answer(item: item, credential: SecretBody.decode(held.secret.body, as: .whole))
    }
    let shown = ItemTranslation.Shown(
      attributes: stored.lookup, label: stored.label, contentType: held.secret.contentType)
    let (collection, name) = (collectionInFile(of: stored.path), otherName(of: stored))
    let answer =
      asLogin
      ? ItemTranslation.item(shown, held.secret.body, in: collection, orNamed: name)
      : ItemTranslation.other(shown, held.secret.body, in: collection, named: name)
    return Answer(
      item: ItemTranslation.withoutRepetition(answer.item, shown, held.secret.body).as(stored),
      credential: answer.credential.copy())
  }
}

extension Item {
  /// The item with its dates and reference in the service.
  fileprivate func `as`(_ stored: StoredItem) -> Item {
    var item = self
    item.creationDate = stored.created
    item.modificationDate = stored.modified
    item.reference = stored.reference
    return item
  }
}
