/// The classes of items in Keychain Services.
public enum ItemClass: Hashable, Sendable, CaseIterable {
  /// `kSecClassInternetPassword`
  case internetPassword
  /// `kSecClassGenericPassword`
  case genericPassword
  /// `kSecClassCertificate`
  case certificate
  /// `kSecClassKey`
  case key
  /// `kSecClassIdentity`
  case identity
  /// An item of the Secret Service that is no login. Keychain Services doesn't have it.
  case secretServiceItem
  /// A collection of the Secret Service. Keychain Services doesn't have it.
  case secretServiceCollection
}

extension ItemClass {
  /// The kind of items other than passwords; `nil` for the classes of passwords.
  package var cryptographicKind: CryptographicItem.Kind? {
    switch self {
    case .internetPassword, .genericPassword, .secretServiceItem, .secretServiceCollection: nil
    case .certificate: .certificate
    case .key: .key
    case .identity: .identity
    }
  }
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
  public var accessGroup: ByteString? {
    switch self {
    case .internetPassword(let key): key.accessGroup
    case .genericPassword(let key): key.accessGroup
    case .cryptographic(let item): item.accessGroup
    case .secretService: nil
    }
  }

  /// Whether a program wants the item on the user's other machines, too.
  public var isSynchronizable: Bool {
    switch self {
    case .internetPassword(let key): key.isSynchronizable
    case .genericPassword(let key): key.isSynchronizable
    case .cryptographic(let item): item.isSynchronizable
    case .secretService: false
    }
  }
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
  /// See ``InternetPassword/server``.
  public var server: ByteString?
  /// See ``InternetPassword/protocol``.
  public var `protocol`: ByteString?
  /// See ``InternetPassword/port``. 0 finds items without a port whose protocol has none.
  public var port: UInt16?
  /// The account.
  public var account: ByteString?
  /// See ``InternetPassword/path``.
  public var path: ByteString?
  /// See ``InternetPassword/securityDomain``.
  public var securityDomain: ByteString?
  /// See ``InternetPassword/authenticationType``.
  public var authenticationType: ByteString?
  /// See ``GenericPassword/service``.
  public var service: ByteString?
  /// See ``Item/label``.
  public var label: ByteString?
  /// See ``Item/comment``.
  public var comment: ByteString?
  /// See ``Item/itemDescription``.
  public var itemDescription: ByteString?
  /// See ``Item/creator``.
  public var creator: ByteString?
  /// See ``Item/type``.
  public var type: ByteString?
  /// The group of programs that share it.
  public var accessGroup: ByteString?
  /// Whether it is wanted on the user's other machines, too.
  public var isSynchronizable: Bool?
  /// See ``SecretServiceItem/name``.
  public var name: ByteString?
  /// Attributes by their tags, including those of ``CryptographicItem/primaryAttributes``.
  public var furtherAttributes = FurtherAttributes()
  /// Whether texts are compared without regard to case, as Unicode defines it.
  public var ignoresCase = false
  /// Whether to omit items that only a person can unlock, if the keychain can, instead of asking or failing.
  public var omitsLocked = false

  /// Finds everything.
  public init() {}

  /// Finds the item with exactly this primary key.
  public init(_ key: Item.Key) {
    itemClass = key.itemClass
    accessGroup = key.accessGroup ?? ""
    isSynchronizable = key.isSynchronizable
    switch key {
    case .internetPassword(let key):
      server = key.server ?? ""
      `protocol` = key.protocol
      port = key.effectivePort ?? 0
      path = key.path ?? ""
      securityDomain = key.securityDomain ?? ""
      authenticationType = key.authenticationType ?? ""
      account = key.account ?? ""
    case .genericPassword(let key):
      service = key.service
      account = key.account ?? ""
    case .cryptographic(let item):
      furtherAttributes = item.primaryAttributes
    case .secretService(let item):
      name = item.name
    }
  }

  /// Whether the item has every given attribute.
  public func matches(_ item: Item) -> Bool {
    if let itemClass, item.key.itemClass != itemClass { return false }
    if let isSynchronizable, item.key.isSynchronizable != isSynchronizable { return false }
    guard agrees(account, item.key.account), agrees(accessGroup, item.key.accessGroup),
      agrees(label, item.label), agrees(comment, item.comment), agrees(itemDescription, item.itemDescription),
      agrees(creator, item.creator), agrees(type, item.type), hasFurtherAttributes(item)
    else { return false }
    if name != nil, item.key.secretServiceItem == nil { return false }
    switch item.key {
    case .internetPassword(let key):
      return service == nil && agrees(server?.lowercased, key.server?.lowercased)
        && agrees(`protocol`?.lowercased, key.protocol.lowercased)
        && port.map { $0 == key.effectivePort ?? 0 } ?? true && agrees(path, key.path)
        && agrees(securityDomain, key.securityDomain) && agrees(authenticationType, key.authenticationType)
    case .genericPassword(let key): return !asksForInternetPassword && agrees(service, key.service)
    case .cryptographic: return !asksForInternetPassword && service == nil
    case .secretService(let key):
      return !asksForInternetPassword && service == nil && agrees(name, key.name)
    }
  }

  /// Whether it has an attribute of internet passwords only.
  private var asksForInternetPassword: Bool {
    server != nil || `protocol` != nil || port != nil || path != nil || securityDomain != nil
      || authenticationType != nil
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
