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
    let kind = item.key.itemClass
    if let itemClass, kind != itemClass { return false }
    if let reference, !item.isNamed(by: ByteString(reference)) { return false }
    if !lookup.all.isEmpty, !(item.secretService.lookup?.includes(lookup) ?? false) { return false }
    return patterns.allSatisfy { attribute, pattern in
      let value = item.searched(attribute)
      return !attribute.excludes(kind)
        && (pattern.isEmpty ? value.nonEmpty == nil : value.map(pattern.matches) ?? false)
    }
  }
}
