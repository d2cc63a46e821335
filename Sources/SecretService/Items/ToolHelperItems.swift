import Keychain

/// The items of a tool's own helper for the Secret Service, each of which has its URL in one attribute.
struct ToolHelperItems {
  /// The tool, which is the security domain of such items here.
  let domain: ByteString
  /// The attribute by which the helper's items are known, and found.
  let mark: (name: String, value: String)
  /// The attribute that has the URL, or host and port alone.
  let url: String
  /// The attribute that has the account, if there is one.
  let account: String?
  /// Libsecret's name for the kind of item.
  let schema: String

  /// docker-credential-secretservice's and cargo:libsecret's.
  static let all = [
    ToolHelperItems(
      domain: "docker", mark: ("docker_cli", "1"), url: "server", account: "username",
      schema: "io.docker.Credentials"),
    ToolHelperItems(
      domain: "cargo", mark: (ItemAttributes.schema, "org.rust-lang.cargo.registry"), url: "url",
      account: nil,
      schema: "org.rust-lang.cargo.registry"),
  ]

  /// Those whose item the attributes are of; `nil` if no tool's helper has made them.
  static func made(_ attributes: [String: String]) -> ToolHelperItems? {
    all.first { attributes[$0.mark.name] == $0.mark.value }
  }

  /// The key that the attributes make; `nil` if they make none.
  func key(of attributes: [String: String]) -> Item.Key? {
    guard let url = attributes[url], !url.isEmpty else { return nil }
    var rest = url[...]
    var `protocol` = "https"
    if let mark = url.firstRange(of: "://") {
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
