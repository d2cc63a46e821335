package import Bytes

/// A four-character code, as Keychain Services uses them for protocols, authentication types, creators and types
/// (`FourCharCode`): four bytes, shorter names padded with spaces.
package struct FourCharacterCode: Hashable, Sendable, RawRepresentable {
  /// The four bytes as a number, the first one the highest.
  package let rawValue: UInt32

  /// Takes the number.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Takes a code as it is written; `nil` unless it has exactly four bytes.
  package init?(exactly text: ByteString) {
    guard text.bytes.count == 4 else { return nil }
    self.init(abbreviating: text)
  }

  /// The code of a name that isn't known otherwise: padded with spaces, or its first four bytes.
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

  /// The four bytes without spaces at their end, as items keep a code that has no other name.
  package var name: ByteString {
    var bytes = bytes
    while bytes.last == 0x20 { bytes.removeLast() }
    return ByteString(bytes)
  }
}

/// Between four-character codes and what items keep.
///
/// Items keep a protocol as a URL scheme, in small letters, and an authentication type by its usual name. What isn't in
/// these tables is kept as its code without the spaces at its end, and has as its code its first four bytes, padded
/// with spaces. So every code comes back as it was given; of names that are not in the tables, those that share their
/// first four bytes share a code.
extension FourCharacterCode {
  /// `kSecAttrAuthenticationTypeDefault`, which items keep as no type at all.
  package static let defaultAuthentication = FourCharacterCode("dflt")

  /// The code of a URL scheme (SecItem.h, `kSecAttrProtocol…`); 0 of none.
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

  /// The authentication type that the code stands for, as an item keeps it.
  package var authenticationTypeName: ByteString? {
    if self == Self.defaultAuthentication { return nil }
    return Self.authenticationTypes.first { $0.code == self }?.name ?? name
  }

  /// Those whose code isn't their name: the others of `kSecAttrProtocol…` are.
  private static let protocols: [(code: FourCharacterCode, name: ByteString)] = [
    ("htps", "https"), ("ntps", "nntps"), ("ldps", "ldaps"), ("imps", "imaps"), ("pops", "pop3s"),
    ("teln", "telnet"), ("tels", "telnets"), ("sox ", "socks"),
  ]

  private static let authenticationTypes: [(code: FourCharacterCode, name: ByteString)] = [
    ("http", "basic"), ("httd", "digest"),
  ]
}

extension FourCharacterCode: ExpressibleByStringLiteral {
  /// The code of a literal of four bytes.
  package init(stringLiteral value: StaticString) {
    self.init(value)
  }
}
