import Bytes
import Keychain

/// Which items an earlier keychain's item with the same key answers for. One keychain may have several with one key.
struct Shadows {
  /// The first keychain that has an item with a key; `nil` if it was asked alone.
  private var first: [Item.Key: String?] = [:]

  /// Takes the next item in the order of the keychains, and tells whether an earlier keychain answers for it.
  mutating func cover(_ item: Item) -> Bool {
    let key = item.key.primaryKey
    if let keychain = first[key] { return keychain != item.keychain }
    first.updateValue(item.keychain, forKey: key)
    return false
  }
}

extension Item.Key {
  /// Whether it has the account; an empty one also names items without one, and none names all.
  func isOf(account: String?) -> Bool {
    guard let account else { return true }
    return self.account.map { $0 == ByteString(account) } ?? account.isEmpty
  }
}

extension [Item] {
  /// Each item once, and without those that an earlier keychain's items shadow. One keychain may have several items with
  /// the same key.
  var withoutShadowed: [Item] {
    var seen: Set<ItemReference> = []
    var shadows = Shadows()
    return filter { item in
      if let reference = item.reference, !seen.insert(reference).inserted { return false }
      return !shadows.cover(item)
    }
  }

  /// Whether several have the same key, so that no place and no account tells them apart.
  var haveTwins: Bool { Set(map(\.key.primaryKey)).count < count }

  /// Their names, with the labels of those that are called the same.
  var namesApart: [String] {
    let names = map(\.key.nameInTable)
    return zip(self, names).map { item, name in
      guard names.count(where: { $0 == name }) > 1, let label = item.label.nonEmpty else { return name }
      return "\(label) (\(name))"
    }
  }
}
