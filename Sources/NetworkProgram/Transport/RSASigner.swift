package import Bytes
import CCrypto
import SignIn

/// Signs with RSA and SHA-256 (RFC 7518 section 3.3, `RS256`), by OpenSSL's libcrypto, which libcurl loads anyway.
package struct RSASigner: TokenSigner {
  package init() {}

  /// The signature; `nil` if the key is unusable.
  ///
  /// - Parameter key: a private key in PEM, of PKCS #1 or PKCS #8, not encrypted.
  package func signature(of text: borrowing Secret, with key: borrowing Secret) -> [UInt8]? {
    guard let key = Self.key(key) else { return nil }
    defer { EVP_PKEY_free(key) }
    guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA, let context = EVP_MD_CTX_new() else { return nil }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else { return nil }
    var signature = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(key)))
    var count = signature.count
    let isSigned = text.withUnsafeBytes { bytes in
      EVP_DigestSign(
        context, &signature, &count, bytes.start.assumingMemoryBound(to: UInt8.self), bytes.count) == 1
    }
    return isSigned ? Array(signature.prefix(count)) : nil
  }

  private static func key(_ text: borrowing Secret) -> OpaquePointer? {
    text.withUnsafeBytes { bytes -> OpaquePointer? in
      guard let memory = BIO_new_mem_buf(bytes.start, Int32(clamping: bytes.count)) else { return nil }
      defer { BIO_free(memory) }
      // An empty passphrase, so that OpenSSL asks nobody for that of an encrypted key.
      var passphrase: [CChar] = [0]
      return PEM_read_bio_PrivateKey(memory, nil, nil, &passphrase)
    }
  }
}
