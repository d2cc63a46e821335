import Foundation
import Keychain

struct ItemResult {
  let item: Item
  let keychain: String
  /// The secret; `nil` if it isn't needed.
  let secret: Data?

  /// The value in the form that `returns` asks for: a single value by itself, several in a dictionary.
  func value(_ returns: ItemRequest.Returns) -> Any {
    switch returns {
    case .data: return secret ?? Data()
    case .reference: return reference
    case .persistentReference: return persistentReference.data
    default: break
    }
    var values: [String: Any] = returns.contains(.attributes) ? item.attributeValues : [:]
    if returns.contains(.data) { values[kSecValueData] = secret ?? Data() }
    if returns.contains(.reference) { values[kSecValueRef] = reference }
    if returns.contains(.persistentReference) { values[kSecValuePersistentRef] = persistentReference.data }
    return values
  }

  private var persistentReference: PersistentReference {
    PersistentReference(
      keychain: keychain, itemClass: item.key.itemClass, reference: item.reference ?? ItemReference(""))
  }

  private var reference: AnyObject {
    if item.key.itemClass == .certificate, let secret, let certificate = SecCertificate(secret) {
      return certificate
    }
    return SecKeychainItem(persistentReference)
  }
}

extension ItemRequest.Returns {
  /// Whether the secret of an item of this class is needed. A certificate's reference is made from it.
  func needsSecret(of itemClass: ItemClass) -> Bool {
    contains(.data) || contains(.reference) && itemClass == .certificate
  }
}

extension Item {
  /// The item's attributes by their keys, and its class.
  fileprivate var attributeValues: [String: Any] {
    var values: [String: Any] = [kSecClass: key.itemClass.constant]
    for attribute in ItemAttribute.all(of: key.itemClass) {
      guard let bytes = bytes(of: attribute) else { continue }
      values[attribute.tag] = attribute.form.value(of: bytes)
    }
    return values
  }
}
