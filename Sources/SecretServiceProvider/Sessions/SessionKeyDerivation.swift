import Bytes
import CGcrypt

/// Derives a key for AES-128 with HKDF-SHA256, 32 zero bytes as salt and no info (RFC 5869, section 2; Secret Service
/// draft 0.2, section 7.3).
///
/// - Parameter material: the shared secret, of any length. The caller wipes it.
/// - Returns: 16 bytes. Traps if libgcrypt has no HMAC-SHA256.
func aes128Key(from material: UnsafeRawBufferPointer) -> Secret {
  Gcrypt.start()
  let salt = [UInt8](repeating: 0, count: 32)
  return Secret(count: 16) { key in
    withSecretScratch(64) { scratch in
      // The extracted key, and the first block expanded from it.
      let (extracted, block) = (scratch.part(0, 32), scratch.part(32, 32))
      salt.withUnsafeBytes { authenticate(key: $0, material, into: extracted) }
      [UInt8(1)].withUnsafeBytes { authenticate(key: UnsafeRawBufferPointer(extracted), $0, into: block) }
      key.copyMemory(from: UnsafeRawBufferPointer(block.part(0, 16)))
    }
  }
}

private func authenticate(
  key: UnsafeRawBufferPointer, _ message: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
) {
  let isPossible = cgcrypt_hmac_sha256(key.lent, message.lent, output.baseAddress)
  precondition(isPossible, "libgcrypt can't calculate HMAC-SHA256")
}
