import Bytes
import CGcrypt
import Keychain
import SecretService

/// An item as programs see it on the bus, without its secret.
struct ServedItem {
  /// The object's path.
  let path: String
  /// The name of its collection.
  let collection: ByteString
  /// What programs see of it.
  var shown: ItemTranslation.Shown
  /// When it was made and changed, in seconds since 1970; 0 if that isn't known.
  let created: UInt64
  var modified: UInt64
  /// The item of the keychain; `nil` for one that is kept in memory alone.
  var item: Item?

  /// An item of the keychain.
  ///
  /// - Parameter collection: the collection of items that name none.
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

  /// An item that is kept in memory.
  init(_ shown: ItemTranslation.Shown, named name: ByteString, in collection: ByteString, at now: Timestamp) {
    path = ObjectPath.item(name, in: collection)
    self.collection = collection
    self.shown = shown
    created = Self.seconds(now)
    modified = created
  }

  /// Stands for what a person is asked about: the item's place and attributes, in hexadecimal digits. An item keeps its
  /// reference when a program makes another login of it, and then has another mark (SHA-256 of the texts, each after
  /// its length).
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

  /// The content type that programs are told. That of a text is always spelled in one way, however it was given:
  /// libsecret takes no other for a text, and gh and Git Credential Manager have spellings of their own.
  var toldContentType: String {
    let isText = [
      "text/plain; charset=utf8", "text/plain; charset=utf-8", "text/plain;charset=utf-8", "plain/text",
    ]
    .contains(shown.contentType.lowercased())
    return isText ? ItemTranslation.plainText : shown.contentType
  }

  /// Whether it comes before another among the answers to a search: what a person has chosen, then the newest.
  func isPreferred(to other: ServedItem) -> Bool {
    let (left, right) = (item?.isDefault ?? false, other.item?.isDefault ?? false)
    if left != right { return left }
    let dates = (item?.modificationDate?.milliseconds, other.item?.modificationDate?.milliseconds)
    if let left = dates.0, let right = dates.1, left != right { return left > right }
    if modified != other.modified { return modified > other.modified }
    return path > other.path
  }
}

/// A collection as programs see it on the bus.
struct ServedCollection {
  let name: ByteString
  var label: String
  let created: UInt64
  var modified: UInt64
  /// Whether a program has made it the default one.
  var isDefault = false
  /// The record of the keychain; `nil` if there is none.
  var item: Item?

  var path: String { ObjectPath.collection(name) }
}
