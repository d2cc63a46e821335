import Keychain

/// The fields of an item and its credential, without the secret. A format takes those that it writes; the others are
/// reported as left out.
struct ExportedFields {
  private var left: [(name: String, value: ByteString)] = []

  init(_ item: Item, _ credential: borrowing Credential) {
    let key: [Item.Attribute] = [
      .protocol, .server, .port, .path, .securityDomain, .authenticationType, .service,
    ]
    for attribute in key { add(attribute, of: item) }
    if !item.key.itemClass.isPassword { add("kind", ByteString(item.key.name)) }
    add(.account, of: item)
    let further: Set<Item.Attribute> = [.account, .name, .collection, .contentType]
    for attribute in Item.Attribute.all where !key.contains(attribute) && !further.contains(attribute) {
      add(attribute, of: item)
    }
    item.furtherAttributes.forEach { tag, value in
      if tag != "flds", tag != "tags" { add("\(tag)", value) }
    }
    if !item.tags.isEmpty { add("tags", ByteString(item.tags.map(\.description).joined(separator: ", "))) }
    if !item.fields.isEmpty { add("fields", "") }
    if credential.further.hasOneTimeCode { add("one-time code", "") }
    if credential.further.hasFields { add("hidden fields", "") }
    add(.collection, of: item)
    add(.contentType, of: item)
    if item.secretService.lookup != nil { add("lookup attributes", "") }
    add("creation date", item.creationDate.map { ByteString("\($0)") })
    add("modification date", item.modificationDate.map { ByteString("\($0)") })
    add("expiry", credential.expiry.map { ByteString("\($0)") })
    if credential.hasRefreshToken { add("refresh token", "") }
    add("authtype", credential.authenticationScheme)
  }

  private mutating func add(_ attribute: Item.Attribute, of item: Item) {
    add(attribute == .securityDomain ? "domain" : attribute.displayName, item[attribute])
  }

  private mutating func add(_ name: String, _ value: ByteString?) {
    if let value { left.append((name, value)) }
  }

  @discardableResult
  mutating func take(_ name: String) -> ByteString? {
    guard let index = left.firstIndex(where: { $0.name == name }) else { return nil }
    return left.remove(at: index).value
  }

  mutating func take(all names: String...) { for name in names { take(name) } }

  /// Puts a field back that was only partly written.
  mutating func put(_ name: String) { left.append((name, "")) }

  mutating func takeAll() { left = [] }

  var names: [String] { left.map(\.name) }
}
