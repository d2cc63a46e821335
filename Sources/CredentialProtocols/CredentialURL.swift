import Bytes
public import Keychain

/// The percent-decoded parts of a URL that names a place to log in to.
///
/// Parsed as git does it (git-credential(1), `url`): the host is between `://` and the first `/`, `?` or `#`, with an
/// optional `user[:password]@` before it. Slashes around the path are removed.
public struct CredentialURL: ~Copyable {
  /// The scheme.
  public private(set) var `protocol`: ByteString = ""
  /// The host and optional port as written, with an IPv6 address in brackets; may be empty.
  public private(set) var host: ByteString = ""
  /// The user name, if there was an `@`.
  public private(set) var account: ByteString? = nil
  /// The password, if any.
  public private(set) var password: Secret? = nil
  /// The path without surrounding slashes, if any.
  public private(set) var path: ByteString? = nil

  /// Parses a URL.
  ///
  /// - Parameter scheme: the scheme to assume for a URL without `SCHEME://`; with `nil` such a URL is rejected.
  /// - Throws: ``RequestFault/unusableURL(_:)``.
  public init(
    parsing url: UnsafeRawBufferPointer, assuming scheme: ByteString? = nil
  ) throws(KeychainError) {
    var rest = url[...]
    if let end = Self.schemeEnd(of: url), end > 0 {
      `protocol` = try Self.decode(url[..<end])
      rest = url[(end + 3)...]
    } else if let scheme {
      `protocol` = scheme
    } else {
      throw .request(.unusableURL(.noScheme))
    }
    let hostEnd = rest.firstIndex { $0 == 0x2f || $0 == 0x3f || $0 == 0x23 } ?? rest.endIndex  // / ? #
    var hostStart = rest.startIndex
    if let at = rest[..<hostEnd].firstIndex(of: UInt8(ascii: "@")) {
      let colon = rest[..<at].firstIndex(of: UInt8(ascii: ":"))
      account = try Self.decode(rest[rest.startIndex..<(colon ?? at)])
      if let colon { password = try Self.decodeSecret(rest[(colon + 1)..<at]) }
      hostStart = at + 1
    }
    host = try Self.decode(rest[hostStart..<hostEnd])
    var path = rest[hostEnd...]
    while path.first == 0x2f { path.removeFirst() }
    if !path.isEmpty {
      var decoded = try Self.decode(path)
      while decoded.bytes.count > 1, decoded.bytes.last == 0x2f { decoded.bytes.removeLast() }
      self.path = decoded
    }
  }

  /// Whether the text before `://` is a scheme (RFC 3986 section 3.1).
  public var hasScheme: Bool { `protocol`.bytes.isScheme }

  private static func schemeEnd(of url: UnsafeRawBufferPointer) -> Int? {
    let marker = Array("://".utf8)
    guard url.count >= marker.count else { return nil }
    return (0...(url.count - marker.count)).first { start in
      marker.indices.allSatisfy { url[start + $0] == marker[$0] }
    }
  }

  static func decode(_ part: Slice<UnsafeRawBufferPointer>) throws(KeychainError) -> ByteString {
    try decodeSecret(part).withUnsafeBytes { ByteString($0) }
  }

  /// Decodes the escapes of RFC 3986 section 2.1.
  private static func decodeSecret(_ part: Slice<UnsafeRawBufferPointer>) throws(KeychainError) -> Secret {
    var decoded = Secret(capacity: part.count)
    let isWellFormed = try PercentEncoding.decode(part) { (byte, wasEscaped) throws(KeychainError) in
      if byte == 0, wasEscaped { throw .request(.unusableURL(.badEscape)) }
      if byte == 0x0a || byte == 0x0d || byte == 0 { throw .request(.unusableURL(.lineBreak)) }
      decoded.append(byte)
    }
    if !isWellFormed { throw .request(.unusableURL(.badEscape)) }
    return decoded
  }
}

/// A server and a port, written as in a URL or in git's `host`.
public struct HostAndPort: Hashable, Sendable {
  /// The host name or address without brackets.
  public var server: ByteString
  /// The port, if any.
  public var port: UInt16?

  /// Parses `name`, `name:port`, `[v6]` or `[v6]:port`. An empty port counts as none (RFC 3986 section 3.2.3). Returns
  /// `nil` for anything else: a port that is not decimal or out of 1…65535, unpaired brackets, colons without brackets,
  /// an invisible character.
  public init?(parsing host: ByteString) {
    let bytes = host.bytes
    // ASCII control characters are reported where the host is used.
    if bytes.contains(where: { $0 >= 0x80 }), hasInvisible(host: bytes) { return nil }
    let nameEnd: Int
    if bytes.first == UInt8(ascii: "[") {
      guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")), bracket > 1 else { return nil }
      server = ByteString(Array(bytes[1..<bracket]))
      // Brackets are only for IPv6 (RFC 3986 section 3.2.2), so that a name has a single spelling.
      if !server.bytes.contains(UInt8(ascii: ":")) { return nil }
      nameEnd = bracket + 1
    } else {
      nameEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
      server = ByteString(Array(bytes[..<nameEnd]))
    }
    if server.bytes.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }) { return nil }
    guard nameEnd < bytes.count else { return }
    guard bytes[nameEnd] == UInt8(ascii: ":"), !server.isEmpty else { return nil }
    let digits = bytes[(nameEnd + 1)...]
    if digits.isEmpty { return }
    guard let number = decimal(digits), let port = UInt16(exactly: number), port > 0 else { return nil }
    self.port = port
  }
}
