package import Age
package import Keychain

/// The key that opens, authenticates and writes a vault, while it is kept unlocked.
package struct KeptKey: ~Copyable {
  /// Unwraps the vault's file keys: an agent holds the identity itself.
  package let identity: any Identity
  /// The vault's recipient.
  package let recipient: X25519Recipient
  /// The key that proves who wrote the vault, 32 bytes.
  package let authenticationKey: Secret

  /// The file key of the header that it was asked for with, if it opens that.
  package var fileKey: FileKey?

  /// The size of each of the three keys in bytes.
  static let keySize = 32
}
