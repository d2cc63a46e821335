import Bytes
import Keychain

/// Translates between an item's attributes and those in the service; llavero-secret-service(7) has the table.
///
/// The names are those of git's own helper and of libsecret's network schema, and for generic passwords those of
/// Python's keyring and go-keyring, so that all of these find each other's items.
enum ItemAttributes {
  /// Libsecret's name for the kind of item. Not used in searches.
  static let schema = "xdg:schema"
  static let networkSchema = "org.gnome.keyring.NetworkPassword"
  static let genericSchema = "org.freedesktop.Secret.Generic"

  private enum Name {
    static let `protocol` = "protocol"
    static let server = "server"
    static let port = "port"
    static let user = "user"
    static let object = "object"
    static let domain = "domain"
    static let authtype = "authtype"
    static let service = "service"
    static let username = "username"
    /// Some programs' name for ``username``.
    static let account = "account"
    static let comment = "llavero:comment"
    static let description = "llavero:description"
    static let creator = "llavero:creator"
    /// Other programs' name for ``creator`` in generic passwords. Python's keyring and uv replace only items with their
    /// own name there.
    static let application = "application"
    /// Says that ``application`` is set only for ``python``, and the item has no creator.
    static let noCreator = "llavero:no-creator"
    static let type = "llavero:type"
    static let `default` = "llavero:default"
    /// The class, if the other attributes don't show it.
    static let itemClass = "llavero:class"
    static let accessGroup = "llavero:access-group"
    static let synchronizable = "llavero:synchronizable"
    /// ``SecretServiceItem/name``
    static let name = "llavero:name"
    /// The prefix for the tags of ``CryptographicItem/primaryAttributes``.
    static let primary = "llavero:primary:"
    /// The prefix for the tags of ``Item/furtherAttributes``.
    static let further = "llavero:attribute:"
    static let key = [
      `protocol`, server, port, user, object, domain, authtype, service, username, account, itemClass,
      accessGroup, synchronizable, name,
    ]
  }

  /// The name by which Python's keyring recognizes its items. Without it, it would add a second item.
  private static let python = "Python keyring library"

  // MARK: Reading

  /// The item described by the attributes; `nil` if there is none, or a locked service shows only hashes.
  static func item(of stored: StoredItem) -> Item? {
    guard let key = key(of: stored.attributes) else { return nil }
    var item = Item(key)
    let label = ByteString(stored.label)
    if !label.isEmpty, !isMadeUp(stored.label, for: key) { item.label = label }
    if let exact = value(labelName, in: stored.attributes) { item.label = exact }
    item.comment = value(Name.comment, in: stored.attributes)
    item.itemDescription = value(Name.description, in: stored.attributes)
    item.creator = value(Name.creator, in: stored.attributes)
    if item.creator == nil, case .genericPassword = key,
      stored.attributes[Name.noCreator] == nil || stored.attributes[Name.application] != python
    {
      item.creator = value(Name.application, in: stored.attributes)
    }
    item.type = value(Name.type, in: stored.attributes)
    item.isDefault = stored.attributes[Name.default] == "1"
    item.furtherAttributes = furtherAttributes(Name.further, in: stored.attributes)
    item.creationDate = stored.created
    item.modificationDate = stored.modified
    item.reference = stored.reference
    return item
  }

  /// The key described by the attributes; `nil` if there is none.
  static func key(of attributes: [String: String]) -> Item.Key? {
    if let helper = ToolHelperItems.made(attributes) { return helper.key(of: attributes) }
    let accessGroup = value(Name.accessGroup, in: attributes)
    let isSynchronizable = attributes[Name.synchronizable] == "1"
    let itemClass = attributes[Name.itemClass]
    if let kind = CryptographicItem.Kind.allCases.first(where: { $0.name == itemClass }) {
      return .cryptographic(
        CryptographicItem(
          kind, furtherAttributes(Name.primary, in: attributes), accessGroup: accessGroup,
          isSynchronizable: isSynchronizable))
    }
    if let kind = SecretServiceItem.Kind.allCases.first(where: { $0.word == itemClass }) {
      return value(Name.name, in: attributes).map { .secretService(SecretServiceItem(kind, name: $0)) }
    }
    if let `protocol` = itemClass == internetClass
      ? value(Name.protocol, in: attributes) ?? "" : value(Name.protocol, in: attributes).nonEmpty
    {
      var port: UInt16?
      if let text = attributes[Name.port], !text.isEmpty {
        guard let number = UInt16(text), number > 0 else { return nil }
        port = number
      }
      let key = InternetPassword(
        protocol: `protocol`, server: value(Name.server, in: attributes).map(withoutBrackets), port: port,
        account: value(Name.user, in: attributes), path: value(Name.object, in: attributes),
        securityDomain: value(Name.domain, in: attributes),
        authenticationType: value(Name.authtype, in: attributes), accessGroup: accessGroup,
        isSynchronizable: isSynchronizable)
      if itemClass != internetClass, key.server == nil, key.path == nil { return nil }
      return .internetPassword(key)
    }
    guard let service = value(Name.service, in: attributes), !service.isEmpty || itemClass == genericClass
    else { return nil }
    return .genericPassword(
      GenericPassword(
        service: service,
        account: value(Name.username, in: attributes) ?? value(Name.account, in: attributes),
        accessGroup: accessGroup, isSynchronizable: isSynchronizable))
  }

  private static let internetClass = "internet"
  private static let genericClass = "generic"

  private static func furtherAttributes(
    _ prefix: String, in attributes: [String: String]
  ) -> FurtherAttributes {
    var found = FurtherAttributes()
    for name in attributes.keys where name.hasPrefix(prefix) {
      let tag = ByteString(name.dropFirst(prefix.count))
      if FurtherAttributes.isTag(tag) { found[tag] = value(name, in: attributes) }
    }
    return found
  }

  private static func set(
    _ values: FurtherAttributes, _ prefix: String, in attributes: inout [String: String]
  ) {
    for name in attributes.keys where name.hasPrefix(prefix) { set(nil, as: name, in: &attributes) }
    values.forEach { tag, value in set(value, as: prefix + tag.description, in: &attributes) }
  }

  // MARK: Writing

  static func attributes(of item: Item) -> [String: String] {
    attributes(of: item, replacing: [:])
  }

  /// The attributes of a stored item when it becomes `item`. Attributes that identify it for other programs stay if
  /// their meaning is unchanged; unknown attributes always stay.
  static func attributes(of item: Item, replacing existing: [String: String]) -> [String: String] {
    var attributes = existing
    // KeePassXC shows an entry's fields among the attributes, and refuses to set them.
    if existing["Uuid"] != nil, existing["Title"] != nil {
      for name in ["Title", "UserName", "URL", "Notes", "Path", "Uuid", "TOTP"] { attributes[name] = nil }
    }
    if key(of: existing) != item.key {
      for name in Name.key { set(nil, as: name, in: &attributes) }
      set(FurtherAttributes(), Name.primary, in: &attributes)
      if let helper = ToolHelperItems.made(existing) {
        for name in [helper.url, helper.mark.name] where name != schema { attributes[name] = nil }
      }
      setKey(item.key, in: &attributes)
    }
    set(item.comment, as: Name.comment, in: &attributes)
    set(item.itemDescription, as: Name.description, in: &attributes)
    if case .genericPassword(let key) = item.key {
      // An item made by another program without such a name keeps none.
      let isForPython =
        item.creator == nil && key.account != nil
        && (existing.isEmpty || existing[Name.noCreator] != nil)
      set(isForPython ? ByteString(python) : item.creator, as: Name.application, in: &attributes)
      attributes[Name.noCreator] = isForPython ? "1" : nil
      set(nil, as: Name.creator, in: &attributes)
    } else {
      set(item.creator, as: Name.creator, in: &attributes)
    }
    set(item.type, as: Name.type, in: &attributes)
    attributes[Name.default] = item.isDefault ? "1" : nil
    set(item.furtherAttributes, Name.further, in: &attributes)
    let label = item.label ?? ""
    // A person may choose a label that looks like one made from the key, so it is stored exactly.
    let isPlain = isText(label.bytes) && !label.isEmpty && !isMadeUp(label.description, for: item.key)
    attributes[exactly(labelName)] = item.label == nil || isPlain ? nil : base64(label.bytes)
    return attributes
  }

  /// The name for Seahorse: the item's label, else its key in words.
  static func label(of item: Item) -> String {
    let text = readable(ByteString(item.name).bytes)
    return text.isEmpty ? item.key.name : text
  }

  private static func setKey(_ key: Item.Key, in attributes: inout [String: String]) {
    let isReplaceable =
      [nil, networkSchema, genericSchema].contains(attributes[schema])
      || ToolHelperItems.all.contains { $0.schema == attributes[schema] }
    switch key {
    case .internetPassword(let key):
      set(key.protocol, as: Name.protocol, searchedAs: \.lowercased, in: &attributes)
      set(key.server.map(withBrackets), as: Name.server, searchedAs: \.lowercased, in: &attributes)
      attributes[Name.port] = key.port.map { String($0) }
      set(key.account, as: Name.user, in: &attributes)
      set(key.path, as: Name.object, in: &attributes)
      set(key.securityDomain, as: Name.domain, in: &attributes)
      set(key.authenticationType, as: Name.authtype, in: &attributes)
      if key.protocol.isEmpty || key.server == nil && key.path == nil {
        attributes[Name.itemClass] = internetClass
      }
      if isReplaceable { attributes[schema] = networkSchema }
    case .genericPassword(let key):
      set(key.service, as: Name.service, in: &attributes)
      set(key.account, as: Name.username, in: &attributes)
      if key.service.isEmpty { attributes[Name.itemClass] = genericClass }
      if isReplaceable { attributes[schema] = genericSchema }
    case .cryptographic(let item):
      attributes[Name.itemClass] = item.kind.name
      set(item.primaryAttributes, Name.primary, in: &attributes)
      if isReplaceable { attributes[schema] = genericSchema }
    case .secretService(let item):
      attributes[Name.itemClass] = item.kind.word
      set(item.name, as: Name.name, in: &attributes)
    }
    set(key.accessGroup, as: Name.accessGroup, in: &attributes)
    if key.isSynchronizable { attributes[Name.synchronizable] = "1" }
  }

  // MARK: Searching

  /// The searches that together find every item that may match; `nil` for all items. The results must be filtered,
  /// because services return items with more attributes than asked for.
  static func searches(for query: ItemQuery) -> [[String: String]]? {
    switch query {
    case .all: return nil
    case .criteria(let criteria): return searches(for: criteria)
    case .genericPassword(let query):
      let service = [Name.service: readable(query.service.bytes)]
      guard let account = query.account.map({ readable($0.bytes) }) else { return [service] }
      return [Name.username, Name.account].map { service.merging([$0: account]) { $1 } }
    case .internetPassword(let query):
      var asked: [String: String] = [:]
      if let account = query.account { asked[Name.user] = readable(account.bytes) }
      if let port = query.port, port != InternetPassword.defaultPort(of: query.protocol) {
        asked[Name.port] = String(port)
      }
      if query.server == nil, let path = query.path { asked[Name.object] = readable(path.bytes) }
      // Items of this program have lower-case letters; those of other programs may have them as typed.
      var searches: [[String: String]] = []
      for transform in [\ByteString.lowercased, \ByteString.self] {
        var search = asked
        search[Name.protocol] = readable(query.protocol[keyPath: transform].bytes)
        if let server = query.server {
          search[Name.server] = readable(withBrackets(server[keyPath: transform]).bytes)
        }
        if !searches.contains(search) { searches.append(search) }
      }
      for helper in ToolHelperItems.all where helper.domain == query.securityDomain {
        searches.append([helper.mark.name: helper.mark.value])
      }
      return searches
    }
  }

  private static func searches(for criteria: ItemCriteria) -> [[String: String]]? {
    // Services compare byte for byte.
    if criteria.ignoresCase { return nil }
    var asked: [String: String] = [:]
    func ask(_ value: ByteString?, as name: String) {
      if let value = value.nonEmpty { asked[name] = readable(value.bytes) }
    }
    ask(criteria.accessGroup, as: Name.accessGroup)
    switch criteria.itemClass {
    case .genericPassword:
      ask(criteria.service, as: Name.service)
      guard let account = criteria.account.nonEmpty.map({ readable($0.bytes) }) else { break }
      return [Name.username, Name.account].map { name in asked.merging([name: account]) { $1 } }
    case .internetPassword: return internetSearches(for: criteria, asked)
    case .certificate, .key, .identity, nil:
      if let kind = criteria.itemClass?.cryptographicKind { asked[Name.itemClass] = kind.name }
    case .secretServiceItem: asked[Name.itemClass] = SecretServiceItem.Kind.item.word
    case .secretServiceCollection: asked[Name.itemClass] = SecretServiceItem.Kind.collection.word
    }
    return asked.isEmpty ? nil : [asked]
  }

  private static func internetSearches(
    for criteria: ItemCriteria, _ asked: [String: String]
  ) -> [[String: String]]? {
    var asked = asked
    if let account = criteria.account.nonEmpty { asked[Name.user] = readable(account.bytes) }
    if let path = criteria.path.nonEmpty { asked[Name.object] = readable(path.bytes) }
    var searches: [[String: String]] = []
    for transform in [\ByteString.lowercased, \ByteString.self] {
      var search = asked
      if let `protocol` = criteria.protocol.nonEmpty {
        search[Name.protocol] = readable(`protocol`[keyPath: transform].bytes)
      }
      if let server = criteria.server.nonEmpty {
        search[Name.server] = readable(withBrackets(server[keyPath: transform]).bytes)
      }
      if search.isEmpty { return nil }
      if !searches.contains(search) { searches.append(search) }
    }
    // Items of other tools' helpers have no access group.
    guard criteria.accessGroup.nonEmpty == nil else { return searches }
    for helper in ToolHelperItems.all
    where criteria.securityDomain == nil || helper.domain == criteria.securityDomain {
      searches.append([helper.mark.name: helper.mark.value])
    }
    return searches
  }

  // MARK: Values

  /// Never an attribute itself, only in its exact form, if the label can't be kept as plain text.
  private static let labelName = "llavero:label"

  /// The attribute for the exact value of `name` in base64. D-Bus strings must be UTF-8 without NUL, and services
  /// search for the exact spelling. So a value that isn't such a string, or has capitals although case doesn't count,
  /// is stored in base64 beside the form for searches.
  private static func exactly(_ name: String) -> String {
    "llavero:base64:" + (name.hasPrefix("llavero:") ? String(name.dropFirst(8)) : name)
  }

  private static func value(_ name: String, in attributes: [String: String]) -> ByteString? {
    if let exact = attributes[exactly(name)].flatMap(decoded) { return exact }
    return attributes[name].map { ByteString($0) }
  }

  private static func set(
    _ value: ByteString?, as name: String, searchedAs form: KeyPath<ByteString, ByteString> = \.self,
    in attributes: inout [String: String]
  ) {
    let text = value.map { readable($0[keyPath: form].bytes) }
    attributes[name] = text
    attributes[exactly(name)] = value.flatMap {
      Array((text ?? "").utf8) == $0.bytes ? nil : base64($0.bytes)
    }
  }

  private static func isText(_ bytes: [UInt8]) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
  }

  private static func readable(_ bytes: [UInt8]) -> String {
    if isText(bytes) { return String(decoding: bytes, as: UTF8.self) }
    return String(decoding: bytes, as: UTF8.self).replacingPart("\0", with: "\u{fffd}")
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    bytes.withUnsafeBytes { Base64.encode($0, padded: true) }
  }

  private static func decoded(_ text: String) -> ByteString? {
    var bytes = Secret(capacity: text.utf8.count)
    let isBase64 = Array(text.utf8).withUnsafeBytes { Base64.decode($0, to: &bytes) }
    return isBase64 ? bytes.withUnsafeBytes { ByteString($0) } : nil
  }

  /// Git's `host`, and so its helper's `server`, has brackets around an IPv6 address.
  private static func withBrackets(_ server: ByteString) -> ByteString {
    guard server.bytes.contains(UInt8(ascii: ":")) || isInBrackets(server) else { return server }
    return ByteString([UInt8(ascii: "[")] + server.bytes + [UInt8(ascii: "]")])
  }

  static func withoutBrackets(_ server: ByteString) -> ByteString {
    isInBrackets(server) ? ByteString(Array(server.bytes.dropFirst().dropLast())) : server
  }

  private static func isInBrackets(_ server: ByteString) -> Bool {
    server.bytes.count >= 2 && server.bytes.first == UInt8(ascii: "[")
      && server.bytes.last == UInt8(ascii: "]")
  }

  /// Whether a program made the label from the key, and no person chose it.
  private static func isMadeUp(_ label: String, for key: Item.Key) -> Bool {
    // Compared as bytes, because strings are equal if Unicode considers them the same text.
    if label.utf8.elementsEqual(key.name.utf8) { return true }
    guard case .internetPassword(let key) = key else { return false }
    // git-credential-libsecret's
    let server = key.server.map { "\(withBrackets($0))" } ?? ""
    let port = key.port.map { ":\($0)" } ?? ""
    let gits = "Git: \(key.protocol)://\(server)\(port)/\(key.path.map { "\($0)" } ?? "")"
    return label.utf8.elementsEqual(gits.utf8)
  }
}
