import Keychain
import SecretService

extension Holdings {
  struct Differences {
    var made: [ServedItem] = []
    var changed: [ServedItem] = []
    var gone: [ServedItem] = []
    var madeCollections: [ByteString] = []
    var changedCollections: [ByteString] = []
    var goneCollections: [ByteString] = []
  }

  /// Takes all items in the keychain. Items in memory stay.
  ///
  /// - Parameters:
  ///   - newer: the paths of objects changed or deleted since `all` was read.
  ///   - unlisted: the paths of items that may be missing from `all`.
  mutating func take(
    _ all: [Item], leaving newer: Set<String> = [], keeping unlisted: Set<String> = []
  ) -> Differences {
    var differences = Differences()
    let before = collections
    var seen: Set<String> = []
    var records: Set<ByteString> = []
    // The newest come first there, and are put last here.
    for item in all.reversed() {
      if let key = item.key.secretServiceItem, key.kind == .collection {
        records.insert(key.name)
        if collections[key.name]?.item != item { put(item) }
        continue
      }
      guard let reference = item.reference else { continue }
      let path = ObjectPath.item(reference.bytes, in: item.secretService.collection ?? CollectionName.login)
      seen.insert(path)
      if newer.contains(path) { continue }
      let former = items[path]
      // Comparing is much faster than translating the item for programs again.
      if former?.item == item { continue }
      put(item)
      guard let served = items[path] else { continue }
      if former == nil { differences.made.append(served) } else { differences.changed.append(served) }
    }
    for item in items.values
    where item.item != nil && !seen.contains(item.path) && !newer.contains(item.path)
      && !unlisted.contains(item.path)
    {
      differences.gone.append(item)
      remove(item.path)
    }
    for (name, collection) in collections where collection.item != nil && !records.contains(name) {
      removeRecord(of: name)
    }
    for (name, collection) in collections {
      guard let former = before[name] else {
        differences.madeCollections.append(name)
        continue
      }
      if former.label != collection.label { differences.changedCollections.append(name) }
    }
    differences.goneCollections = before.keys.filter { collections[$0] == nil }
    return differences
  }
}
