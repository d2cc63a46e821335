import Keychain

/// Between the attributes of an item here and those that the service keeps: llavero-secret-service(7) has the table.
///
/// The names are those of git's own helper and of libsecret's network schema, for generic passwords those of Python's
/// keyring and of go-keyring, so that all of these find each other's items.
enum ItemAttributes {
  /// Libsecret's name for the kind of item that this is. Searches name none.
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
    /// What some programs call ``username``.
    static let account = "account"
    static let comment = "llavero:comment"
    static let description = "llavero:description"
    static let creator = "llavero:creator"
    /// What other programs call ``creator`` in generic passwords. Python's keyring and uv replace only what has their
    /// own name there.
    static let application = "application"
    /// Says that ``application`` is there for ``python`` alone, and the item has no creator.
    static let noCreator = "llavero:no-creator"
    static let type = "llavero:type"
    static let `default` = "llavero:default"
    static let key = [
      `protocol`, server, port, user, object, domain, authtype, service, username, account,
    ]
  }

  /// The name by which Python's keyring knows its own items. It would put a second one beside an item without it.
  private static let python = "Python keyring library"

  // MARK: Reading

  /// The item that attributes are of; `nil` if they are no internet or generic password, or can't be read because
  /// the service shows only their hashes while it is locked.
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
    item.creationDate = stored.created
    item.modificationDate = stored.modified
    item.reference = stored.reference
    return item
  }

  /// The key that attributes make; `nil` if they make none.
  static func key(of attributes: [String: String]) -> Item.Key? {
    if let helper = ToolHelperItems.made(attributes) { return helper.key(of: attributes) }
    if let `protocol` = value(Name.protocol, in: attributes), !`protocol`.isEmpty {
      var port: UInt16?
      if let text = attributes[Name.port], !text.isEmpty {
        guard let number = UInt16(text), number > 0 else { return nil }
        port = number
      }
      let key = InternetPassword(
        protocol: `protocol`, server: value(Name.server, in: attributes).map(withoutBrackets), port: port,
        account: value(Name.user, in: attributes), path: value(Name.object, in: attributes),
        securityDomain: value(Name.domain, in: attributes),
        authenticationType: value(Name.authtype, in: attributes))
      return key.server == nil && key.path == nil ? nil : .internetPassword(key)
    }
    guard let service = value(Name.service, in: attributes), !service.isEmpty else { return nil }
    return .genericPassword(
      GenericPassword(
        service: service,
        account: value(Name.username, in: attributes) ?? value(Name.account, in: attributes)))
  }

  // MARK: Writing

  /// The attributes of a new item.
  static func attributes(of item: Item) -> [String: String] {
    attributes(of: item, replacing: [:])
  }

  /// The attributes that a stored item gets when it becomes `item`. Those that other programs know it by stay as
  /// they are while they say the same; those that nothing here knows stay in any case.
  static func attributes(of item: Item, replacing existing: [String: String]) -> [String: String] {
    var attributes = existing
    // KeePassXC shows an entry's fields among the attributes, and refuses to have them set.
    if existing["Uuid"] != nil, existing["Title"] != nil {
      for name in ["Title", "UserName", "URL", "Notes", "Path", "Uuid", "TOTP"] { attributes[name] = nil }
    }
    if key(of: existing) != item.key {
      for name in Name.key { set(nil, as: name, in: &attributes) }
      if let helper = ToolHelperItems.made(existing) {
        for name in [helper.url, helper.mark.name] where name != schema { attributes[name] = nil }
      }
      setKey(item.key, in: &attributes)
    }
    set(item.comment, as: Name.comment, in: &attributes)
    set(item.itemDescription, as: Name.description, in: &attributes)
    if case .genericPassword(let key) = item.key {
      // What another program made without such a name keeps none.
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
    let label = item.label ?? ""
    attributes[exactly(labelName)] =
      isText(label.bytes) && (item.label == nil || !label.isEmpty) ? nil : base64(label.bytes)
    return attributes
  }

  /// What people see in Seahorse: the item's label, else its key in their words.
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
      if isReplaceable { attributes[schema] = networkSchema }
    case .genericPassword(let key):
      set(key.service, as: Name.service, in: &attributes)
      set(key.account, as: Name.username, in: &attributes)
      if isReplaceable { attributes[schema] = genericSchema }
    }
  }

  // MARK: Searching

  /// What to search for so that every item which may answer the query is found; what is found has to be looked at,
  /// for services find items that have more attributes than were asked for. `nil` asks for everything.
  static func searches(for query: ItemQuery) -> [[String: String]]? {
    switch query {
    case .all: return nil
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
      // Ours have small letters; another program's may have what was typed.
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

  // MARK: Values

  /// No attribute: the label, where it is not text.
  private static let labelName = "llavero:label"

  /// D-Bus has no strings but UTF-8 without NUL, and services don't search for one in another spelling. So what is
  /// none, or has capitals where those don't count, is kept in base64 beside the form by which it is searched for.
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
    return String(decoding: bytes, as: UTF8.self).replacing("\0", with: "\u{fffd}")
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    var text = Secret(capacity: bytes.count / 3 * 4 + 4)
    bytes.withUnsafeBytes { Base64.encode($0, to: &text) }
    return text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
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

  /// Whether a program made the label of the key, so that it is nobody's own name for the item.
  private static func isMadeUp(_ label: String, for key: Item.Key) -> Bool {
    // As bytes: strings are equal already where Unicode takes them for the same text.
    if label.utf8.elementsEqual(key.name.utf8) { return true }
    guard case .internetPassword(let key) = key else { return false }
    // git-credential-libsecret's
    let server = key.server.map { "\(withBrackets($0))" } ?? ""
    let port = key.port.map { ":\($0)" } ?? ""
    let gits = "Git: \(key.protocol)://\(server)\(port)/\(key.path.map { "\($0)" } ?? "")"
    return label.utf8.elementsEqual(gits.utf8)
  }
}
