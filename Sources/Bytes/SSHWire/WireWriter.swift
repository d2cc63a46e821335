extension [UInt8] {
  /// Adds a `uint32`, most significant byte first (RFC 4251, section 5).
  package mutating func append(wire number: UInt32) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }

  /// Adds a `string`: its length and its bytes. Traps if it has 4 GiB or more.
  package mutating func append(wireString bytes: UnsafeRawBufferPointer) {
    append(wire: UInt32(bytes.count))
    append(contentsOf: bytes)
  }

  package mutating func append(wireString bytes: [UInt8]) {
    append(wire: UInt32(bytes.count))
    append(contentsOf: bytes)
  }

  package mutating func append(wireString text: StaticString) { append(wireString: text.bytes) }
}

extension Secret {
  /// Adds a `string` (RFC 4251, section 5). Traps if it has 4 GiB or more.
  package mutating func append(wireString bytes: UnsafeRawBufferPointer) {
    append(bigEndian: UInt32(bytes.count))
    append(bytes)
  }
}
