import Foundation
import Keychain

struct ItemRequest {
  /// The function that got the dictionary.
  enum Operation: Hashable, Sendable {
    case add, search, update, delete
  }

  /// The values that `kSecReturn…` asks for.
  struct Returns: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let data = Returns(rawValue: 1)
    static let attributes = Returns(rawValue: 2)
    static let reference = Returns(rawValue: 4)
    static let persistentReference = Returns(rawValue: 8)
  }

  /// Whether the user may be asked to unlock something (`kSecUseAuthenticationUI`).
  enum AuthenticationUI: Hashable, Sendable {
    case allow, fail, skip
  }

  /// The class; `nil` only if ``names`` identifies the items.
  var itemClass: ItemClass?
  /// The attributes, without those that every item matches.
  var attributes: [ItemAttribute: ByteString] = [:]
  /// `kSecValueData`
  var secret: Data?
  /// The items named by references; `nil` if there are none.
  var names: [ItemName]?
  var certificate: SecCertificate?
  /// The maximum number of items to return.
  var limit = 1
  var returns: Returns = []
  var ignoresCase = false
  /// The host that the server must equal or be a subdomain of.
  var hostOrParent: ByteString?
  var authenticationUI = AuthenticationUI.allow
  /// The names of the keychains to look in, or to add to; `nil` for those that `llavero` itself would use.
  var keychains: [String]?
}

/// An item that a caller identifies by name, not by attributes.
enum ItemName: Hashable, Sendable {
  case reference(PersistentReference)
  /// A certificate, by its primary key.
  case certificate(issuer: ByteString, serialNumber: ByteString)

  /// Parses an element of `kSecMatchItemList`, or the value of `kSecValueRef` or `kSecValuePersistentRef`.
  ///
  /// - Throws: `errSecParam` if it is not a name.
  init(_ value: Any) throws(StatusError) {
    if let data = value as? Data, let reference = PersistentReference(data) {
      self = .reference(reference)
    } else if let item = value as? SecKeychainItem {
      self = .reference(item.persistentReference)
    } else if let certificate = value as? SecCertificate {
      self = .certificate(
        issuer: certificate.fields.issuer, serialNumber: certificate.fields.serialNumber)
    } else {
      throw StatusError(errSecParam)
    }
  }

  var itemClass: ItemClass {
    switch self {
    case .reference(let reference): reference.itemClass
    case .certificate: .certificate
    }
  }
}
