import Foundation
import Keychain

/// What a dictionary asks for, read once and checked.
struct ItemRequest {
  /// The function that the dictionary was given to.
  enum Operation: Hashable, Sendable {
    case add, search, update, delete
  }

  /// What `kSecReturn…` asks for.
  struct Returns: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let data = Returns(rawValue: 1)
    static let attributes = Returns(rawValue: 2)
    static let reference = Returns(rawValue: 4)
    static let persistentReference = Returns(rawValue: 8)
  }

  /// Whether somebody may be asked to unlock something (`kSecUseAuthenticationUI`).
  enum AuthenticationUI: Hashable, Sendable {
    case allow, fail, skip
  }

  /// The class; `nil` only where ``names`` says which items are meant.
  var itemClass: ItemClass?
  /// The attributes, without those that any item would answer.
  var attributes: [ItemAttribute: ByteString] = [:]
  /// `kSecValueData`
  var secret: Data?
  /// The items that are named by references; `nil` if none are.
  var names: [ItemName]?
  /// A certificate to add, from `kSecValueRef`.
  var certificate: SecCertificate?
  /// How many items are returned at most.
  var limit = 1
  var returns: Returns = []
  /// Whether letters of either case are the same.
  var ignoresCase = false
  /// The host that the server is, or is a subdomain of.
  var hostOrParent: ByteString?
  var authenticationUI = AuthenticationUI.allow
}

/// An item that a caller names, and doesn't describe.
enum ItemName: Hashable, Sendable {
  case reference(PersistentReference)
  /// A certificate by what makes it the one it is.
  case certificate(issuer: ByteString, serialNumber: ByteString)

  /// The name that an element of `kSecMatchItemList` or the value of `kSecValueRef` or `kSecValuePersistentRef` is.
  ///
  /// - Throws: `errSecParam` if it is none.
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

  /// The class of the item.
  var itemClass: ItemClass {
    switch self {
    case .reference(let reference): reference.itemClass
    case .certificate: .certificate
    }
  }
}
