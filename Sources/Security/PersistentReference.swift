import Foundation
import Keychain

/// A name for an item that is valid in any process, as long as the item is in its keychain: the kind of keychain, the
/// class, and the keychain's own name for the item.
struct PersistentReference: Hashable, Sendable {
  /// The kind of keychain, by the name with which people choose it.
  let keychain: String
  let itemClass: ItemClass
  let reference: ItemReference

  // The layout: these bytes, the four characters of the class, a byte with the length of the kind, the kind, and the
  // reference.
  private static let start = Array("llavero\u{1}".utf8)

  init(keychain: String, itemClass: ItemClass, reference: ItemReference) {
    self.keychain = keychain
    self.itemClass = itemClass
    self.reference = reference
  }

  /// Parses the contents of ``data``; `nil` for anything else.
  init?(_ data: Data) {
    var rest = [UInt8](data)[...]
    guard rest.starts(with: Self.start) else { return nil }
    rest = rest.dropFirst(Self.start.count)
    guard let itemClass = ItemClass(constant: String(decoding: rest.prefix(4), as: UTF8.self)),
      let length = rest.dropFirst(4).first
    else { return nil }
    rest = rest.dropFirst(5)
    guard rest.count > Int(length),
      let keychain = String(validating: rest.prefix(Int(length)), as: UTF8.self)
    else { return nil }
    self.keychain = keychain
    self.itemClass = itemClass
    reference = ItemReference(ByteString(Array(rest.dropFirst(Int(length)))))
  }

  /// The form that programs save.
  var data: Data {
    var bytes = Self.start + Array(itemClass.constant.utf8)
    bytes.append(UInt8(truncatingIfNeeded: keychain.utf8.count))
    bytes += Array(keychain.utf8) + reference.bytes.bytes
    return Data(bytes)
  }
}
