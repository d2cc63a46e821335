import Bytes
import Keychain

/// The items of a tool's own helper for the Secret Service, which store the URL in one attribute.
struct ToolHelperItems {
  /// The tool, the security domain of its items.
  let domain: ByteString
  /// The attribute that identifies the helper's items.
  let mark: (name: String, value: String)
  /// The attribute with the URL, or with only host and port.
  let url: String
  /// The attribute with the account, if there is one.
  let account: String?
  /// Libsecret's name for the kind of item.
  let schema: String
  /// Attributes that all of its items have.
  var more: [String: String] = [:]
  /// Whether the tool writes a whole server without a scheme, as docker does with registries.
  var omitsScheme = false

  /// Finds the helper's items.
  var search: [String: String] { [mark.name: mark.value] }

  /// The items of docker-credential-secretservice and cargo:libsecret.
  static let all = [
    ToolHelperItems(
      domain: "docker", mark: ("docker_cli", "1"), url: "server", account: "username",
      schema: "io.docker.Credentials", more: ["label": "Docker Credentials"],
      omitsScheme: true),
    ToolHelperItems(
      domain: "cargo", mark: (ItemAttributes.schema, "org.rust-lang.cargo.registry"), url: "url",
      account: nil,
      schema: "org.rust-lang.cargo.registry"),
  ]

  /// The attributes by which the helper finds an item stored without it; `nil` if the item isn't its tool's, or doesn't
  /// determine them.
  ///
  /// - Parameter label: the item's label: the URL in the tool's spelling, if the tool stored the item.
  static func attributes(of key: Item.Key, label: ByteString?) -> [String: String]? {
    guard case .internetPassword(let place) = key,
      let helper = all.first(where: { $0.domain == place.securityDomain })
    else { return nil }
    for url in [label?.text] + helper.spellings(of: place) {
      guard let url else { continue }
      var attributes = helper.more.merging([helper.url: url, helper.mark.name: helper.mark.value]) { $1 }
      attributes[ItemAttributes.schema] = helper.schema
      if let name = helper.account { attributes[name] = place.account?.text }
      if helper.key(of: attributes)?.primaryKey == key.primaryKey { return attributes }
    }
    return nil
  }

  /// The place in the tool's probable spellings.
  private func spellings(of key: InternetPassword) -> [String?] {
    var place = key
    place.account = nil
    place.securityDomain = nil
    let url = Item.Key.internetPassword(place).place
    return [
      omitsScheme && key.path == nil ? url.rangeOfPart("//").map { String(url[$0.upperBound...]) } : nil, url,
    ]
  }

  /// The helper that made an item with these attributes; `nil` if none did.
  static func made(_ attributes: [String: String]) -> ToolHelperItems? {
    all.first { attributes[$0.mark.name] == $0.mark.value }
  }

  /// The key described by the attributes; `nil` if there is none.
  func key(of attributes: [String: String]) -> Item.Key? {
    guard let url = attributes[url], !url.isEmpty else { return nil }
    var rest = url[...]
    var `protocol` = "https"
    if let mark = url.rangeOfPart("://") {
      `protocol` = String(url[..<mark.lowerBound])
      rest = url[mark.upperBound...]
    }
    let end = rest.firstIndex(of: "/") ?? rest.endIndex
    var host = String(rest[..<end])
    var path = rest[end...].drop { $0 == "/" }
    while path.last == "/" { path.removeLast() }
    var port: UInt16?
    if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
      guard let number = UInt16(host[host.index(after: colon)...]), number > 0 else { return nil }
      port = number
      host = String(host[..<colon])
    }
    let key = InternetPassword(
      protocol: ByteString(`protocol`), server: ItemAttributes.withoutBrackets(ByteString(host)), port: port,
      account: account.flatMap { attributes[$0] }.map { ByteString($0) }, path: ByteString(path),
      securityDomain: domain)
    return key.protocol.isEmpty || key.server == nil ? nil : .internetPassword(key)
  }
}
