import Foundation
import Keychain

/// The changes that `SecItemUpdate` makes to every item that matches.
struct ItemChanges {
  private var attributes: [ItemAttribute: ByteString] = [:]
  /// The new secret; `nil` to keep each item's.
  var secret: Data?

  /// Reads the dictionary of changes.
  ///
  /// - Throws: `errSecNoSuchAttr` for a key that is not an attribute of the class; `errSecParam` for an invalid value.
  init(_ dictionary: CFDictionary, of itemClass: ItemClass?) throws(StatusError) {
    guard let dictionary = dictionary as? [String: Any] else { throw StatusError(errSecParam) }
    for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
      if key == kSecValueData {
        guard let data = value as? Data else { throw StatusError(errSecParam) }
        secret = data
        continue
      }
      if !ItemAttribute.isTag(key) { throw StatusError(errSecNoSuchAttr) }
      let attribute = try ItemAttribute(tag: key, of: itemClass)
      let bytes = try attribute.form.bytes(of: value)
      if attribute == .synchronizable, bytes == AttributeForm.bothKinds { throw StatusError(errSecParam) }
      if let other = attributes[attribute.place], other != bytes { throw StatusError(errSecParam) }
      attributes[attribute.place] = bytes
    }
  }

  /// The item with the changes applied.
  ///
  /// - Throws: `errSecReadOnlyAttr` for a date other than the one set by the keychain; `errSecNoSuchAttr` if an item of
  ///   this class doesn't have the attribute.
  func applied(to item: Item) throws(StatusError) -> Item {
    var changed = item
    for (attribute, bytes) in attributes {
      if !attribute.classes.contains(item.key.itemClass) { throw StatusError(errSecNoSuchAttr) }
      if attribute.tag == "cdat" || attribute.tag == "mdat", item.bytes(of: attribute) != bytes {
        throw StatusError(errSecReadOnlyAttr)
      }
      changed.set(attribute, to: bytes)
    }
    return changed
  }
}
