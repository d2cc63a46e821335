import Bytes
import Keychain

extension Secret {
  mutating func append(csvField value: String) { append(csvField: Secret(value)) }

  mutating func append(csvField value: ByteString) { append(csvField: Secret(copying: value)) }

  /// Appends a field as in RFC 4180, quoted if necessary.
  mutating func append(csvField value: borrowing Secret) {
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
  }

  mutating func append(csvFields values: ByteString...) {
    for (index, value) in values.enumerated() {
      if index > 0 { append(",") }
      append(csvField: value)
    }
  }
}
