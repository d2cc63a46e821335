package import Age
package import Keychain

/// A vault's key while it is kept unlocked: it opens, authenticates and writes the vault.
package struct KeptKey: ~Copyable {
  /// Unwraps the vault's file keys: an agent holds the identity itself.
  package let identity: any Identity
  package let recipient: X25519Recipient
  /// The key that proves who wrote the vault, 32 bytes.
  package let authenticationKey: Secret

  /// The file key of the header in the request, if it opens that.
  package var fileKey: FileKey?

  /// The size of each of the three keys in bytes.
  static let keySize = 32
}
