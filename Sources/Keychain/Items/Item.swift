/// An item of a keychain without its secret: what it is for, and what is noted about it.
///
/// Nothing in here is needed to be kept from a log; the secret and what belongs to it is a ``Credential``.
public struct Item: Hashable, Sendable {
  /// Which of the classes of Keychain Services the item is of, with its primary key.
  public enum Key: Hashable, Sendable {
    /// `kSecClassInternetPassword`
    case internetPassword(InternetPassword)
    /// `kSecClassGenericPassword`
    case genericPassword(GenericPassword)
    /// `kSecClassCertificate`, `kSecClassKey` or `kSecClassIdentity`
    case cryptographic(CryptographicItem)

    /// The form in which keys compare: two items whose primary keys are equal are one item.
    public var primaryKey: Key {
      switch self {
      case .internetPassword(let key): .internetPassword(key.primaryKey)
      case .genericPassword, .cryptographic: self
      }
    }

    /// The account, which both classes of passwords have.
    public var account: ByteString? {
      switch self {
      case .internetPassword(let key): key.account
      case .genericPassword(let key): key.account
      case .cryptographic: nil
      }
    }
  }

  /// Class and primary key.
  public var key: Key

  /// A person's name for it (`kSecAttrLabel`). `nil` lets programs make one of the key.
  public var label: ByteString?

  /// A person's remark (`kSecAttrComment`).
  public var comment: ByteString?

  /// What kind of password it is, in a word (`kSecAttrDescription`).
  public var itemDescription: ByteString?

  /// The program that made it, in Keychain Services a four-character code (`kSecAttrCreator`).
  public var creator: ByteString?

  /// A program's own sub-class (`kSecAttrType`).
  public var type: ByteString?

  /// Whether a person chose it to answer for its server where several items could.
  public var isDefault: Bool

  /// Other attributes that a program of Keychain Services gave.
  public var furtherAttributes = FurtherAttributes()

  /// When it was added; set by the keychain.
  public var creationDate: Timestamp?

  /// When it was last changed; set by the keychain.
  public var modificationDate: Timestamp?

  /// The keychain's own name of the stored item; `nil` while it is in none.
  public var reference: ItemReference?

  /// An item that is not yet in a keychain.
  public init(
    _ key: Key, label: ByteString? = nil, comment: ByteString? = nil, itemDescription: ByteString? = nil,
    creator: ByteString? = nil, type: ByteString? = nil, isDefault: Bool = false
  ) {
    self.key = key
    self.label = label
    self.comment = comment
    self.itemDescription = itemDescription
    self.creator = creator
    self.type = type
    self.isDefault = isDefault
  }

  /// An internet password that is not yet in a keychain.
  public init(_ key: InternetPassword) {
    self.init(.internetPassword(key))
  }

  /// A generic password that is not yet in a keychain.
  public init(_ key: GenericPassword) {
    self.init(.genericPassword(key))
  }
}

/// A keychain's own name of one of its items, which stays the same while the item is changed. Keychain Services
/// calls it a persistent reference.
public struct ItemReference: Hashable, Sendable {
  /// What the keychain made of it.
  public let bytes: ByteString

  /// Takes a name that a keychain gave.
  public init(_ bytes: ByteString) {
    self.bytes = bytes
  }
}

extension Item {
  /// The item as one that no keychain has dated yet.
  package var undated: Item {
    var item = self
    item.creationDate = nil
    item.modificationDate = nil
    return item
  }

  /// The date of what replaces or deletes the item at `now`: after its own, also where a clock that was ahead gave that.
  package func nextChange(at now: Timestamp) -> Timestamp {
    guard let date = modificationDate ?? creationDate, date >= now else { return now }
    return Timestamp(milliseconds: date.milliseconds + 1)
  }

  /// The item as a person would name it: its label, else the name of its key.
  public var name: String { label.nonEmpty?.description ?? key.name }
}

extension Item.Key {
  /// The key as a person would name it: `https://github.com (alice)`.
  public var name: String {
    account.map { "\(base) (\($0))" + purpose } ?? base + purpose
  }

  /// The key without its account: `https://github.com/acme`.
  public var place: String { base + purpose }

  private var base: String {
    switch self {
    case .internetPassword(let key):
      var place = key.protocol.isEmpty ? "" : "\(key.protocol)://"
      if let server = key.server {
        place += server.bytes.contains(UInt8(ascii: ":")) ? "[\(server)]" : "\(server)"
      }
      if let port = key.port, port != InternetPassword.defaultPort(of: key.protocol) { place += ":\(port)" }
      if place.isEmpty, key.path == nil { return "(no server)" }
      if let path = key.path { place += path.bytes.first == UInt8(ascii: "/") ? "\(path)" : "/\(path)" }
      return place
    case .genericPassword(let key):
      return key.service.isEmpty ? "(no service)" : "\(key.service)"
    case .cryptographic(let item): return item.name
    }
  }

  private var purpose: String {
    guard case .internetPassword(let key) = self, let domain = key.securityDomain else { return "" }
    return " for \(domain)"
  }
}
