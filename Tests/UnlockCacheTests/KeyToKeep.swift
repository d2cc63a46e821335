import Age
import Keychain
import TestSupport

@testable import EncryptedFile

/// A vault's name that no other test, and no vault of this machine, has.
func randomUUID() -> String {
  let digits = (0..<32).map { _ in String(UInt8.random(in: 0...15), radix: 16) }
  return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits[$0].joined() }.joined(separator: "-")
}

/// A key to keep in a cache.
struct Sample {
  let identity = X25519Identity()
  let uuid = randomUUID()
  let authenticationKey = [UInt8]((0..<32).map { _ in UInt8.random(in: .min ... .max) })

  var authentication: Secret {
    var secret = Secret()
    for byte in authenticationKey { secret.append(byte) }
    return secret
  }

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
  let fileKey = try key.identity.unwrap(stanzas)
  switch consume fileKey {
  case .some: return true
  case .none: return false
  }
}

extension UnlockCache {
  /// The key of a vault, which must be in the cache.
  func found(_ uuid: String) throws -> KeptKey {
    guard let key = key(of: uuid) else { throw KeychainError.itemNotFound }
    return key
  }

  /// Whether the cache has a vault's key.
  func has(_ uuid: String) -> Bool {
    let found = key(of: uuid)
    switch consume found {
    case .some: return true
    case .none: return false
    }
  }
}

extension AgeFile {
  static func encrypt(_ bytes: [UInt8], to recipients: [any Recipient]) throws -> [UInt8] {
    try bytes.withUnsafeBytes { try encrypt($0, to: recipients) }
  }

  static func decrypt(_ file: [UInt8], with identities: [any Identity]) throws -> [UInt8] {
    var text: [UInt8] = []
    try file.withUnsafeBytes { try decrypt($0, with: identities) { text += $0 } }
    return text
  }
}
