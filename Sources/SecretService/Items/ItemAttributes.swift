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

  /// The names of attributes besides those in the table of ``Item/Attribute``.
  enum Name {
    /// The account of a generic password.
    static let username = "username"
    /// Some programs' name for ``username``.
    static let account = "account"
    /// Other programs' name for the creator of a generic password. Python's keyring and uv replace only items with
    /// their own name there.
    static let application = "application"
    /// Says that ``application`` is set only for ``python``, and the item has no creator.
    static let noCreator = "llavero:no-creator"
    /// The class, if the other attributes don't show it.
    static let itemClass = "llavero:class"
    /// The prefix for the tags of ``CryptographicItem/primaryAttributes``.
    static let primary = "llavero:primary:"
    /// The prefix for the tags of ``Item/furtherAttributes``.
    static let further = "llavero:attribute:"
    static let key = Item.Attribute.ofKeys.compactMap(\.secretServiceName) + [username, account, itemClass]
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
    for attribute in Item.Attribute.notes where attribute.secretServiceName != nil {
      item[attribute] = value(attribute, in: stored.attributes)
    }
    if item.creator == nil, case .genericPassword = key,
      stored.attributes[Name.noCreator] == nil || stored.attributes[Name.application] != python
    {
      item.creator = value(Name.application, in: stored.attributes)
    }
    item.furtherAttributes = furtherAttributes(Name.further, in: stored.attributes)
    item.creationDate = stored.created
    item.modificationDate = stored.modified
    item.reference = stored.reference
    return item
  }

  /// The key described by the attributes; `nil` if there is none.
  static func key(of attributes: [String: String]) -> Item.Key? {
    if let helper = ToolHelperItems.made(attributes) { return helper.key(of: attributes) }
    let marked = attributes[Name.itemClass].flatMap(ItemClass.init(rawValue:))
    var itemClass = marked
    if marked == nil || marked == .genericPassword {
      let hasProtocol = value(.protocol, in: attributes).nonEmpty != nil
      itemClass = hasProtocol ? .internetPassword : .genericPassword
    }
    guard let itemClass else { return nil }
    if itemClass == .internetPassword, let port = value(.port, in: attributes).nonEmpty?.text,
      UInt16(port) ?? 0 == 0
    {
      return nil
    }
    let key = Item.Key(itemClass, furtherAttributes(Name.primary, in: attributes)) { attribute in
      switch attribute {
      case .server: value(.server, in: attributes).map(withoutBrackets)
      case .protocol: value(.protocol, in: attributes) ?? ""
      case .account where itemClass == .genericPassword:
        value(Name.username, in: attributes) ?? value(Name.account, in: attributes)
      default: value(attribute, in: attributes)
      }
    }
    switch key {
    case .internetPassword(let key)? where marked != itemClass && key.server == nil && key.path == nil:
      return nil
    case .genericPassword(let key)? where marked != itemClass && key.service.isEmpty: return nil
    default: return key
    }
  }

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
    for attribute in Item.Attribute.notes {
      set(item[attribute], as: attribute, in: &attributes)
    }
    if case .genericPassword(let key) = item.key {
      // An item made by another program without such a name keeps none.
      let isForPython =
        item.creator == nil && key.account != nil
        && (existing.isEmpty || existing[Name.noCreator] != nil)
      set(isForPython ? ByteString(python) : item.creator, as: Name.application, in: &attributes)
      attributes[Name.noCreator] = isForPython ? "1" : nil
      set(nil, as: .creator, in: &attributes)
    }
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
    let isAccountRenamed = key.itemClass == .genericPassword
    for attribute in Item.Attribute.ofKeys where !(attribute == .account && isAccountRenamed) {
      set(key[attribute], as: attribute, in: &attributes)
    }
    var needsClass = true
    switch key {
    case .internetPassword(let key):
      needsClass = key.protocol.isEmpty || key.server == nil && key.path == nil
    case .genericPassword(let key):
      set(key.account, as: Name.username, in: &attributes)
      needsClass = key.service.isEmpty
    case .cryptographic(let item): set(item.primaryAttributes, Name.primary, in: &attributes)
    case .secretService: break
    }
    if needsClass { attributes[Name.itemClass] = key.itemClass.rawValue }
    if isReplaceable, key.secretServiceItem == nil {
      attributes[schema] = key.itemClass == .internetPassword ? networkSchema : genericSchema
    }
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

  private static func value(_ attribute: Item.Attribute, in attributes: [String: String]) -> ByteString? {
    attribute.secretServiceName.flatMap { value($0, in: attributes) }
  }

  private static func set(
    _ value: ByteString?, as attribute: Item.Attribute, in attributes: inout [String: String]
  ) {
    guard let name = attribute.secretServiceName else { return }
    let value = attribute == .server ? value.map(withBrackets) : value
    set(value, as: name, searchedAs: attribute.ignoresCase ? value?.lowercased : value, in: &attributes)
  }

  private static func set(_ value: ByteString?, as name: String, in attributes: inout [String: String]) {
    set(value, as: name, searchedAs: value, in: &attributes)
  }

  private static func set(
    _ value: ByteString?, as name: String, searchedAs form: ByteString?, in attributes: inout [String: String]
  ) {
    let text = form.map { readable($0.bytes) }
    attributes[name] = text
    attributes[exactly(name)] = value.flatMap {
      Array((text ?? "").utf8) == $0.bytes ? nil : base64($0.bytes)
    }
  }

  private static func isText(_ bytes: [UInt8]) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
  }

  static func readable(_ bytes: [UInt8]) -> String {
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
  static func withBrackets(_ server: ByteString) -> ByteString {
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
