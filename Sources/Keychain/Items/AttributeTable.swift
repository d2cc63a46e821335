import Bytes

extension Item {
  /// An attribute whose value is a text, a number or a mark. This is the table of them, which JSON, searches, commands,
  /// the Secret Service, OpenBao and `Security` read. The other attributes are sets, such as ``furtherAttributes``.
  ///
  /// A value is bytes: a number's are its decimal digits, and those of a mark that is set are `1`. The cases are in the
  /// order of an item's members in JSON; the primary key's come first.
  public enum Attribute: UInt8, Sendable {
    /// See ``InternetPassword/server``.
    case server
    /// See ``InternetPassword/protocol``.
    case `protocol`
    /// See ``InternetPassword/port``.
    case port
    /// See ``GenericPassword/service``.
    case service
    /// The user name of a password.
    case account
    /// See ``InternetPassword/path``.
    case path
    /// See ``InternetPassword/securityDomain``.
    case securityDomain
    /// See ``InternetPassword/authenticationType``.
    case authenticationType
    /// See ``SecretServiceItem/name``.
    case name
    /// The group of programs that share it.
    case accessGroup
    /// Whether a program wants it on the user's other machines, too.
    case isSynchronizable
    /// See ``Item/label``.
    case label
    /// See ``Item/comment``.
    case comment
    /// See ``Item/itemDescription``.
    case itemDescription
    /// See ``Item/creator``.
    case creator
    /// See ``Item/type``.
    case type
    /// See ``Item/isDefault``.
    case isDefault
    /// See ``SecretServiceAttributes/collection``.
    case collection
    /// See ``SecretServiceAttributes/contentType``.
    case contentType
  }
}

extension Item.Attribute {
  /// The form of a value.
  package enum Form {
    case text, port, mark
  }

  /// The items that have an attribute.
  private enum Owner {
    case internetPasswords, genericPasswords, passwords, secretService, all
  }

  /// Its names: in JSON, for people, of commands' options and in their text, of Keychain Services' tag, and in the
  /// Secret Service.
  private struct Row {
    let json: StaticString
    let name: StaticString
    let option: StaticString?
    let tag: StaticString?
    let bus: StaticString?
    let owner: Owner
    let form: Form

    @inline(__always)
    init(
      _ json: StaticString, name: StaticString? = nil, option: StaticString? = nil,
      isForCommands: Bool = true,
      tag: StaticString? = nil, bus: StaticString? = nil, of owner: Owner = .all, _ form: Form = .text
    ) {
      self.json = json
      self.name = name ?? json
      self.option = isForCommands ? option ?? json : nil
      self.tag = tag
      self.bus = bus
      self.owner = owner
      self.form = form
    }
  }

  @inline(__always)
  private var row: Row {
    switch self {
    case .server: Row("server", tag: "srvr", bus: "server", of: .internetPasswords)
    case .protocol: Row("protocol", tag: "ptcl", bus: "protocol", of: .internetPasswords)
    case .port: Row("port", tag: "port", bus: "port", of: .internetPasswords, .port)
    case .service: Row("service", tag: "svce", bus: "service", of: .genericPasswords)
    case .account: Row("account", tag: "acct", bus: "user", of: .passwords)
    case .path: Row("path", tag: "path", bus: "object", of: .internetPasswords)
    case .securityDomain:
      Row(
        "securityDomain", name: "security domain", option: "domain", tag: "sdmn", bus: "domain",
        of: .internetPasswords)
    case .authenticationType:
      Row(
        "authenticationType", name: "authentication type", option: "authentication-type", tag: "atyp",
        bus: "authtype", of: .internetPasswords)
    case .name: Row("name", isForCommands: false, bus: "llavero:name", of: .secretService)
    case .accessGroup:
      Row("accessGroup", name: "access group", isForCommands: false, tag: "agrp", bus: "llavero:access-group")
    case .isSynchronizable:
      Row(
        "isSynchronizable", name: "synchronizable", isForCommands: false, tag: "sync",
        bus: "llavero:synchronizable", .mark)
    case .label: Row("label", tag: "labl")
    case .comment: Row("comment", tag: "icmt", bus: "llavero:comment")
    case .itemDescription: Row("description", tag: "desc", bus: "llavero:description")
    case .creator: Row("creator", tag: "crtr", bus: "llavero:creator")
    case .type: Row("type", tag: "type", bus: "llavero:type")
    case .isDefault: Row("isDefault", name: "default", option: "default", bus: "llavero:default", .mark)
    case .collection: Row("collection", isForCommands: false)
    case .contentType: Row("contentType", name: "content type", isForCommands: false)
    }
  }

  /// A value for each attribute, at its raw value. The attributes are counted here alone: one more is in no sequence, and
  /// has no value, until it is counted.
  typealias Values = InlineArray<19, ByteString?>

  /// Attributes in the order of JSON. No array: the first one costs a program's start more than reading an item.
  package struct Sequence: Swift.Sequence, IteratorProtocol {
    fileprivate var nextValue: UInt8
    fileprivate let end: UInt8

    package mutating func next() -> Item.Attribute? {
      if nextValue == end { return nil }
      defer { nextValue += 1 }
      return Item.Attribute(rawValue: nextValue)
    }
  }

  package static var all: Sequence { Sequence(nextValue: 0, end: UInt8(Values.count)) }

  package static var ofKeys: Sequence { Sequence(nextValue: 0, end: label.rawValue) }

  /// Those that are not part of a primary key.
  package static var notes: Sequence { Sequence(nextValue: label.rawValue, end: UInt8(Values.count)) }

  /// The texts that people and programs write beside the label.
  package static var remarks: Sequence { Sequence(nextValue: comment.rawValue, end: isDefault.rawValue) }

  package var jsonName: StaticString { row.json }

  /// The name for people.
  package var displayName: String { "\(row.name)" }

  /// The name of commands' options for it; `nil` if they don't take it.
  package var option: String? { row.option?.description }

  /// Keychain Services' four-character tag, if it has the attribute.
  package var tag: String? { row.tag?.description }

  /// The name of the Secret Service's attribute; `nil` if there is none.
  package var secretServiceName: String? { row.bus?.description }

  package var form: Form { row.form }

  package var isOfKey: Bool { rawValue < Self.label.rawValue }

  /// Whether ASCII capitals and small letters are the same in it.
  package var ignoresCase: Bool { self == .server || self == .protocol }

  /// Whether items of the class have it.
  package func isOf(_ itemClass: ItemClass) -> Bool {
    switch row.owner {
    case .internetPasswords: itemClass == .internetPassword
    case .genericPasswords: itemClass == .genericPassword
    case .passwords: itemClass.isPassword
    case .secretService: itemClass == .secretServiceItem || itemClass == .secretServiceCollection
    case .all: true
    }
  }

  /// Whether a search for it, even for an empty one, never finds items of the class. An empty account finds all items
  /// without an account.
  package func excludes(_ itemClass: ItemClass) -> Bool { self != .account && !isOf(itemClass) }

  package init?(jsonName: UnsafeRawBufferPointer) { self.init { jsonName == $0.row.json } }

  package init?(option: String) { self.init { $0.option == option } }

  package init?(tag: String) { self.init { $0.tag == tag } }

  @inline(__always)
  private init?(_ isMeant: (Item.Attribute) -> Bool) {
    for attribute in Self.all where isMeant(attribute) {
      self = attribute
      return
    }
    return nil
  }
}

extension Item {
  /// The value of an attribute; `nil` if the item has none. Setting one that its class doesn't have does nothing.
  public subscript(_ attribute: Attribute) -> ByteString? {
    get {
      switch attribute {
      case .label: label
      case .comment: comment
      case .itemDescription: itemDescription
      case .creator: creator
      case .type: type
      case .isDefault: isDefault ? "1" : nil
      case .collection: secretService.collection
      case .contentType: secretService.contentType
      case .server, .protocol, .port, .service, .account, .path, .securityDomain, .authenticationType, .name,
        .accessGroup, .isSynchronizable:
        key[attribute]
      }
    }
    set {
      switch attribute {
      case .label: label = newValue
      case .comment: comment = newValue
      case .itemDescription: itemDescription = newValue
      case .creator: creator = newValue
      case .type: type = newValue
      case .isDefault: isDefault = newValue == "1"
      case .collection: secretService.collection = newValue
      case .contentType: secretService.contentType = newValue
      case .server, .protocol, .port, .service, .account, .path, .securityDomain, .authenticationType, .name,
        .accessGroup, .isSynchronizable:
        key[attribute] = newValue
      }
    }
  }

  /// The value by which searches find the item: without a port, that is the protocol's own.
  package func searched(_ attribute: Attribute) -> ByteString? {
    guard attribute == .port, case .internetPassword(let key) = key else { return self[attribute] }
    return key.effectivePort.map { ByteString(String($0)) }
  }
}

extension Item.Key {
  /// The key of an item of the class; `nil` without a value that all of them have.
  package init?(
    _ itemClass: ItemClass, _ primaryAttributes: FurtherAttributes = FurtherAttributes(),
    _ value: (Item.Attribute) -> ByteString?
  ) {
    switch itemClass {
    case .internetPassword:
      guard value(.protocol) != nil else { return nil }
      var key = InternetPassword(protocol: "", server: nil)
      for attribute in Item.Attribute.ofKeys { key[attribute] = value(attribute) }
      self = .internetPassword(key)
    case .genericPassword:
      guard value(.service) != nil else { return nil }
      var key = GenericPassword(service: "")
      for attribute in Item.Attribute.ofKeys { key[attribute] = value(attribute) }
      self = .genericPassword(key)
    case .certificate, .key, .identity:
      guard let kind = itemClass.cryptographicKind else { return nil }
      self = .cryptographic(CryptographicItem(kind, primaryAttributes))
      for attribute in Item.Attribute.ofKeys { self[attribute] = value(attribute) }
    case .secretServiceItem, .secretServiceCollection:
      guard let name = value(.name), let kind = itemClass.secretServiceKind else { return nil }
      self = .secretService(SecretServiceItem(kind, name: name))
    }
  }

  /// The value of an attribute; `nil` if the key has none. Setting one that its class doesn't have does nothing.
  public subscript(_ attribute: Item.Attribute) -> ByteString? {
    get {
      switch self {
      case .internetPassword(let key): key[attribute]
      case .genericPassword(let key): key[attribute]
      case .cryptographic(let key): key[shared: attribute]
      case .secretService(let key): attribute == .name ? key.name : nil
      }
    }
    set {
      switch self {
      case .internetPassword(var key):
        key[attribute] = newValue
        self = .internetPassword(key)
      case .genericPassword(var key):
        key[attribute] = newValue
        self = .genericPassword(key)
      case .cryptographic(var key):
        key[shared: attribute] = newValue
        self = .cryptographic(key)
      case .secretService(let key):
        if attribute == .name { self = .secretService(SecretServiceItem(key.kind, name: newValue ?? "")) }
      }
    }
  }
}

extension InternetPassword: SharedKey {
  /// The value of an attribute. As in the initializer, an empty one other than the account is none.
  fileprivate subscript(_ attribute: Item.Attribute) -> ByteString? {
    get {
      switch attribute {
      case .server: server
      case .protocol: `protocol`
      case .port: port.map { ByteString(String($0)) }
      case .account: account
      case .path: path
      case .securityDomain: securityDomain
      case .authenticationType: authenticationType
      case .accessGroup, .isSynchronizable: self[shared: attribute]
      case .service, .name, .label, .comment, .itemDescription, .creator, .type, .isDefault, .collection,
        .contentType:
        nil
      }
    }
    set {
      switch attribute {
      case .server: server = newValue.nonEmpty
      case .protocol: `protocol` = newValue.map { Self.known($0)?.name ?? $0 } ?? ""
      case .port: port = newValue?.text.flatMap { UInt16($0) }
      case .account: account = newValue
      case .path: path = newValue.nonEmpty
      case .securityDomain: securityDomain = newValue.nonEmpty
      case .authenticationType: authenticationType = newValue.nonEmpty
      case .accessGroup, .isSynchronizable: self[shared: attribute] = newValue
      case .service, .name, .label, .comment, .itemDescription, .creator, .type, .isDefault, .collection,
        .contentType:
        break
      }
    }
  }
}

extension GenericPassword: SharedKey {
  fileprivate subscript(_ attribute: Item.Attribute) -> ByteString? {
    get {
      switch attribute {
      case .service: service
      case .account: account
      case .accessGroup, .isSynchronizable: self[shared: attribute]
      case .server, .protocol, .port, .path, .securityDomain, .authenticationType, .name, .label, .comment,
        .itemDescription, .creator, .type, .isDefault, .collection, .contentType:
        nil
      }
    }
    set {
      switch attribute {
      case .service: service = newValue ?? ""
      case .account: account = newValue
      case .accessGroup, .isSynchronizable: self[shared: attribute] = newValue
      case .server, .protocol, .port, .path, .securityDomain, .authenticationType, .name, .label, .comment,
        .itemDescription, .creator, .type, .isDefault, .collection, .contentType:
        break
      }
    }
  }
}

extension CryptographicItem: SharedKey {}

/// A primary key of Keychain Services.
private protocol SharedKey {
  var accessGroup: ByteString? { get set }
  var isSynchronizable: Bool { get set }
}

extension SharedKey {
  /// The value of an attribute of every class.
  fileprivate subscript(shared attribute: Item.Attribute) -> ByteString? {
    get {
      switch attribute {
      case .accessGroup: accessGroup
      case .isSynchronizable: isSynchronizable ? "1" : nil
      default: nil
      }
    }
    set {
      switch attribute {
      case .accessGroup: accessGroup = newValue.nonEmpty
      case .isSynchronizable: isSynchronizable = newValue == "1"
      default: break
      }
    }
  }
}
