import Bytes
import CGcrypt
import Keychain
import SecretService

/// An item in one state.
///
/// A class, because a search goes through all of them.
final class ServedItem: Sendable {
  let path: String
  let collection: ByteString
  let shown: ItemTranslation.Shown
  /// When it was made and changed, in seconds since 1970; 0 if unknown.
  let created: UInt64
  let modified: UInt64
  /// The keychain's item; `nil` if this one is only in memory.
  let item: Item?

  /// An item of the keychain.
  ///
  /// - Parameter collection: the collection for items that name none.
  init?(_ item: Item, standard collection: ByteString) {
    guard let reference = item.reference else { return nil }
    let name = item.secretService.collection ?? collection
    path = ObjectPath.item(reference.bytes, in: name)
    self.collection = name
    shown = ItemTranslation.shown(item)
    created = Self.seconds(item.creationDate)
    modified = Self.seconds(item.modificationDate ?? item.creationDate)
    self.item = item
  }

  /// An item that is kept in memory only.
  init(_ shown: ItemTranslation.Shown, named name: ByteString, in collection: ByteString, at now: Timestamp) {
    path = ObjectPath.item(name, in: collection)
    self.collection = collection
    self.shown = shown
    created = Self.seconds(now)
    modified = created
    item = nil
  }

  /// An item in memory with new contents.
  init(_ former: ServedItem, showing shown: ItemTranslation.Shown, at now: Timestamp) {
    (path, collection, created) = (former.path, former.collection, former.created)
    self.shown = shown
    modified = Self.seconds(now)
    item = nil
  }

  /// The item's place and attributes as one value in hexadecimal digits (SHA-256 of the texts, each after its length),
  /// by which decisions recognize them. If a program makes another login of an item, the item keeps its reference but
  /// gets another mark.
  var mark: String {
    Gcrypt.start()
    var text: [UInt8] = []
    func add(_ part: ByteString) { text += Array("\(part.bytes.count):".utf8) + part.bytes }
    if let item { add(ByteString(item.key.name)) }
    for attribute in shown.attributes.all {
      add(attribute.name)
      add(attribute.value)
    }
    var hash = [UInt8](repeating: 0, count: 32)
    text.withUnsafeBytes { cgcrypt_sha256($0.lent, &hash) }
    return hexadecimal(hash)
  }

  static func seconds(_ date: Timestamp?) -> UInt64 {
    guard let date, date.seconds > 0 else { return 0 }
    return UInt64(date.seconds)
  }

  /// The content type that programs are told. For text it always has one spelling, however it was given: libsecret
  /// accepts no other, while gh and Git Credential Manager have their own.
  var toldContentType: String {
    let isText = [
      "text/plain; charset=utf8", "text/plain; charset=utf-8", "text/plain;charset=utf-8", "plain/text",
    ]
    .contains(shown.contentType.lowercased())
    return isText ? ItemTranslation.plainText : shown.contentType
  }

  /// Items as search results have them: first those chosen by a person, then the newest.
  static func preferredFirst(_ items: [ServedItem]) -> [ServedItem] {
    // Moving these is cheaper than moving items.
    struct Place {
      let isDefault: Bool
      let milliseconds: Int64
      let index: Int
    }
    let places = items.indices.map { index in
      let item = items[index]
      let date = item.item?.modificationDate?.milliseconds ?? Int64(clamping: item.modified) * 1000
      return Place(isDefault: item.item?.isDefault ?? false, milliseconds: date, index: index)
    }
    return places.sorted { left, right in
      if left.isDefault != right.isDefault { return left.isDefault }
      if left.milliseconds != right.milliseconds { return left.milliseconds > right.milliseconds }
      return items[left.index].path > items[right.index].path
    }.map { items[$0.index] }
  }
}

struct ServedCollection {
  let name: ByteString
  var label: String
  var created: UInt64 = 0
  var modified: UInt64 = 0
  /// Whether a program has made it the default one.
  var isDefault = false
  /// The collection's record in the keychain; `nil` if there is none.
  var item: Item?

  var path: String { ObjectPath.collection(name) }
}
