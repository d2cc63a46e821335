/// An item of a keychain without its secret, which is a ``Credential``. Nothing in here has to be kept out of logs.
public struct Item: Hashable, Sendable {
  /// The item's class in Keychain Services, with its primary key.
  public enum Key: Hashable, Sendable {
    /// `kSecClassInternetPassword`
    case internetPassword(InternetPassword)
    /// `kSecClassGenericPassword`
    case genericPassword(GenericPassword)
    /// `kSecClassCertificate`, `kSecClassKey` or `kSecClassIdentity`
    case cryptographic(CryptographicItem)
    /// An item of the Secret Service that is no login, or a collection of them.
    case secretService(SecretServiceItem)

    /// The normal form of the key: two items whose primary keys are equal are one item.
    public var primaryKey: Key {
      switch self {
      case .internetPassword(let key): .internetPassword(key.primaryKey)
      case .genericPassword, .cryptographic, .secretService: self
      }
    }

    /// The account, which only passwords have.
    public var account: ByteString? { self[.account] }
  }

  /// The class and primary key.
  public var key: Key

  /// Whether a person made it the one to answer for its server if several items could.
  public var isDefault: Bool

  /// Whether it is hidden on this machine, because a server refused it here but others use it, too.
  public var isHidden = false

  /// A person's name for it (`kSecAttrLabel`). If it is `nil`, programs derive a name from the key.
  public var label: ByteString?

  /// A person's remark (`kSecAttrComment`).
  public var comment: ByteString?

  /// What kind of password it is, in a word (`kSecAttrDescription`).
  public var itemDescription: ByteString? {
    get { rare["desc"] }
    set { rare["desc"] = newValue }
  }

  /// The program that made it, a four-character code in Keychain Services (`kSecAttrCreator`).
  public var creator: ByteString? {
    get { rare["crtr"] }
    set { rare["crtr"] = newValue }
  }

  /// A program's own sub-class (`kSecAttrType`).
  public var type: ByteString? {
    get { rare["type"] }
    set { rare["type"] = newValue }
  }

  /// The attributes that few items have. Together they take no more room than one.
  private var rare = FurtherAttributes()

  /// Other attributes given by a program of Keychain Services.
  public var furtherAttributes = FurtherAttributes()

  /// Further facts of the Secret Service.
  public var secretService = SecretServiceAttributes()

  /// When it was added; set by the keychain.
  public var creationDate: Timestamp?

  /// When it was last changed; set by the keychain.
  public var modificationDate: Timestamp?

  /// The keychain's own name for the stored item; `nil` if it is in none.
  public var reference: ItemReference?

  /// The name of the keychain that it is in, if a search list found it.
  public var keychain: String?

  /// Makes an item that is not in a keychain yet.
  public init(
    _ key: Key, label: ByteString? = nil, comment: ByteString? = nil, itemDescription: ByteString? = nil,
    creator: ByteString? = nil, type: ByteString? = nil, isDefault: Bool = false
  ) {
    self.key = key
    self.isDefault = isDefault
    self.label = label
    self.comment = comment
    if let itemDescription { self.itemDescription = itemDescription }
    if let creator { self.creator = creator }
    if let type { self.type = type }
  }

  /// Makes an internet password that is not in a keychain yet.
  public init(_ key: InternetPassword) {
    self.init(.internetPassword(key))
  }

  /// Makes a generic password that is not in a keychain yet.
  public init(_ key: GenericPassword) {
    self.init(.genericPassword(key))
  }
}

/// A keychain's own name for an item, the same after each change: Keychain Services' persistent reference.
public struct ItemReference: Hashable, Sendable {
  /// The bytes that the keychain chose.
  public let bytes: ByteString

  /// Takes a name from a keychain.
  public init(_ bytes: ByteString) {
    self.bytes = bytes
  }
}

extension Item {
  package var undated: Item {
    var item = self
    item.creationDate = nil
    item.modificationDate = nil
    return item
  }

  /// The date for a change that replaces or deletes the item at `now`: later than the item's own date, even if that
  /// came from a clock that was ahead.
  package func nextChange(at now: Timestamp) -> Timestamp {
    guard let date = modificationDate ?? creationDate, date >= now else { return now }
    return Timestamp(milliseconds: date.milliseconds + 1)
  }

  /// The item as people name it: its label, else the name of its key.
  public var name: String { label.nonEmpty?.description ?? key.name }
}

extension Item.Key {
  /// The key as people name it: `https://github.com (alice)`.
  public var name: String {
    account.map { "\(base) (\($0))" + purpose } ?? base + purpose
  }

  /// The key without its account: `https://github.com/acme`. Commands accept it (see `readableURL`).
  public var place: String { base + purpose }

  private var base: String {
    switch self {
    case .internetPassword(let key):
      if key.protocol.isEmpty, key.server == nil, key.path == nil { return "(no server)" }
      return key.readableURL
    case .genericPassword(let key):
      return key.service.isEmpty ? "(no service)" : "\(key.service)"
    case .cryptographic(let item): return item.name
    case .secretService(let item): return item.description
    }
  }

  private var purpose: String {
    guard case .internetPassword(let key) = self, let domain = key.securityDomain else { return "" }
    return "\(Self.purposeMark)\(domain)"
  }

  /// The text between a place and its tool. No place has a space.
  package static let purposeMark = " for "
}
