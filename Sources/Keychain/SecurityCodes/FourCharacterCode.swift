package import Bytes

/// A four-character code, as Keychain Services uses them for protocols, authentication types, creators and types
/// (`FourCharCode`): four bytes, shorter names padded with spaces.
package struct FourCharacterCode: Hashable, Sendable, RawRepresentable {
  /// The four bytes as a number, in big-endian order.
  package let rawValue: UInt32

  /// Creates a code from its number.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Parses a code; `nil` unless it has exactly four bytes.
  package init?(exactly text: ByteString) {
    guard text.bytes.count == 4 else { return nil }
    self.init(abbreviating: text)
  }

  /// The code for a name without a known code: its first four bytes, padded with spaces.
  package init(abbreviating name: ByteString) {
    rawValue = (0..<4).reduce(0) { code, index in
      code << 8 | UInt32(index < name.bytes.count ? name.bytes[index] : 0x20)
    }
  }

  init(_ literal: StaticString) {
    self.init(abbreviating: ByteString(stringLiteral: literal))
  }

  /// The four bytes.
  package var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) } }

  /// The four bytes without trailing spaces, as items store a code that has no other name.
  package var name: ByteString {
    var bytes = bytes
    while bytes.last == 0x20 { bytes.removeLast() }
    return ByteString(bytes)
  }
}

/// Conversions between four-character codes and the values in items.
///
/// Items store a protocol as a URL scheme in lowercase, and an authentication type by its usual name. A code that isn't
/// in these tables is stored without its trailing spaces; the code for any other name is its first four bytes, padded
/// with spaces. So every code survives the round trip. Names that are not in the tables share a code if they share
/// their first four bytes.
extension FourCharacterCode {
  /// `kSecAttrAuthenticationTypeDefault`, which items store as no type at all.
  package static let defaultAuthentication = FourCharacterCode("dflt")

  /// The code of a URL scheme (SecItem.h, `kSecAttrProtocol…`); 0 for no scheme.
  package init(ofProtocol scheme: ByteString) {
    if scheme.isEmpty {
      rawValue = 0
      return
    }
    let scheme = scheme.lowercased
    self = Self.protocols.first { $0.name == scheme }?.code ?? FourCharacterCode(abbreviating: scheme)
  }

  /// The URL scheme that the code stands for.
  package var protocolName: ByteString {
    if rawValue == 0 { return "" }
    return Self.protocols.first { $0.code == self }?.name ?? name
  }

  /// The code of an item's authentication type (SecItem.h, `kSecAttrAuthenticationType…`).
  package init(ofAuthenticationType name: ByteString?) {
    guard let name else {
      self = Self.defaultAuthentication
      return
    }
    let small = name.lowercased
    self = Self.authenticationTypes.first { $0.name == small }?.code ?? FourCharacterCode(abbreviating: name)
  }

  /// The authentication type that the code stands for, as an item stores it.
  package var authenticationTypeName: ByteString? {
    if self == Self.defaultAuthentication { return nil }
    return Self.authenticationTypes.first { $0.code == self }?.name ?? name
  }

  /// The protocols whose code isn't their name, as it is for the others of `kSecAttrProtocol…`.
  private static let protocols: [(code: FourCharacterCode, name: ByteString)] = [
    ("htps", "https"), ("ntps", "nntps"), ("ldps", "ldaps"), ("imps", "imaps"), ("pops", "pop3s"),
    ("teln", "telnet"), ("tels", "telnets"), ("sox ", "socks"),
  ]

  private static let authenticationTypes: [(code: FourCharacterCode, name: ByteString)] = [
    ("http", "basic"), ("httd", "digest"),
  ]
}

extension FourCharacterCode: ExpressibleByStringLiteral {
  /// Creates a code from a literal of four bytes.
  package init(stringLiteral value: StaticString) {
    self.init(value)
  }
}
