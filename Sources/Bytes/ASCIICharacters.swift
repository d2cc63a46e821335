extension UInt8 {
  package var isLetter: Bool { 0x61...0x7a ~= self | 0x20 }

  package var isDigit: Bool { 0x30...0x39 ~= self }

  package var isLetterOrDigit: Bool { isLetter || isDigit }

  /// Whether it may follow the first letter of a URL's scheme (RFC 3986 section 3.1).
  package var isOfScheme: Bool { isLetterOrDigit || "+-.".utf8.contains(self) }

  /// Whether HTTP allows it in a token (RFC 9110 section 5.6.2).
  package var isOfToken: Bool { isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}

extension Collection<UInt8> {
  /// Whether they are a URL's scheme (RFC 3986 section 3.1).
  package var isScheme: Bool { first?.isLetter == true && allSatisfy(\.isOfScheme) }
}

/// Parses a decimal number without sign or spaces; `nil` for anything else, or if it has more than 18 digits.
@inlinable
package func decimal(_ digits: some Collection<UInt8>) -> Int64? {
  guard 1...18 ~= digits.count else { return nil }
  var number: Int64 = 0
  for digit in digits {
    guard 0x30...0x39 ~= digit else { return nil }
    number = number * 10 + Int64(digit - 0x30)
  }
  return number
}
