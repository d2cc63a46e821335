package import Bytes
import CGcrypt

/// The encryption of secrets in a session: AES-128 in CBC mode, with PKCS #7's padding (Secret Service draft 0.2,
/// section 7.3; RFC 5652, section 6.3).
///
/// It keeps nobody on the bus from changing what is sent: there is no authentication in this protocol.
package struct SessionCipher: ~Copyable, Sendable {
  /// The size of a block and of an IV, in bytes.
  private static let blockSize = 16

  private let key: Secret

  /// Encrypts with this key. Traps if it does not have 16 bytes.
  package init(key: consuming Secret) {
    precondition(key.count == 16, "AES-128 takes 16 bytes")
    Gcrypt.start()
    self.key = key
  }

  /// Encrypts a secret of any size, with an IV of its own.
  ///
  /// - Returns: the IV, which is 16 bytes; and the ciphertext, a multiple of 16 bytes that is 1 to 16 bytes longer than
  ///   the secret.
  package func seal(_ secret: borrowing Secret) -> (iv: [UInt8], ciphertext: [UInt8]) {
    var iv = [UInt8](repeating: 0, count: Self.blockSize)
    iv.withUnsafeMutableBytes { cgcrypt_nonce($0.baseAddress, $0.count) }
    let padding = Self.blockSize - secret.count % Self.blockSize
    // Everything is padding until the secret is put before it, and the ciphertext takes the place of both.
    var ciphertext = [UInt8](repeating: UInt8(padding), count: secret.count + padding)
    ciphertext.withUnsafeMutableBytes { bytes in
      secret.withUnsafeBytes { bytes.copyMemory(from: $0) }
      iv.withUnsafeBytes { apply(cgcrypt_encrypt_aes128_cbc, $0, bytes) }
    }
    return (iv, ciphertext)
  }

  /// Decrypts what the other side encrypted.
  ///
  /// - Returns: the secret. `nil` if the IV does not have 16 bytes, if the ciphertext is empty or no multiple of 16
  ///   bytes, or if its last bytes are no padding.
  package func open(iv: UnsafeRawBufferPointer, ciphertext: UnsafeRawBufferPointer) -> Secret? {
    guard iv.count == Self.blockSize, ciphertext.count > 0, ciphertext.count % Self.blockSize == 0 else {
      return nil
    }
    var secret = Secret(copying: ciphertext)
    secret.withUnsafeMutableBytes { bytes in apply(cgcrypt_decrypt_aes128_cbc, iv, bytes) }
    guard let padding = secret.withUnsafeBytes({ Self.padding(of: $0) }) else { return nil }
    secret.truncate(to: secret.count - padding)
    return secret
  }

  /// How many of the bytes are padding: as many as the last one says, if all of them say so.
  private static func padding(of bytes: UnsafeRawBufferPointer) -> Int? {
    guard let last = bytes.last, 1...blockSize ~= Int(last) else { return nil }
    return bytes.suffix(Int(last)).allSatisfy { $0 == last } ? Int(last) : nil
  }

  private typealias Function = (
    cgcrypt_bytes, cgcrypt_bytes, UnsafeMutableRawPointer?, Int
  ) -> Bool

  /// Changes whole blocks in place.
  private func apply(
    _ function: Function, _ iv: UnsafeRawBufferPointer, _ blocks: UnsafeMutableRawBufferPointer
  ) {
    let isPossible = key.withUnsafeBytes { function($0.lent, iv.lent, blocks.baseAddress, blocks.count) }
    precondition(isPossible, "libgcrypt can't calculate AES-128")
  }
}
