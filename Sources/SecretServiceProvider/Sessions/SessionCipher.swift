import Bytes
import CGcrypt

/// The encryption of secrets in a session: AES-128 in CBC mode, with PKCS #7's padding (Secret Service draft 0.2,
/// section 7.3; RFC 5652, section 6.3).
///
/// The protocol has no authentication, so the bus and others on it can change what is sent.
final class SessionCipher: Sendable {
  /// The size of a block and of an IV, in bytes.
  private static let blockSize = 16

  private let key: Secret

  /// Traps if the key isn't 16 bytes long.
  init(key: consuming Secret) {
    precondition(key.count == 16, "AES-128 takes 16 bytes")
    Gcrypt.start()
    self.key = key
  }

  /// Encrypts a secret of any size with a new IV. Returns the IV of 16 bytes, and the ciphertext: a multiple of 16
  /// bytes, 1 to 16 bytes longer than the secret.
  func seal(_ secret: borrowing Secret) -> (iv: [UInt8], ciphertext: [UInt8]) {
    var iv = [UInt8](repeating: 0, count: Self.blockSize)
    iv.withUnsafeMutableBytes { cgcrypt_nonce($0.baseAddress, $0.count) }
    let padding = Self.blockSize - secret.count % Self.blockSize
    // Filled with padding; the secret is put before it, and the ciphertext replaces both.
    var ciphertext = [UInt8](repeating: UInt8(padding), count: secret.count + padding)
    ciphertext.withUnsafeMutableBytes { bytes in
      secret.withUnsafeBytes { bytes.copyMemory(from: $0) }
      iv.withUnsafeBytes { apply(cgcrypt_encrypt_aes128_cbc, $0, bytes) }
    }
    return (iv, ciphertext)
  }

  /// Decrypts a secret from the other side. `nil` if the IV isn't 16 bytes long, the ciphertext is empty or no multiple
  /// of 16 bytes, or the padding is invalid.
  func open(iv: UnsafeRawBufferPointer, ciphertext: UnsafeRawBufferPointer) -> Secret? {
    guard iv.count == Self.blockSize, ciphertext.count > 0, ciphertext.count % Self.blockSize == 0 else {
      return nil
    }
    var secret = Secret(copying: ciphertext)
    secret.withUnsafeMutableBytes { bytes in apply(cgcrypt_decrypt_aes128_cbc, iv, bytes) }
    guard let padding = secret.withUnsafeBytes({ Self.padding(of: $0) }) else { return nil }
    secret.truncate(to: secret.count - padding)
    return secret
  }

  /// The length of the padding: its last byte, if all bytes of the padding equal it.
  private static func padding(of bytes: UnsafeRawBufferPointer) -> Int? {
    guard let last = bytes.last, 1...blockSize ~= Int(last) else { return nil }
    return bytes.suffix(Int(last)).allSatisfy { $0 == last } ? Int(last) : nil
  }

  private typealias Function = (
    cgcrypt_bytes, cgcrypt_bytes, UnsafeMutableRawPointer?, Int
  ) -> Bool

  /// Processes whole blocks in place.
  private func apply(
    _ function: Function, _ iv: UnsafeRawBufferPointer, _ blocks: UnsafeMutableRawBufferPointer
  ) {
    let isPossible = key.withUnsafeBytes { function($0.lent, iv.lent, blocks.baseAddress, blocks.count) }
    precondition(isPossible, "libgcrypt can't calculate AES-128")
  }
}
