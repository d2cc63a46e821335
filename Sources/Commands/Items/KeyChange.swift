import Bytes
import CredentialProtocols
import Keychain
import Terminals

/// Changes to the attributes of an item's primary key. An empty text removes one.
struct KeyChange {
  var server: String?
  var `protocol`: String?
  var port: String?
  var account: String?
  var path: String?
  var domain: String?
  var service: String?
  var authenticationType: String?

  var isEmpty: Bool { !changesInternet && service == nil && account == nil }

  private var changesInternet: Bool {
    [server, `protocol`, port, path, domain, authenticationType].contains { $0 != nil }
  }

  /// - Throws: ``Failure`` for an invalid value, and for an attribute that the item's class doesn't have.
  func apply(to key: inout Item.Key) throws(Failure) {
    switch key {
    case .internetPassword(var password):
      if service != nil { throw Failure("an item of a URL has no service", status: .usage) }
      try apply(to: &password)
      key = .internetPassword(password)
    case .genericPassword(var password):
      if changesInternet {
        throw Failure("an item of a service has an account and nothing else to name it", status: .usage)
      }
      if let service { password.service = ByteString(service) }
      if let account { password.account = Self.value(account) }
      key = .genericPassword(password)
    case .cryptographic:
      if changesInternet || service != nil || account != nil {
        throw Failure("the names of a certificate or key can't be changed here", status: .usage)
      }
    case .secretService:
      if changesInternet || service != nil || account != nil {
        throw Failure(
          "items that other programs stored in the Secret Service have no such attributes", status: .usage)
      }
    }
  }

  private func apply(to key: inout InternetPassword) throws(Failure) {
    if let server { key.server = try Self.server(server) }
    if let `protocol` { key.protocol = try Self.scheme(`protocol`) }
    if let port { key.port = try Self.port(port) }
    if let account { key.account = Self.value(account) }
    if let path { key.path = Self.path(ByteString(path)) }
    if let domain { key.securityDomain = Self.value(domain) }
    if let authenticationType { key.authenticationType = Self.value(authenticationType) }
  }

  static func value(_ text: String) -> ByteString? { ByteString?(ByteString(text)).nonEmpty }

  /// A host name or address. Brackets around an IPv6 address are optional.
  static func server(_ text: String) throws(Failure) -> ByteString? {
    if text.isEmpty { return nil }
    let isAddress = text.first != "[" && text.utf8.count { $0 == UInt8(ascii: ":") } > 1
    guard !text.contains("/"), let host = HostAndPort(parsing: ByteString(isAddress ? "[\(text)]" : text)),
      !host.server.isEmpty
    else { throw Failure("a server is the name or address of a host alone", status: .usage) }
    if host.port != nil {
      throw Failure("the server has a port with it, which is an attribute by itself", status: .usage)
    }
    return host.server
  }

  /// A URL's scheme (RFC 3986 section 3.1).
  static func scheme(_ text: String) throws(Failure) -> ByteString {
    let bytes = Array(text.utf8)
    guard bytes.isScheme else {
      throw Failure("a protocol is the scheme of a URL, such as https", status: .usage)
    }
    return ByteString(bytes)
  }

  static func port(_ text: String) throws(Failure) -> UInt16? {
    if text.isEmpty { return nil }
    guard text.utf8.allSatisfy(\.isDigit), let port = UInt16(text), port > 0 else {
      throw Failure("a port is a number from 1 to 65535", status: .usage)
    }
    return port
  }

  /// A path as in a URL, without the slashes around it.
  static func path(_ path: ByteString?) -> ByteString? {
    (path?.withoutSlashesAround).nonEmpty
  }
}
