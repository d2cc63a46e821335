/// The classes of items in Keychain Services, by their names in JSON and on the command line.
public enum ItemClass: String, Sendable, CaseIterable {
  /// `kSecClassInternetPassword`
  case internetPassword = "internet"
  /// `kSecClassGenericPassword`
  case genericPassword = "generic"
  /// `kSecClassCertificate`
  case certificate
  /// `kSecClassKey`
  case key
  /// `kSecClassIdentity`
  case identity
  /// An item of the Secret Service that is no login. Keychain Services doesn't have it.
  case secretServiceItem = "secret"
  /// A collection of the Secret Service. Keychain Services doesn't have it.
  case secretServiceCollection = "collection"
}

extension ItemClass {
  package init?(named name: ByteString) {
    switch name {
    case "internet": self = .internetPassword
    case "generic": self = .genericPassword
    default: self.init(rawValue: name.description)
    }
  }

  package var isPassword: Bool { self == .internetPassword || self == .genericPassword }

  /// The kind of items other than passwords; `nil` for the classes of passwords.
  package var cryptographicKind: CryptographicItem.Kind? { CryptographicItem.Kind(rawValue: rawValue) }

  package var secretServiceKind: SecretServiceItem.Kind? { SecretServiceItem.Kind(rawValue: rawValue) }
}

extension Item.Key {
  /// The class.
  public var itemClass: ItemClass {
    switch self {
    case .internetPassword: .internetPassword
    case .genericPassword: .genericPassword
    case .cryptographic(let item):
      switch item.kind {
      case .certificate: .certificate
      case .key: .key
      case .identity: .identity
      }
    case .secretService(let item):
      switch item.kind {
      case .item: .secretServiceItem
      case .collection: .secretServiceCollection
      }
    }
  }

  /// The group of programs that share the item.
  public var accessGroup: ByteString? { self[.accessGroup] }

  /// Whether a program wants the item on the user's other machines, too.
  public var isSynchronizable: Bool { self[.isSynchronizable] != nil }
}

/// A search by attributes, as with `SecItemCopyMatching`: it finds the items that have every given attribute.
///
/// Unlike the queries of git and other tools, it has no rules beyond equality: a path matches only that path, and an
/// account any item with that account on any server. An attribute that is `nil` may have any value; an empty one finds
/// items without it. Protocol and server are compared without regard to the case of ASCII letters, and a port that is
/// the protocol's own also finds items without one, as in primary keys; everything else is compared byte for byte.
public struct ItemCriteria: Hashable, Sendable {
  /// The class.
  public var itemClass: ItemClass?
  /// Attributes by their tags, including those of ``CryptographicItem/primaryAttributes``.
  public var furtherAttributes = FurtherAttributes()
  /// Whether texts are compared without regard to case, as Unicode defines it.
  public var ignoresCase = false
  /// Whether to omit items that only a person can unlock, if the keychain can, instead of asking or failing.
  public var omitsLocked = false
  private var values: [Item.Attribute: ByteString] = [:]

  /// Finds everything.
  public init() {}

  /// Finds the item with exactly this primary key.
  public init(_ key: Item.Key) {
    let item = Item(key)
    itemClass = key.itemClass
    for attribute in Item.Attribute.ofKeys where attribute.isOf(key.itemClass) {
      self[attribute] = item.searched(attribute) ?? ""
    }
    if case .cryptographic(let item) = key { furtherAttributes = item.primaryAttributes }
  }

  /// The value that an attribute must have; `nil` stands for any, an empty one for none.
  public subscript(_ attribute: Item.Attribute) -> ByteString? {
    get { values[attribute] }
    set { values[attribute] = newValue }
  }

  /// Whether the item has every given attribute.
  public func matches(_ item: Item) -> Bool {
    if let itemClass, item.key.itemClass != itemClass { return false }
    return hasFurtherAttributes(item)
      && values.allSatisfy { attribute, wanted in
        if attribute.excludes(item.key.itemClass) { return false }
        let value = item.searched(attribute)
        return agrees(wanted, value)
          || attribute.ignoresCase && agrees(wanted.lowercased, value?.lowercased)
      }
  }

  private func hasFurtherAttributes(_ item: Item) -> Bool {
    if furtherAttributes.isEmpty { return true }
    var primary = FurtherAttributes()
    if case .cryptographic(let key) = item.key { primary = key.primaryAttributes }
    return furtherAttributes.tags.allSatisfy { tag in
      agrees(furtherAttributes[tag], primary[tag] ?? item.furtherAttributes[tag])
    }
  }

  private func agrees(_ wanted: ByteString?, _ value: ByteString?) -> Bool {
    guard let wanted else { return true }
    let value = value ?? ""
    if wanted == value { return true }
    guard ignoresCase, let wanted = wanted.text, let value = value.text else { return false }
    return wanted.lowercased() == value.lowercased()
  }
}
