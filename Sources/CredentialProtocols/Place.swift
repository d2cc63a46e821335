import Bytes
public import Keychain

/// A place to log in to: the parts of an internet password except the account.
public struct Place: Hashable, Sendable {
  /// The URL scheme.
  public var `protocol`: ByteString
  /// The host name or address, in lowercase, without brackets.
  public var server: ByteString
  /// The port; `nil` for the protocol's default.
  public var port: UInt16?
  /// The path without surrounding slashes, query and fragment; `nil` for the whole server.
  public var path: ByteString?

  /// Creates a place from its parts.
  public init(protocol: ByteString, server: ByteString, port: UInt16? = nil, path: ByteString? = nil) {
    self.protocol = `protocol`.lowercased
    self.server = server.lowercased
    self.port = InternetPassword.furtherPort(port, of: self.protocol)
    self.path = path.nonEmpty
  }

  /// Parses a URL, or a host with optional port if `scheme` is given.
  ///
  /// - Returns: the place, and the account before the `@`, if any. A password is ignored.
  /// - Throws: ``RequestFault/unusableURL(_:)``, also for a URL without a host.
  public static func parse(
    _ url: ByteString, assuming scheme: ByteString? = nil
  ) throws(KeychainError) -> (place: Place, account: ByteString?) {
    let end = url.bytes.firstIndex { $0 == 0x3f || $0 == 0x23 } ?? url.bytes.endIndex  // ? #
    let text = Secret(copying: ByteString(Array(url.bytes[..<end])))
    let parts = try text.withUnsafeBytes { (bytes) throws(KeychainError) -> CredentialURL in
      try CredentialURL(parsing: bytes, assuming: scheme)
    }
    guard let host = HostAndPort(parsing: parts.host), !host.server.isEmpty else {
      throw .request(.unusableURL(.badHost))
    }
    let place = Place(protocol: parts.protocol, server: host.server, port: host.port, path: parts.path)
    return (place, parts.account)
  }

  /// The host and port as in a URL, such as `[::1]:8443`.
  public var hostAndPort: ByteString {
    var text = server.bytes
    if text.contains(UInt8(ascii: ":")) { text = [UInt8(ascii: "[")] + text + [UInt8(ascii: "]")] }
    if let port { text += Array(":\(port)".utf8) }
    return ByteString(text)
  }

  /// The URL of the whole server, without a trailing slash.
  var serverURL: ByteString { ByteString(`protocol`.bytes + Array("://".utf8) + hostAndPort.bytes) }

  var name: String { "\(serverURL)" + (path.map { "/\($0)" } ?? "") }

  /// Whether the item was stored for exactly this place: its path is equal, not just a prefix.
  func isPlace(of item: Item) -> Bool {
    guard case .internetPassword(let key) = item.key else { return false }
    return key.path == path
  }

  /// The key of a tool's item for the place.
  public func key(account: ByteString?, for tool: ByteString?) -> InternetPassword {
    InternetPassword(
      protocol: `protocol`, server: server, port: port, account: account, path: path, securityDomain: tool)
  }

  /// The query for items that answer at the place.
  ///
  /// - Throws: ``KeychainError/queryTooBroad(_:)`` if the place has no protocol.
  func query(account: ByteString? = nil, for tool: ByteString?) throws(KeychainError) -> ItemQuery {
    .internetPassword(
      try InternetPasswordQuery(
        protocol: `protocol`, server: server, port: port, account: account, path: path,
        securityDomain: tool))
  }
}
