import Bytes
import Keychain

/// What is known of a path.
enum KnownPath {
  /// An item.
  case item(StoredItem)
  /// Nothing, and the number of the newest version that was there before; 0 if there was none.
  case absent(version: Int)
  /// Nothing any more: the item is at another path, which this version says.
  case moved(to: ItemPath, version: Int)
  /// Something that is no item of llavero's, in this version.
  case foreign(version: Int)
  /// The policies don't allow reading.
  case forbidden

  /// The item, if it is one.
  var item: StoredItem? {
    if case .item(let item) = self { item } else { nil }
  }
}

/// An item with all that belongs to it, in one version.
final class StoredItem {
  let path: ItemPath
  /// The version's number; 0 for one that isn't written yet.
  let version: Int
  let record: ItemRecord

  init(_ record: consuming ItemRecord, at path: ItemPath, version: Int) {
    self.record = record
    self.path = path
    self.version = version
  }

  /// The keychain's name for it: the path at which it was added, and when. One that was deleted and added again is
  /// another item.
  var reference: ItemReference {
    let date = record.created.map { Array($0.text) } ?? []
    return ItemReference(ByteString(Array((record.origin ?? path).text.utf8) + [0x20] + date))
  }

  /// The item with its reference.
  var item: Item {
    var item = record.item
    item.reference = reference
    return item
  }

  /// The path in a reference; `nil` if it isn't one of this kind of keychain.
  static func path(in reference: ItemReference) -> ItemPath? {
    let bytes = reference.bytes.bytes
    guard let space = bytes.firstIndex(of: 0x20) else { return nil }
    return ItemPath(parsing: String(decoding: bytes[..<space], as: UTF8.self))
  }
}
