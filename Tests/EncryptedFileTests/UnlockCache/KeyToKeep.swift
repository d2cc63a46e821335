import Age
import Keychain
import TestSupport

@testable import EncryptedFile

/// A key to keep in a cache.
struct Sample {
  let identity = X25519Identity()
  let uuid = randomUUID()
  let authenticationKey = [UInt8]((0..<32).map { _ in UInt8.random(in: .min ... .max) })

  var authentication: Secret { Secret(copying: ByteString(authenticationKey)) }

  /// Whether a key that was found is this one: it decrypts what is encrypted to the identity.
  func isOpened(by key: borrowing KeptKey) throws -> Bool {
    let text: [UInt8] = [1, 2, 3]
    let file = try AgeFile.encrypt(text, to: [identity.recipient])
    let opened = try AgeFile.decrypt(file, with: [key.identity])
    return opened == text && key.recipient == identity.recipient
      && key.authenticationKey.isEqual(to: authentication)
  }
}

/// Whether a key unwraps one of the stanzas.
func unwraps(_ key: borrowing KeptKey, _ stanzas: [Stanza]) throws -> Bool {
  try key.identity.unwrap(stanzas) != nil
}

extension UnlockCache {
  /// The key of a vault, which must be in the cache.
  func found(_ uuid: String) throws -> KeptKey {
    guard let key = key(of: uuid) else { throw KeychainError.itemNotFound }
    return key
  }

  /// Whether the cache has a vault's key.
  func has(_ uuid: String) -> Bool { key(of: uuid) != nil }
}
