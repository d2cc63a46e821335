package import Bytes

/// Reads RSA private keys in PEM (RFC 7468): those of PKCS #1 (RFC 8017 appendix A.1.2), which GitHub makes, and of
/// PKCS #8 (RFC 5958), which OpenSSL makes.
package enum RSAPrivateKey {
  /// Numbers without a sign, the most significant byte first, and none of them 0 on the left.
  package struct Numbers {
    package let modulus: UnsafeRawBufferPointer
    package let publicExponent: UnsafeRawBufferPointer
    package let privateExponent: UnsafeRawBufferPointer
  }

  private static let begin: StaticString = "-----BEGIN RSA PRIVATE KEY-----"
  private static let beginWrapped: StaticString = "-----BEGIN PRIVATE KEY-----"
  private static let end: StaticString = "-----END "
  /// 1.2.840.113549.1.1.1 (RFC 8017 appendix A.1).
  private static let rsaEncryption: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]

  /// Lends the first key of a text to `body`. What stands before it is passed over, as OpenSSL does.
  ///
  /// - Returns: what `body` returns; `nil` for a key that is encrypted or of another kind, and for any other text.
  package static func withNumbers<Result>(
    of text: borrowing Secret, _ body: (Numbers) -> Result?
  ) -> Result? {
    text.withUnsafeBytes { text in
      var base64 = Secret(capacity: text.count)
      guard let isWrapped = joinLines(of: text, into: &base64) else { return nil }
      switch base64.withUnsafeBytes({ Secret(base64: $0) }) {
      case .some(let key): return key.withUnsafeBytes { numbers(of: $0, isWrapped).flatMap(body) }
      case .none: return nil
      }
    }
  }

  /// Appends what is between the lines that begin and end a key; returns whether its kind has to be told from inside, and
  /// `nil` if there is no whole key. The headers of an encrypted key are no base64.
  private static func joinLines(of text: UnsafeRawBufferPointer, into base64: inout Secret) -> Bool? {
    var lines = Lines(text)
    var isWrapped: Bool?
    while let line = lines.next() {
      let line = line.part(0, line.count - line.reversed().prefix { $0 == 0x20 || $0 == 0x09 }.count)
      if isWrapped == nil {
        if line.elementsEqual(begin.bytes) { isWrapped = false }
        if line.elementsEqual(beginWrapped.bytes) { isWrapped = true }
      } else if line.starts(with: end) {
        return isWrapped
      } else {
        base64.append(line)
      }
    }
    return nil
  }

  private static func numbers(of key: UnsafeRawBufferPointer, _ isWrapped: Bool) -> Numbers? {
    var outside = DERReader(key[...])
    guard let sequence = outside.next(DERTag.sequence), outside.isAtEnd else { return nil }
    var fields = DERReader(sequence.contents)
    guard fields.next(DERTag.integer) != nil else { return nil }
    if isWrapped {
      guard let algorithm = fields.next(DERTag.sequence), let key = fields.next(DERTag.octetString) else {
        return nil
      }
      var parts = DERReader(algorithm.contents)
      guard let name = parts.next(DERTag.objectIdentifier), name.contents.elementsEqual(rsaEncryption) else {
        return nil
      }
      return numbers(of: UnsafeRawBufferPointer(rebasing: key.contents), false)
    }
    guard let modulus = number(&fields), let publicExponent = number(&fields),
      let privateExponent = number(&fields)
    else { return nil }
    return Numbers(modulus: modulus, publicExponent: publicExponent, privateExponent: privateExponent)
  }

  /// The next number; `nil` unless it is positive.
  private static func number(
    _ fields: inout DERReader<Slice<UnsafeRawBufferPointer>>
  ) -> UnsafeRawBufferPointer? {
    guard let contents = fields.next(DERTag.integer)?.contents, let first = contents.first, first < 0x80
    else {
      return nil
    }
    let digits = contents.drop { $0 == 0 }
    return digits.isEmpty ? nil : UnsafeRawBufferPointer(rebasing: digits)
  }
}
