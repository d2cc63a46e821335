/// What this library does with plain memory.
extension UnsafeMutableRawBufferPointer {
  /// Takes memory from the allocator and clears it.
  static func allocateZeroed(_ count: Int) -> UnsafeMutableRawBufferPointer {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    return memory
  }

  /// Where the bytes begin; see the same of `UnsafeRawBufferPointer`.
  var start: UnsafeMutableRawPointer {
    baseAddress ?? UnsafeMutableRawPointer(mutating: UnsafeRawBufferPointer.nothing)
  }

  /// The `count` bytes from `offset`, as a buffer of their own. Traps out of bounds.
  func part(_ offset: Int, _ count: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: self[offset..<offset + count])
  }
}

extension UnsafeRawBufferPointer {
  fileprivate static var nothing: UnsafeRawPointer { UnsafeRawPointer(("" as StaticString).utf8Start) }

  /// Where the bytes begin, never null: libsodium's parameters are declared so, even for zero bytes.
  var start: UnsafeRawPointer { baseAddress ?? UnsafeRawBufferPointer.nothing }

  /// The `count` bytes from `offset`, as a buffer of their own. Traps out of bounds.
  func part(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[offset..<offset + count])
  }

  /// Whether these bytes begin with the ASCII text `text`.
  func starts(with text: StaticString) -> Bool {
    count >= text.utf8CodeUnitCount && part(0, text.utf8CodeUnitCount).elementsEqual(text.bytes)
  }
}

extension StaticString {
  /// The text's bytes, which live as long as the program.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}
