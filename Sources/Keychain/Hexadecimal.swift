/// Bytes as small hexadecimal digits.
package func hexadecimal(_ bytes: [UInt8]) -> String {
  String(decoding: hexadecimalDigits(bytes), as: UTF8.self)
}

/// The same, as bytes of text.
package func hexadecimalDigits(_ bytes: [UInt8]) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: 2 * bytes.count) { text, count in
    for (index, byte) in bytes.enumerated() {
      text[2 * index] = hexadecimalDigit(byte >> 4)
      text[2 * index + 1] = hexadecimalDigit(byte & 15)
    }
    count = 2 * bytes.count
  }
}

private func hexadecimalDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
