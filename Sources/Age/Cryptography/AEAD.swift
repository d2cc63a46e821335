import Bytes
import CSodium

/// ChaCha20-Poly1305 with a 96-bit nonce and no associated data (RFC 8439, section 2.8).
enum AEAD {
  static let keySize = 32
  /// The number of bytes added by encryption.
  static let tagSize = 16

  /// A nonce: 12 bytes, most significant first.
  typealias Nonce = (UInt32, UInt32, UInt32)

  /// The nonce of keys that encrypt a single message.
  static let zeroNonce: Nonce = (0, 0, 0)

  /// Encrypts `plaintext` into the first `plaintext.count + 16` bytes of `output`.
  static func seal(
    _ plaintext: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, nonce: Nonce,
    into output: UnsafeMutableRawBufferPointer
  ) {
    precondition(key.count == keySize && output.count >= plaintext.count + tagSize)
    Sodium.start()
    withUnsafeBytes(of: nonce) { nonce in
      // Fails only for a message beyond what ChaCha20 can encrypt under one nonce, 256 GiB.
      let result = crypto_aead_chacha20poly1305_ietf_encrypt(
        output.start, nil, plaintext.start, UInt64(plaintext.count), nil, 0, nil, nonce.start, key.start)
      precondition(result == 0)
    }
  }

  /// Decrypts into the first `ciphertext.count - 16` bytes of `output`, if the tag is right. libsodium verifies the
  /// tag first, and zeroes the output if it is wrong.
  static func open(
    _ ciphertext: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, nonce: Nonce,
    into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard ciphertext.count >= tagSize else { return false }
    precondition(key.count == keySize && output.count >= ciphertext.count - tagSize)
    Sodium.start()
    return withUnsafeBytes(of: nonce) { nonce in
      crypto_aead_chacha20poly1305_ietf_decrypt(
        output.start, nil, nil, ciphertext.start, UInt64(ciphertext.count), nil, 0, nonce.start, key.start)
        == 0
    }
  }
}
