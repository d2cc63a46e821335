package import Bytes
import CSodium

/// A proof key for the exchange of a code (PKCE, RFC 7636): whoever intercepts the code can't use it.
struct ProofKey: ~Copyable {
  /// 43 unreserved characters (section 4.1).
  let verifier: Secret
  /// The base64url of its SHA-256 (section 4.2, `S256`).
  let challenge: String

  init() {
    self.init(verifier: RandomText.unreserved(byteCount: 32))
  }

  /// A key with a given verifier, for tests.
  init(verifier: consuming Secret) {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    verifier.withUnsafeBytes { text in
      _ = crypto_hash_sha256(
        &digest, text.start.assumingMemoryBound(to: UInt8.self), UInt64(text.count))
    }
    challenge = digest.withUnsafeBytes { Base64URL.text($0) }
    self.verifier = verifier
  }
}

package enum RandomText {
  /// The base64url of random bytes: only unreserved characters of RFC 3986.
  package static func unreserved(byteCount: Int) -> Secret {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    randombytes_buf(&bytes, bytes.count)
    return Secret(bytes.withUnsafeBytes { Base64URL.text($0) })
  }
}
