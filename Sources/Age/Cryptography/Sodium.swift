import Bytes
import CSodium

/// libsodium's start, and the few of its helpers that take plain buffers.
package enum Sodium {
  private static let started = sodium_init() >= 0

  /// Starts libsodium the first time; afterwards costs a load and a branch.
  ///
  /// It chooses the fastest implementation for this processor, so call it before any primitive. Ends the process
  /// if the system has no source of randomness, since nothing here could be done safely then.
  package static func start() {
    guard started else { fatalError("libsodium cannot start: the system gives no random bytes") }
  }

  /// Fills memory with bytes from the system's cryptographic generator.
  package static func randomize(_ bytes: UnsafeMutableRawBufferPointer) {
    start()
    randombytes_buf(bytes.start, bytes.count)
  }

  /// A number from 0 to `bound - 1`, each of them as likely as any other; 0 where the bound is 0 or 1.
  package static func randomNumber(below bound: UInt32) -> UInt32 {
    start()
    return randombytes_uniform(bound)
  }

  /// Compares without its time telling where the first difference is. The counts are public.
  package static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    left.count == right.count && sodium_memcmp(left.start, right.start, left.count) == 0
  }
}
