import Bytes
import Keychain

extension Secret {
  mutating func append(csvField value: ByteString, then end: StaticString = ",") {
    append(csvField: Secret(copying: value), then: end)
  }

  /// Appends a field as in RFC 4180, quoted if necessary.
  mutating func append(csvField value: borrowing Secret, then end: StaticString = ",") {
    value.withUnsafeBytes { value in
      let needsQuotes =
        value.contains { [0x22, 0x2c, 0x0a, 0x0d].contains($0) } || value.first == 0x20 || value.last == 0x20
      if needsQuotes { append(0x22) }
      for byte in value {
        if byte == 0x22 { append(0x22) }
        append(byte)
      }
      if needsQuotes { append(0x22) }
    }
    append(end)
  }
}
