import Bytes
import CSodium

/// HMAC-SHA-256 (RFC 2104) and HKDF-SHA-256 (RFC 5869), from and into raw memory.
package enum KeyDerivation {
  package static let hashSize = 32

  /// Writes the HMAC-SHA-256 of `message` to the first 32 bytes of `output`, which may not be shorter.
  package static func hmacSHA256(
    key: UnsafeRawBufferPointer, message: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) {
    withHMAC(key: key, into: output) { update in update(message) }
  }

  /// Fills `output`, at most 255 × 32 bytes, with keying material (RFC 5869, sections 2.2 and 2.3). An empty `salt`
  /// stands for 32 zero bytes, as in the RFC. `output` must not overlap an input.
  package static func hkdfSHA256(
    inputKey: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer, info: UnsafeRawBufferPointer,
    into output: UnsafeMutableRawBufferPointer
  ) {
    precondition(output.count <= 255 * hashSize, "HKDF-SHA-256 yields at most 8160 bytes")
    withSecretScratch(2 * hashSize) { scratch in
      let pseudorandomKey = scratch.part(0, hashSize)
      let block = scratch.part(hashSize, hashSize)
      hmacSHA256(key: salt, message: inputKey, into: pseudorandomKey)
      var counter: UInt8 = 0
      for offset in stride(from: 0, to: output.count, by: hashSize) {
        withHMAC(key: UnsafeRawBufferPointer(pseudorandomKey), into: block) { update in
          if counter > 0 { update(UnsafeRawBufferPointer(block)) }
          update(info)
          counter += 1
          withUnsafeBytes(of: counter) { update($0) }
        }
        let count = min(hashSize, output.count - offset)
        output.part(offset, count).copyMemory(from: UnsafeRawBufferPointer(block.part(0, count)))
      }
    }
  }

  /// The same with a constant info.
  package static func hkdfSHA256(
    inputKey: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer, info: StaticString,
    into output: UnsafeMutableRawBufferPointer
  ) {
    hkdfSHA256(inputKey: inputKey, salt: salt, info: info.bytes, into: output)
  }

  private static func withHMAC(
    key: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
    _ body: ((UnsafeRawBufferPointer) -> Void) -> Void
  ) {
    precondition(output.count >= hashSize, "an HMAC-SHA-256 needs 32 bytes")
    Sodium.start()
    withUnsafeTemporaryAllocation(of: crypto_auth_hmacsha256_state.self, capacity: 1) { memory in
      // The state holds hashes of the key, enough to compute MACs.
      defer { UnsafeMutableRawBufferPointer(memory).wipe() }
      guard let state = memory.baseAddress else { return }
      // None of the three reports a failure.
      _ = crypto_auth_hmacsha256_init(state, key.start, key.count)
      body { _ = crypto_auth_hmacsha256_update(state, $0.start, UInt64($0.count)) }
      _ = crypto_auth_hmacsha256_final(state, output.start)
    }
  }
}
