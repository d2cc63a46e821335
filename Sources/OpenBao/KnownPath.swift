import Bytes
package import Keychain

enum KnownPath {
  case item(StoredItem)
  /// Nothing; with the number of the newest version that was deleted, or 0 if there was none.
  case absent(version: Int)
  /// Nothing any more: this version says that the item has moved to another path.
  case moved(to: ItemPath, version: Int)
  /// Something other than an item of llavero's, in this version.
  case foreign(version: Int)
  case forbidden

  var item: StoredItem? {
    if case .item(let item) = self { item } else { nil }
  }
}

/// An item with everything that belongs to it, in one version.
package final class StoredItem {
  package let path: ItemPath
  /// The version's number; 0 before it is written.
  let version: Int
  let record: ItemRecord

  init(_ record: consuming ItemRecord, at path: ItemPath, version: Int) {
    self.record = record
    self.path = path
    self.version = version
  }

  /// The keychain's name for it: the path where it was added, and when. An item that was deleted and added again is a
  /// new one.
  var reference: ItemReference {
    let date = record.created.map { Array($0.text) } ?? []
    return ItemReference(ByteString(Array((record.origin ?? path).text.utf8) + [0x20] + date))
  }

  package var item: Item {
    var item = record.item
    item.reference = reference
    return item
  }

  /// The path in a reference; `nil` if it isn't of this kind of keychain.
  static func path(in reference: ItemReference) -> ItemPath? {
    let bytes = reference.bytes.bytes
    guard let space = bytes.firstIndex(of: 0x20) else { return nil }
    return ItemPath(parsing: String(decoding: bytes[..<space], as: UTF8.self))
  }
}
