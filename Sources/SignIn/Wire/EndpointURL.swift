import Bytes

/// An address that may receive a token or a client's secret: https, or http on this machine.
///
/// RFC 6749 section 3.2 demands TLS for a token endpoint. http is allowed only on loopback addresses, for tests and for
/// programs that run beside llavero.
package struct EndpointURL: Hashable, Sendable {
  /// The longest address, in bytes.
  package static let maximumSize = 2048

  /// `https` or `http`.
  package let scheme: String
  /// The host in lowercase, with brackets for an IPv6 address.
  package let host: String
  /// The port, even if it is the scheme's default.
  package let port: UInt16
  /// The path, with a leading slash, and the query, if any, with its question mark.
  package let pathAndQuery: String

  /// Parses an address. `nil` if it isn't a URL of that kind, has a user name or a fragment, is too long, or has a
  /// character that RFC 3986 doesn't allow.
  package init?(_ text: some StringProtocol) {
    if text.utf8.count > Self.maximumSize { return nil }
    self.init(ofAnyLength: String(text))
  }

  /// Parses an address as ``init(_:)`` does, however long it is.
  package init?(ofAnyLength text: String) {
    guard text.utf8.allSatisfy(Self.isAllowed) else { return nil }
    let lowercased = text.lowercased()
    if lowercased.hasPrefix("https://") {
      scheme = "https"
    } else if lowercased.hasPrefix("http://") {
      scheme = "http"
    } else {
      return nil
    }
    let rest = text.dropFirst(scheme.utf8.count + 3)
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    guard let (host, port) = Self.authority(rest[..<end]) else { return nil }
    self.host = host
    self.port = port ?? (scheme == "https" ? 443 : 80)
    let tail = rest[end...]
    pathAndQuery = tail.hasPrefix("/") ? String(tail) : "/" + String(tail)
    if scheme == "http", !Self.isLoopback(host) { return nil }
  }

  private init(scheme: String, host: String, port: UInt16, pathAndQuery: String) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.pathAndQuery = pathAndQuery
  }

  /// Stands for an address that is yet to be read.
  static let unread = EndpointURL(scheme: "https", host: "", port: 443, pathAndQuery: "/")

  /// The characters of RFC 3986 appendix A except the number sign, which begins a fragment.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    default: ("-._~:/?[]@!$&'()*+,;=%" as StaticString).bytes.contains(byte)
    }
  }

  private static func authority(_ text: Substring) -> (host: String, port: UInt16?)? {
    let isAddress = text.hasPrefix("[")
    let end: Substring.Index
    if isAddress {
      guard let bracket = text.firstIndex(of: "]") else { return nil }
      end = text.index(after: bracket)
    } else {
      end = text.firstIndex(of: ":") ?? text.endIndex
    }
    let host = text[..<end].lowercased()
    let inside = isAddress ? host.dropFirst().dropLast() : host[...]
    let isName = inside.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
      case 0x3a: isAddress
      default: false
      }
    }
    guard isName, !inside.isEmpty, inside.utf8.count <= 253 else { return nil }
    let rest = text[end...]
    if rest.isEmpty { return (host, nil) }
    guard rest.hasPrefix(":"), rest.dropFirst().utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    if rest.count == 1 { return (host, nil) }
    guard let port = UInt16(rest.dropFirst()), port > 0 else { return nil }
    return (host, port)
  }

  /// Whether a host is this machine, without relying on name resolution.
  package static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host == "[::1]" || host == "127.0.0.1"
  }

  /// Scheme, host and port: `https://example.com:8443`.
  package var origin: String {
    port == (scheme == "https" ? 443 : 80) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
  }

  package var hostAndPort: String { String(origin.dropFirst(scheme.count + 3)) }

  package var text: String { origin + pathAndQuery }

  /// The whole address with another host.
  package func naming(_ server: String) -> String { "\(scheme)://\(server):\(port)\(pathAndQuery)" }

  /// Whether both have the same scheme, host and port (RFC 6454 section 5).
  package func hasSameOrigin(as other: EndpointURL) -> Bool { origin == other.origin }

  package func at(_ path: String) -> EndpointURL? {
    guard path.hasPrefix("/"), !path.hasPrefix("//") else { return nil }
    return EndpointURL(origin + path)
  }

  /// The address of a path on the same server, of any length, that consists only of letters, digits, `-._~` and
  /// slashes.
  ///
  /// - Precondition: the path does.
  package func at(unreserved path: String) -> EndpointURL {
    let unreserved: (UInt8) -> Bool = { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d...0x2f, 0x5f, 0x7e: true
      default: false
      }
    }
    precondition(path.hasPrefix("/") && path.utf8.allSatisfy(unreserved), "a path of unreserved characters")
    return EndpointURL(scheme: scheme, host: host, port: port, pathAndQuery: path)
  }

  /// The address with a query.
  ///
  /// - Precondition: it has none yet, and the query is well encoded.
  package func asking(_ query: String) -> EndpointURL {
    precondition(
      !pathAndQuery.utf8.contains(UInt8(ascii: "?"))
        && query.utf8.allSatisfy { 0x21...0x7e ~= $0 && $0 != 0x23 },
      "an address without query")
    return EndpointURL(scheme: scheme, host: host, port: port, pathAndQuery: pathAndQuery + "?" + query)
  }

  package var query: String {
    pathAndQuery.firstIndex(of: "?").map { String(pathAndQuery[pathAndQuery.index(after: $0)...]) } ?? ""
  }

  /// An address from configuration: a whole one, or a path on the same server.
  package func resolving(_ reference: String) -> EndpointURL? {
    if reference.hasPrefix("/") { return at(reference) }
    let isWhole = reference.prefix { $0 != "/" }.hasSuffix(":")
    return isWhole ? EndpointURL(typed: reference) : at("/" + reference)
  }

  /// The address with parameters added to its query (RFC 6749 section 3.1).
  package func adding(_ parameters: String) -> String {
    text + (pathAndQuery.contains("?") ? (pathAndQuery.hasSuffix("?") ? "" : "&") : "?") + parameters
  }
}

extension JSONMembers {
  mutating func member(
    _ name: StaticString, _ value: inout EndpointURL?, ofAnyLength isLong: Bool = false
  ) throws(JSONReader.Malformed) {
    var text = isReading ? nil : value?.text
    try member(name, &text)
    guard text != nil, isReading else { return }
    value = text.flatMap { isLong ? EndpointURL(ofAnyLength: $0) : EndpointURL($0) }
    if value == nil { throw JSONReader.Malformed() }
  }

  mutating func member(
    _ name: StaticString, _ value: inout EndpointURL, ofAnyLength isLong: Bool = false
  ) throws(JSONReader.Malformed) {
    var url: EndpointURL? = isReading ? nil : value
    try member(name, &url, ofAnyLength: isLong)
    value = url ?? value
  }
}
