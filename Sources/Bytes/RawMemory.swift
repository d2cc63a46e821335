import Glibc

extension UnsafeMutableRawBufferPointer {
  @inlinable
  package static func allocateZeroed(_ count: Int) -> UnsafeMutableRawBufferPointer {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    return memory
  }

  /// Where the bytes begin, never null; see `UnsafeRawBufferPointer`'s.
  @inlinable @inline(__always)
  package var start: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(mutating: UnsafeRawBufferPointer(self).start)
  }

  /// The `count` bytes from `offset`. Traps out of bounds.
  @inlinable @inline(__always)
  package func part(_ offset: Int, _ count: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: self[offset..<offset + count])
  }

  /// Overwrites all bytes with zeros in a way that no optimizer removes.
  @usableFromInline
  package func wipe() {
    if let baseAddress { explicit_bzero(baseAddress, count) }
  }
}

extension UnsafeRawBufferPointer {
  /// Where the bytes begin, never null: libsodium declares its parameters non-null, even for zero bytes.
  @inlinable @inline(__always)
  package var start: UnsafeRawPointer { baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start) }

  /// The `count` bytes from `offset`. Traps out of bounds.
  @inlinable @inline(__always)
  package func part(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[offset..<offset + count])
  }

  package func starts(with text: StaticString) -> Bool {
    count >= text.utf8CodeUnitCount && part(0, text.utf8CodeUnitCount) == text
  }

  package func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    count == other.count && memcmp(start, other.start, count) == 0
  }

  package static func == (bytes: UnsafeRawBufferPointer, literal: StaticString) -> Bool {
    bytes.equals(literal.bytes)
  }

  /// The number at `offset`, most significant byte first. Traps out of bounds.
  @inlinable
  package func bigEndian<Number: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, _ type: Number.Type
  ) -> Number {
    Number(bigEndian: part(offset, MemoryLayout<Number>.size).loadUnaligned(as: Number.self))
  }
}

extension StaticString {
  /// The text's bytes, which live as long as the program.
  @inlinable
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}

/// Lends `count` zeroed bytes for intermediate values, and wipes them however `body` ends.
@inlinable
package func withSecretScratch<R: ~Copyable, E: Error>(
  _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
) throws(E) -> R {
  let scratch = UnsafeMutableRawBufferPointer.allocateZeroed(count)
  defer {
    scratch.wipe()
    scratch.deallocate()
  }
  return try body(scratch)
}
