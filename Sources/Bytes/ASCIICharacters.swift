extension UInt8 {
  /// Whether it is one of ASCII's letters.
  package var isLetter: Bool { 0x61...0x7a ~= self | 0x20 }

  /// Whether it is one of ASCII's digits.
  package var isDigit: Bool { 0x30...0x39 ~= self }

  /// Whether it is one of ASCII's letters and digits.
  package var isLetterOrDigit: Bool { isLetter || isDigit }

  /// Whether it can stand in a URL's scheme, behind the first letter (RFC 3986 section 3.1).
  package var isOfScheme: Bool { isLetterOrDigit || "+-.".utf8.contains(self) }

  /// Whether it can stand in one of HTTP's tokens (RFC 9110 section 5.6.2).
  package var isOfToken: Bool { isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}

extension Collection<UInt8> {
  /// Whether they are a URL's scheme (RFC 3986 section 3.1).
  package var isScheme: Bool { first?.isLetter == true && allSatisfy(\.isOfScheme) }
}
