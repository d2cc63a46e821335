import Foundation
import Keychain

/// What names an item for as long as it is in its keychain, in any process: the kind of keychain, the class, and the
/// keychain's own name of the item.
struct PersistentReference: Hashable, Sendable {
  /// The kind of keychain, by the name that people choose it with.
  let keychain: String
  let itemClass: ItemClass
  let reference: ItemReference

  // The layout: these bytes, the class's four characters, a byte that counts those of the kind, the kind, and the
  // rest is the reference.
  private static let start = Array("llavero\u{1}".utf8)

  init(keychain: String, itemClass: ItemClass, reference: ItemReference) {
    self.keychain = keychain
    self.itemClass = itemClass
    self.reference = reference
  }

  /// Reads what ``data`` gave; `nil` for anything else.
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

  /// The form that programs keep.
  var data: Data {
    var bytes = Self.start + Array(itemClass.constant.utf8)
    bytes.append(UInt8(truncatingIfNeeded: keychain.utf8.count))
    bytes += Array(keychain.utf8) + reference.bytes.bytes
    return Data(bytes)
  }
}
