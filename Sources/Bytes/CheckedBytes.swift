import Glibc

// The standard library's accessors of raw buffers check bounds in debug builds only. Keychains read bytes from others,
// so these check, and trap, in every build. They have the same names and take precedence wherever this module is
// imported, so nobody uses the unchecked ones by mistake.

extension UnsafeRawBufferPointer {
  /// The byte at `index`. Traps out of bounds.
  @inlinable @inline(__always)
  package subscript(index: Int) -> UInt8 {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a byte outside of its buffer")
    return baseAddress.unsafelyUnwrapped.load(fromByteOffset: index, as: UInt8.self)
  }

  /// The bytes in a range. Traps out of bounds.
  @inlinable @inline(__always)
  package subscript(bounds: Range<Int>) -> Slice<UnsafeRawBufferPointer> {
    precondition(bounds.lowerBound >= 0 && bounds.upperBound <= count, "bytes outside of their buffer")
    return Slice(base: self, bounds: bounds)
  }

  /// The bytes in a range that may be open on one side. Traps out of bounds.
  @inlinable @inline(__always)
  package subscript<Bounds: RangeExpression<Int>>(bounds: Bounds) -> Slice<UnsafeRawBufferPointer> {
    self[bounds.relative(to: indices)]
  }

  /// The first position of `byte` from `start` on; `nil` if there is none. Traps if `start` is out of bounds.
  package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    precondition(start >= 0 && start <= count, "a search outside of its buffer")
    guard let baseAddress, let found = memchr(baseAddress + start, Int32(byte), count - start) else {
      return nil
    }
    return UnsafeRawPointer(found) - baseAddress
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The byte at `index`. Traps out of bounds.
  @inlinable @inline(__always)
  package subscript(index: Int) -> UInt8 {
    get { UnsafeRawBufferPointer(self)[index] }
    nonmutating set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a byte outside of its buffer")
      baseAddress.unsafelyUnwrapped.storeBytes(of: newValue, toByteOffset: index, as: UInt8.self)
    }
  }

  /// The bytes in a range. Traps out of bounds.
  @inlinable @inline(__always)
  package subscript(bounds: Range<Int>) -> Slice<UnsafeMutableRawBufferPointer> {
    precondition(bounds.lowerBound >= 0 && bounds.upperBound <= count, "bytes outside of their buffer")
    return Slice(base: self, bounds: bounds)
  }

  /// The bytes in a range that may be open on one side. Traps out of bounds.
  @inlinable @inline(__always)
  package subscript<Bounds: RangeExpression<Int>>(bounds: Bounds) -> Slice<UnsafeMutableRawBufferPointer> {
    self[bounds.relative(to: indices)]
  }

  /// Copies all of `source` to the beginning. Traps if there is no room for it.
  @inlinable @inline(__always)
  package func copyMemory(from source: UnsafeRawBufferPointer) {
    precondition(source.count <= count, "more bytes than their buffer has room for")
    if let bytes = source.baseAddress { baseAddress?.copyMemory(from: bytes, byteCount: source.count) }
  }

  /// Copies all of `source` to the beginning. Traps if there is no room for it.
  @inlinable
  package func copyBytes(from source: some Collection<UInt8>) {
    precondition(source.count <= count, "more bytes than their buffer has room for")
    for (index, byte) in source.enumerated() { self[index] = byte }
  }
}
