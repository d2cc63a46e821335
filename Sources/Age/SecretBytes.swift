import Bytes

/// Bytes in memory of their own, which is zeroed before it is given back. They cannot be copied or printed.
package struct SecretBytes: ~Copyable, @unchecked Sendable {
  // Sound as Sendable: written during init, which nobody else can see, and later only by an owner that holds it
  // exclusively (RandomAccessReader, which isn't Sendable).
  private let memory: UnsafeMutableRawBufferPointer

  /// Takes `count` bytes of memory, zeroed, and lets `fill` write them; on an error they are wiped at once.
  package init<E: Error>(count: Int, fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void) throws(E) {
    let memory = UnsafeMutableRawBufferPointer.allocateZeroed(count)
    do {
      try fill(memory)
    } catch {
      Sodium.wipe(memory)
      memory.deallocate()
      throw error
    }
    self.memory = memory
  }

  /// Takes `count` bytes of memory whose contents don't matter until they are written.
  init(uninitialized count: Int) {
    memory = .allocate(byteCount: count, alignment: 16)
  }

  /// Copies the bytes; the original stays the caller's to wipe.
  package init(copying bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
  }

  deinit {
    Sodium.wipe(memory)
    memory.deallocate()
  }

  /// The number of bytes.
  package var count: Int { memory.count }

  /// Lends the bytes to `body`; the pointer is not valid afterwards.
  package borrowing func withUnsafeBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try body(UnsafeRawBufferPointer(memory))
  }

  /// The memory itself, for its one owner to reuse as a buffer; valid as long as the owner keeps this value.
  var unsafeMemory: UnsafeMutableRawBufferPointer { memory }
}

/// Lends `count` zeroed bytes for intermediate values and wipes them however `body` ends.
func withSecretScratch<R: ~Copyable, E: Error>(
  _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
) throws(E) -> R {
  let scratch = UnsafeMutableRawBufferPointer.allocateZeroed(count)
  defer {
    Sodium.wipe(scratch)
    scratch.deallocate()
  }
  return try body(scratch)
}
