/// A violation of SSH's encoding.
package enum WireError: Error, Equatable, Sendable {
  /// The bytes end within a value.
  case truncated
  case trailing
  /// A value is outside its bounds.
  case value
}

/// A cursor over SSH's encoding of data: bytes, numbers, and strings preceded by their length (RFC 4251, section 5).
///
/// It lends parts of its bytes and copies none. No length that it reads ever allocates anything.
package struct WireReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  /// Starts at the beginning of some bytes, which must outlive the cursor.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// Whether everything has been read.
  package var isAtEnd: Bool { offset == bytes.count }

  package var rest: UnsafeRawBufferPointer { bytes.part(offset, bytes.count - offset) }

  /// - Throws: ``WireError/truncated`` if fewer are left.
  package mutating func take(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
    guard 0...bytes.count - offset ~= count else { throw .truncated }
    defer { offset += count }
    return bytes.part(offset, count)
  }

  package mutating func byte() throws(WireError) -> UInt8 { try take(1)[0] }

  /// Reads a `uint32`, most significant byte first.
  package mutating func uint32() throws(WireError) -> UInt32 { try take(4).bigEndian(at: 0, UInt32.self) }

  /// Reads a `uint64`, most significant byte first.
  package mutating func uint64() throws(WireError) -> UInt64 { try take(8).bigEndian(at: 0, UInt64.self) }

  /// Reads a `string` without its length.
  package mutating func string() throws(WireError) -> UnsafeRawBufferPointer {
    try take(Int(clamping: try uint32()))
  }

  /// Reads an `mpint` that isn't negative, and returns its bytes without leading zeros; none for zero.
  ///
  /// - Throws: ``WireError/value`` for a negative number, and for an unnecessary leading zero.
  package mutating func unsignedInteger() throws(WireError) -> UnsafeRawBufferPointer {
    let number = try string()
    guard let first = number.first else { return number }
    if first & 0x80 != 0 { throw .value }
    if first != 0 { return number }
    guard number.count > 1, number[1] & 0x80 != 0 else { throw .value }
    return number.part(1, number.count - 1)
  }

  /// Checks that everything has been read.
  ///
  /// - Throws: ``WireError/trailing`` if not.
  package func end() throws(WireError) {
    if !isAtEnd { throw .trailing }
  }
}
