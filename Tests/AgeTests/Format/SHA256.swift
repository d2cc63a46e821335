import CSodium

/// Hashes the output of a decryption.
struct SHA256 {
  private var state = crypto_hash_sha256_state()

  init() { crypto_hash_sha256_init(&state) }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    crypto_hash_sha256_update(&state, base, UInt64(bytes.count))
  }

  mutating func finish() -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    crypto_hash_sha256_final(&state, &digest)
    return hex(digest)
  }
}
