import Age
import Bytes
import Keychain

/// The key that opens, authenticates and writes one vault. The identity may be in an agent that unwraps file keys and
/// discloses nothing more; then only its derived keys are here.
final class VaultKey: Sendable {
  let identity: any Identity
  /// Each generation is encrypted for it. It is secret: without it, nobody can make a file that the identity opens.
  let recipient: X25519Recipient
  /// HKDF-SHA256(identity, uuid, "llavero/vault/v1/auth"), 32 bytes.
  let authenticationKey: Secret

  init(
    identity: any Identity, recipient: X25519Recipient, authenticationKey: consuming Secret
  ) {
    self.identity = identity
    self.recipient = recipient
    self.authenticationKey = authenticationKey
  }

  convenience init(_ identity: X25519Identity, uuid: String) {
    var key = Secret(capacity: KeyDerivation.hashSize)
    identity.withSecretKey { secret in
      key.append(count: KeyDerivation.hashSize) { output in
        Array(uuid.utf8).withUnsafeBytes { salt in
          KeyDerivation.hkdfSHA256(
            inputKey: secret, salt: salt, info: "llavero/vault/v1/auth", into: output)
        }
        return output.count
      }
    }
    self.init(identity: identity, recipient: identity.recipient, authenticationKey: key)
  }

  /// The file key of a header; `nil` if the header belongs to another vault's key.
  ///
  /// - Parameter known: the file key that the identity has already unwrapped of this header.
  /// - Throws: ``AgeError`` for a header that is malformed or was altered.
  func fileKey(of header: Header, _ known: consuming FileKey? = nil) throws(AgeError) -> FileKey? {
    try header.fileKey(with: identity, known)
  }

  /// HMAC-SHA256 of the message, 32 bytes.
  func authenticate(_ message: [UInt8]) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: KeyDerivation.hashSize)
    authenticationKey.withUnsafeBytes { key in
      message.withUnsafeBytes { message in
        tag.withUnsafeMutableBytes { KeyDerivation.hmacSHA256(key: key, message: message, into: $0) }
      }
    }
    return tag
  }
}
