package import Bytes
import CGcrypt
import SignIn

/// Signs with RSA and SHA-256 (RFC 7518 section 3.3, `RS256`), by libgcrypt.
package struct RSASigner: TokenSigner {
  package init() {}

  /// In bytes. RFC 7518 demands 2048 bits; a larger modulus than OpenSSL's largest is nobody's key.
  private static let sizes = 256...2048
  /// What stands before the digest (RFC 8017 section 9.2, note 1).
  private static let sha256: [UInt8] = [
    0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00,
    0x04, 0x20,
  ]

  /// The signature; `nil` if the key is unusable.
  ///
  /// - Parameter key: a private key in PEM, of PKCS #1 or PKCS #8, not encrypted.
  package func signature(of text: borrowing Secret, with key: borrowing Secret) -> [UInt8]? {
    guard cgcrypt_start() else { return nil }
    var digest = [UInt8](repeating: 0, count: 32)
    text.withUnsafeBytes { cgcrypt_sha256($0.lent, &digest) }
    return RSAPrivateKey.withNumbers(of: key) { key in
      guard Self.sizes ~= key.modulus.count else { return nil }
      let ending = [0] + Self.sha256 + digest
      let filling = [UInt8](repeating: 0xff, count: key.modulus.count - 2 - ending.count)
      let encoded = [0, 1] + filling + ending
      // Verified as well, because the numbers of a damaged key may not belong together.
      guard let signature = power(encoded, key.privateExponent, key.modulus),
        power(signature, key.publicExponent, key.modulus) == encoded
      else { return nil }
      return signature
    }
  }

  /// Both numbers are of the modulus' size.
  private func power(
    _ base: [UInt8], _ exponent: UnsafeRawBufferPointer, _ modulus: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    guard let last = modulus.last, last & 1 == 1 else { return nil }
    var result = [UInt8](repeating: 0, count: modulus.count)
    let isPossible = base.withUnsafeBytes { cgcrypt_power($0.lent, exponent.lent, modulus.lent, &result) }
    return isPossible ? result : nil
  }
}

extension UnsafeRawBufferPointer {
  fileprivate var lent: cgcrypt_bytes { cgcrypt_bytes(start: start, count: count) }
}
