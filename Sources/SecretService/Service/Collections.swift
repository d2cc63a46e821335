import Keychain

extension SecretServiceKeychain {
  /// The collection for new items.
  ///
  /// - Throws: ``KeychainError/noCollection(_:)``
  func collectionForNewItems() throws(KeychainError) -> String {
    guard let path = try existingCollection() else { throw .noCollection(nil) }
    if path.hasSuffix("/session") { settings.onNotice(.notLasting(collection: "session")) }
    return path
  }

  /// The requested collection, else that of the alias `default`, else the one named `login`; `nil` if there is none of
  /// these.
  ///
  /// - Throws: ``KeychainError/noCollection(_:)`` if the requested one doesn't exist.
  func existingCollection() throws(KeychainError) -> String? {
    if let chosenCollection { return chosenCollection }
    if settings.collection == nil, let path = service.defaultCollection {
      chosenCollection = path
      return path
    }
    let name = settings.collection
    let paths = try reporting(service.collections())
    chosenCollection = paths.first { collectionName(of: $0) == name ?? "login" }
    if chosenCollection == nil, let name {
      for path in paths where try label(ofCollection: path) == name { chosenCollection = path }
      if chosenCollection == nil { throw .noCollection(name) }
    }
    return chosenCollection
  }

  func label(ofCollection path: String) throws(KeychainError) -> String {
    try reporting(
      service.property("Label", of: Interface.collection, at: path).text(of: "property Label"))
  }

  func isLocked(_ collection: String) throws(KeychainError) -> Bool {
    try reporting(service.isLocked(collection))
  }

  /// The name of a collection, or of the collection of an item.
  func collectionName(of path: String) -> String {
    let parts = path.split(separator: "/")
    // org, freedesktop, secrets, collection, NAME, ITEM
    return parts.count > 4 ? String(parts[4]) : path
  }
}
