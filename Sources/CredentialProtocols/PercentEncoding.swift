import Bytes
package import Keychain

/// The escapes of RFC 3986 section 2.1.
package enum PercentEncoding {
  /// Appends bytes, all that are not unreserved (section 2.3) as `%XX`.
  package static func append(
    _ value: borrowing Secret, keepingSlashes: Bool = false, to text: inout Secret
  ) {
    value.withUnsafeBytes { value in
      for byte in value {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: text.append(byte)
        case 0x2f where keepingSlashes: text.append(byte)
        default:
          text.append(0x25)
          text.append(hexadecimalDigit(byte >> 4, isCapital: true))
          text.append(hexadecimalDigit(byte & 15, isCapital: true))
        }
      }
    }
  }

  /// The same of what is no secret.
  package static func text(_ value: ByteString, keepingSlashes: Bool = false) -> String {
    var text = Secret(capacity: value.bytes.count)
    append(Secret(copying: value), keepingSlashes: keepingSlashes, to: &text)
    return text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}
