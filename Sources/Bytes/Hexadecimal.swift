/// Bytes as lower-case hexadecimal digits.
package func hexadecimal(_ bytes: [UInt8]) -> String {
  String(decoding: hexadecimalDigits(bytes), as: UTF8.self)
}

package func hexadecimalDigits(_ bytes: [UInt8]) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: 2 * bytes.count) { text, count in
    for (index, byte) in bytes.enumerated() {
      text[2 * index] = hexadecimalDigit(byte >> 4)
      text[2 * index + 1] = hexadecimalDigit(byte & 15)
    }
    count = 2 * bytes.count
  }
}

/// A number as sixteen lower-case hexadecimal digits.
package func hexadecimal(_ number: UInt64) -> String {
  withUnsafeBytes(of: number.bigEndian) { hexadecimal(Array($0)) }
}

extension [UInt8] {
  /// Adds the two hexadecimal digits of a byte.
  package mutating func append(hexadecimal byte: UInt8, isCapital: Bool = false) {
    append(hexadecimalDigit(byte >> 4, isCapital: isCapital))
    append(hexadecimalDigit(byte & 15, isCapital: isCapital))
  }

  /// The bytes that hexadecimal digits stand for, two for each; `nil` if they are anything else.
  package init?(hexadecimal digits: some Sequence<UInt8>) {
    self = []
    guard decodeHexadecimal(digits, { append($0) }) else { return nil }
  }
}

extension Secret {
  /// Adds the two hexadecimal digits of each byte.
  package mutating func append(hexadecimal bytes: UnsafeRawBufferPointer, isCapital: Bool = false) {
    for byte in bytes {
      append(hexadecimalDigit(byte >> 4, isCapital: isCapital))
      append(hexadecimalDigit(byte & 15, isCapital: isCapital))
    }
  }

  /// The bytes that hexadecimal digits stand for, two for each; `nil` if they are anything else.
  package init?(hexadecimal digits: UnsafeRawBufferPointer) {
    self.init(capacity: digits.count / 2)
    guard decodeHexadecimal(digits, { append($0) }) else { return nil }
  }
}

private func decodeHexadecimal(_ digits: some Sequence<UInt8>, _ append: (UInt8) -> Void) -> Bool {
  var rest = digits.makeIterator()
  while let digit = rest.next() {
    guard let high = hexadecimalValue(digit), let low = rest.next().flatMap(hexadecimalValue) else {
      return false
    }
    append(high << 4 | low)
  }
  return true
}

/// The digit of a number from 0 to 15, in lower case unless `isCapital`.
@inlinable
package func hexadecimalDigit(_ value: UInt8, isCapital: Bool = false) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: isCapital ? "A" : "a") + value - 10
}

/// The value of a hexadecimal digit in lower or upper case; `nil` for any other character.
@inlinable
package func hexadecimalValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case 0x30...0x39: digit - 0x30
  case 0x41...0x46, 0x61...0x66: (digit | 0x20) - 0x61 + 10
  default: nil
  }
}
