import Keychain
import SecretService

/// All served items, with an index of every attribute.
struct Holdings {
  private(set) var items: [String: ServedItem] = [:]
  fileprivate(set) var collections: [ByteString: ServedCollection] = [:]
  private var byAttribute: [LookupAttributes.Attribute: Set<String>] = [:]
  private var byCollection: [ByteString: CollectionMembers] = [:]

  init(_ all: [Item] = []) {
    collections[CollectionName.login] = Self.login
    // A keychain lists the newest first, and a collection the oldest.
    for item in all.reversed() { put(item) }
  }

  private static var login: ServedCollection {
    ServedCollection(name: CollectionName.login, label: "Login")
  }

  /// Takes an item or a collection in its present state. Returns the object's path; `nil` for an item that isn't
  /// stored.
  @discardableResult
  mutating func put(_ item: Item) -> String? {
    if let key = item.key.secretServiceItem, key.kind == .collection {
      collections[key.name] = ServedCollection(
        name: key.name, label: item.label?.text ?? key.name.description,
        created: ServedItem.seconds(item.creationDate), modified: ServedItem.seconds(item.modificationDate),
        isDefault: item.isDefault, item: item)
      return ObjectPath.collection(key.name)
    }
    guard let served = ServedItem(item, standard: CollectionName.login) else { return nil }
    put(served)
    return served.path
  }

  mutating func put(_ item: ServedItem) {
    remove(item.path)
    items[item.path] = item
    byCollection[item.collection, default: CollectionMembers()].insert(item)
    for attribute in item.shown.attributes.all { byAttribute[attribute, default: []].insert(item.path) }
    if collections[item.collection] == nil {
      // Its record may come later, or was removed by another machine.
      let name = item.collection
      collections[name] = ServedCollection(name: name, label: name.description)
    }
  }

  mutating func remove(_ path: String) {
    guard let item = items.removeValue(forKey: path) else { return }
    byCollection[item.collection]?.remove(item)
    for attribute in item.shown.attributes.all {
      byAttribute[attribute]?.remove(path)
      if byAttribute[attribute]?.isEmpty ?? false { byAttribute[attribute] = nil }
    }
  }

  /// Removes a collection with its items. The login collection stays, under its usual label.
  mutating func remove(collection name: ByteString) {
    for path in paths(in: name).reversed() { remove(path) }
    byCollection[name] = nil
    collections[name] = name == CollectionName.login ? Self.login : nil
  }

  /// Forgets a collection's record after its removal. A collection that still has items stays.
  mutating func removeRecord(of name: ByteString) {
    if count(in: name) == 0 { return remove(collection: name) }
    collections[name] = ServedCollection(name: name, label: name.description)
  }

  /// The paths of a collection's items, the oldest first.
  func paths(in collection: ByteString) -> [String] { byCollection[collection]?.paths ?? [] }

  func count(in collection: ByteString) -> Int { byCollection[collection]?.count ?? 0 }

  /// When a collection was made. The login collection has no record with a date, so its oldest item tells.
  func created(_ collection: ServedCollection) -> UInt64 {
    collection.created != 0 ? collection.created : byCollection[collection.name]?.created ?? 0
  }

  /// When a collection was last changed. New items don't change its record, so they count too.
  func modified(_ collection: ServedCollection) -> UInt64 {
    max(collection.modified, byCollection[collection.name]?.modified ?? 0)
  }

  /// The items with all of these attributes, the preferred one first; without attributes, every item.
  func search(_ wanted: LookupAttributes, in collection: ByteString? = nil) -> [ServedItem] {
    var exact: [LookupAttributes.Attribute] = []
    var asksForGeneric = false
    for attribute in wanted.all {
      // Services invent this schema for items stored without one, so both count as the same.
      if attribute.name == Self.schema, attribute.value == Self.genericSchema {
        asksForGeneric = true
      } else {
        exact.append(attribute)
      }
    }
    var candidates: Set<String>?
    for attribute in exact {
      guard let found = byAttribute[attribute] else { return [] }
      if found.count < candidates?.count ?? .max { candidates = found }
    }
    let paths =
      candidates.map(Array.init) ?? collection.map { self.paths(in: $0) } ?? Array(items.keys)
    let found = paths.compactMap { items[$0] }.filter { item in
      if let collection, item.collection != collection { return false }
      if asksForGeneric {
        let schema = item.shown.attributes[Self.schema]
        if schema != nil, schema != Self.genericSchema { return false }
      }
      return exact.allSatisfy { item.shown.attributes[$0.name] == $0.value }
    }
    return ServedItem.preferredFirst(found)
  }

  /// The item that a program replaces by storing these attributes: the one with exactly these. An empty set replaces
  /// nothing.
  func replaced(by wanted: LookupAttributes, in collection: ByteString) -> ServedItem? {
    if wanted.all.isEmpty { return nil }
    let count = wanted.withoutGenericSchema.all.count
    return search(wanted, in: collection).first {
      $0.shown.attributes.withoutGenericSchema.all.count == count
    }
  }

  private static let schema: ByteString = "xdg:schema"
  private static let genericSchema: ByteString = "org.freedesktop.Secret.Generic"
}

extension Holdings {
  /// Adds the collection that is kept in memory only.
  mutating func addSessionCollection() {
    let name = CollectionName.session
    if collections[name] == nil { collections[name] = ServedCollection(name: name, label: "Session") }
  }

  var defaultCollection: ByteString {
    collections.values.first { $0.isDefault }?.name ?? CollectionName.login
  }

  /// The collection with this alias; `nil` if there is none.
  func collection(alias: String) -> ByteString? {
    switch alias {
    case "default": defaultCollection
    case "login": CollectionName.login
    case "session": CollectionName.session
    default: nil
    }
  }
}
