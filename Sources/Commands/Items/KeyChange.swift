import Bytes
import CredentialProtocols
import Keychain
import ToolCommands

/// Changes to the attributes of an item's primary key. An empty text removes one.
struct KeyChange {
  private let values: [Item.Attribute: String]

  init(_ values: [Item.Attribute: String] = [:]) { self.values = values }

  var isEmpty: Bool { values.isEmpty }

  /// - Throws: ``KeychainError`` for an invalid value, and for an attribute that the item's class doesn't have.
  func apply(to key: inout Item.Key) throws(KeychainError) {
    if !values.keys.allSatisfy({ $0.isOf(key.itemClass) }) {
      let reason =
        switch key {
        case .internetPassword: "an item of a URL has no service"
        case .genericPassword: "an item of a service has an account and nothing else to name it"
        case .cryptographic: "the names of a certificate or key can't be changed here"
        case .secretService: "items that other programs stored in the Secret Service have no such attributes"
        }
      throw KeychainError(reason, status: .usage)
    }
    for attribute in Item.Attribute.ofKeys {
      guard let text = values[attribute] else { continue }
      key[attribute] = try Self.value(ByteString?(ByteString(text)).nonEmpty, of: attribute)
    }
  }

  /// An attribute's value as an item has it.
  ///
  /// - Throws: ``KeychainError`` for an invalid one.
  static func value(_ value: ByteString?, of attribute: Item.Attribute) throws(KeychainError) -> ByteString? {
    func text() throws(KeychainError) -> String {
      guard let text = (value ?? "").text else { throw .failure("it is not UTF-8", status: .usage) }
      return text
    }
    return switch attribute {
    case .server: try server(try text())
    case .protocol: try scheme(try text())
    case .port: try port(try text())
    case .path: value?.withoutSlashesAround
    default: value
    }
  }

  /// A host name or address. Brackets around an IPv6 address are optional.
  static func server(_ text: String) throws(KeychainError) -> ByteString? {
    if text.isEmpty { return nil }
    let isAddress = text.first != "[" && text.utf8.count { $0 == UInt8(ascii: ":") } > 1
    guard !text.contains("/"), let host = HostAndPort(parsing: ByteString(isAddress ? "[\(text)]" : text)),
      !host.server.isEmpty
    else { throw .failure("a server is the name or address of a host alone", status: .usage) }
    if host.port != nil {
      throw .failure("the server has a port with it, which is an attribute by itself", status: .usage)
    }
    return host.server
  }

  /// A URL's scheme (RFC 3986 section 3.1).
  private static func scheme(_ text: String) throws(KeychainError) -> ByteString {
    let bytes = Array(text.utf8)
    guard bytes.isScheme else {
      throw .failure("a protocol is the scheme of a URL, such as https", status: .usage)
    }
    return ByteString(bytes)
  }

  private static func port(_ text: String) throws(KeychainError) -> ByteString? {
    if text.isEmpty { return nil }
    guard text.utf8.allSatisfy(\.isDigit), let port = UInt16(text), port > 0 else {
      throw .failure("a port is a number from 1 to 65535", status: .usage)
    }
    return ByteString("\(port)")
  }
}
