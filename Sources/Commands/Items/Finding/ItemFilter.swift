import Keychain

/// A filter for items by their attributes. It doesn't decide which item answers for a place: that is an `ItemQuery`.
struct ItemFilter {
  var itemClass: ItemClass?
  /// An empty pattern matches an attribute that is absent or empty. The protocol's default port equals no port.
  var patterns: [Item.Attribute: GlobPattern]
  /// Attributes by which programs find the item in a Secret Service. It must have all of them, and may have more.
  var lookup = LookupAttributes()
  /// The keychain's own name for the item.
  var reference: String?
  /// Whether only secrets of a service match, and what is no password. Logins have places.
  var omitsLogins = false

  init(
    _ given: [Item.Attribute: String], itemClass: ItemClass? = nil,
    lookup: LookupAttributes = LookupAttributes(),
    reference: String? = nil
  ) {
    patterns = [:]
    for (attribute, text) in given {
      patterns[attribute] = GlobPattern(text, ignoringCase: attribute.ignoresCase)
    }
    self.itemClass = itemClass
    self.lookup = lookup
    self.reference = reference
  }

  func matches(_ item: Item) -> Bool {
    if !lookup.all.isEmpty, !(item.secretService.lookup?.includes(lookup) ?? false) { return false }
    return matchesApartFromLookup(item)
  }

  /// The same, also by the attributes of a password in the Secret Service that the keychain shows in another form.
  ///
  /// - Throws: ``KeychainError`` if the service doesn't answer.
  func matches(_ item: Item, in keychain: any KeychainStore) throws(KeychainError) -> Bool {
    if lookup.all.isEmpty || item.secretService.lookup != nil || !item.key.itemClass.isPassword {
      return matches(item)
    }
    guard matchesApartFromLookup(item) else { return false }
    let (store, original) = try keychain.original(of: item)
    guard let desktop = store as? any DesktopKeychain else { return false }
    do throws(KeychainError) {
      return try desktop.asProgramsFind(original).secretService.lookup?.includes(lookup) ?? false
    } catch .itemNotFound {
      return false
    }
  }

  /// The items of a keychain that match, out of these.
  ///
  /// - Throws: as ``matches(_:in:)`` does.
  func matching(_ items: [Item], in keychain: any KeychainStore) throws(KeychainError) -> [Item] {
    var found: [Item] = []
    for item in items where try matches(item, in: keychain) { found.append(item) }
    return found
  }

  private func matchesApartFromLookup(_ item: Item) -> Bool {
    let kind = item.key.itemClass
    if omitsLogins, kind != .genericPassword, kind != .secretServiceItem { return false }
    if let itemClass, kind != itemClass { return false }
    if let reference, !item.isNamed(by: ByteString(reference)) { return false }
    return patterns.allSatisfy { attribute, pattern in
      let value = item.searched(attribute)
      return !attribute.excludes(kind)
        && (pattern.isEmpty ? value.nonEmpty == nil : value.map(pattern.matches) ?? false)
    }
  }
}
