import Keychain

extension Secret {
  /// Adds a number, its most significant byte first.
  mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append($0) }
  }
}

extension UnsafeRawBufferPointer {
  /// The number at `offset`, whose most significant byte comes first. Traps out of bounds.
  func bigEndian<Number: FixedWidthInteger>(at offset: Int, _ type: Number.Type) -> Number {
    self[offset..<offset + MemoryLayout<Number>.size].reduce(0) { $0 << 8 | Number($1) }
  }
}
