import Bytes
import CSodium

/// Initialization of libsodium, and a few of its helpers for plain buffers.
package enum Sodium {
  private static let started = sodium_init() >= 0

  /// Starts libsodium the first time; afterwards this costs a load and a branch. Call it before any primitive, so that
  /// libsodium chooses the fastest implementation for this processor. Ends the process if the system has no source of
  /// randomness, because nothing here could be done safely then.
  package static func start() {
    guard started else { fatalError("libsodium cannot start: the system gives no random bytes") }
  }

  /// Fills memory with bytes from the system's cryptographic generator.
  package static func randomize(_ bytes: UnsafeMutableRawBufferPointer) {
    start()
    randombytes_buf(bytes.start, bytes.count)
  }

  /// A uniformly distributed number from 0 to `bound - 1`; 0 if the bound is 0 or 1.
  package static func randomNumber(below bound: UInt32) -> UInt32 {
    start()
    return randombytes_uniform(bound)
  }

  /// Compares in constant time, to hide the first difference. The counts are public.
  package static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    left.count == right.count && sodium_memcmp(left.start, right.start, left.count) == 0
  }
}
