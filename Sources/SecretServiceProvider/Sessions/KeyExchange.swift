import Bytes
import CGcrypt

/// One side of the key exchange of `dh-ietf1024-sha256-aes128-cbc-pkcs7` (Secret Service draft 0.2, section 7.3): a key
/// pair for Diffie-Hellman in the second Oakley group, made for a single session.
final class KeyPair: Sendable {
  /// The size of the private exponent, in bytes.
  ///
  /// The group itself resists attacks of about 2^80 steps. Because its prime is safe, an exponent needs twice as many
  /// bits to resist as long (RFC 3526, section 8; RFC 7919, section 5.2). 256 bits are more than enough, and take a
  /// quarter of the time of 1024.
  private static let exponentSize = 32

  /// The number for the other side: always 128 bytes, most significant first. KWallet accepts no fewer.
  let publicKey: [UInt8]

  private let exponent: Secret

  /// A new pair from libgcrypt's random numbers.
  static func generate() -> KeyPair {
    Gcrypt.start()
    return KeyPair(
      exponent: Secret(count: exponentSize) { bytes in
        cgcrypt_random(bytes.baseAddress, bytes.count)
        // The highest bit is set, for the exact length and a value other than 0.
        bytes[0] |= 0x80
      })
  }

  /// The pair for a private exponent, most significant byte first. Traps if it is 0.
  init(exponent: consuming Secret) {
    var publicKey = [UInt8](repeating: 0, count: SecondOakleyGroup.size)
    let isPossible = publicKey.withUnsafeMutableBytes { output in
      [UInt8(2)].withUnsafeBytes { SecondOakleyGroup.power(of: $0, exponent, into: output) }
    }
    precondition(isPossible, "the exponent is 0")
    self.publicKey = publicKey
    self.exponent = exponent
  }

  /// The key that both sides of the session derive.
  ///
  /// - Parameter peer: the other side's public key, most significant byte first, of any length: some clients omit zeros
  ///   on the left, and some add them.
  /// - Returns: 16 bytes for AES-128. `nil` if `peer` is not a number from 2 to the prime minus 2: any other makes the
  ///   shared secret guessable.
  func sessionKey(with peer: [UInt8]) -> Secret? {
    let number = peer.drop { $0 == 0 }
    guard number.count <= SecondOakleyGroup.size else { return nil }
    return withSecretScratch(SecondOakleyGroup.size) { shared in
      // All 128 bytes are hashed: without zeros on the left, one key in 256 would differ.
      let isValid = number.withUnsafeBytes { SecondOakleyGroup.power(of: $0, exponent, into: shared) }
      return isValid ? aes128Key(from: UnsafeRawBufferPointer(shared)) : nil
    }
  }
}
