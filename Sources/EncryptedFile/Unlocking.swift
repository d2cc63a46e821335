import Age
public import Keychain

/// Asks somebody for a passphrase: `attempt` counts from 1. `nil` if nobody can be asked, or no more.
public typealias PassphraseSource = (_ attempt: Int) throws(KeychainError) -> Secret?

/// A vault's identity, and the file key that it has opened one header with.
struct UnlockedHeader: ~Copyable {
  let identity: X25519Identity
  let fileKey: FileKey
}

/// How a vault's identity is had.
struct Unlocking {
  let location: VaultLocation
  let passphrase: PassphraseSource
  /// The most work that a passphrase slot may ask for, as scrypt's log2 N.
  let maximumWorkFactor: Int

  /// The identity that opens the vault with this header.
  ///
  /// The plain identity file, if there is one, decides alone. Else a passphrase slot of the header is opened.
  ///
  /// - Throws: ``KeychainError/wrongIdentity(path:)``, ``KeychainError/missing(path:)``,
  ///   ``KeychainError/locked(path:)``, ``KeychainError/wrongPassphrase(path:)`` and what is wrong with a file.
  func unlock(_ header: Header, _ stanzas: VaultStanzas) throws(KeychainError) -> UnlockedHeader {
    if let identities = try identityFile() {
      for identity in identities {
        if let unlocked = try open(header, with: identity) { return unlocked }
      }
      throw .wrongIdentity(path: location.identityFile)
    }
    let slots = stanzas.slots.filter { $0.kind == VaultStanzas.Slot.passphrase }
    if slots.isEmpty { throw .missing(path: location.identityFile) }
    var attempt = 1
    while let passphrase = try passphrase(attempt) {
      for slot in slots {
        if let identity = try open(slot, with: passphrase),
          let unlocked = try open(header, with: identity)
        {
          return unlocked
        }
      }
      attempt += 1
    }
    if attempt > 1 { throw .wrongPassphrase(path: location.vaultFile) }
    throw .locked(path: location.vaultFile)
  }

  /// The identities of the plain identity file; `nil` if there is none.
  private func identityFile() throws(KeychainError) -> [X25519Identity]? {
    guard let folder = try Folder(opening: location.stateFolder) else { return nil }
    let names = [VaultLocation.identityName, VaultLocation.newIdentityName]
    for name in names {
      guard let file = try folder.file(name) else { continue }
      let text = try file.contents(limit: VaultBounds.identityFile)
      do throws(AgeError) {
        return try text.withUnsafeBytes { (bytes) throws(AgeError) in try IdentityFile.parse(bytes) }
      } catch {
        throw KeychainError(error, path: file.path)
      }
    }
    return nil
  }

  private func open(
    _ slot: VaultStanzas.Slot, with passphrase: borrowing Secret
  ) throws(KeychainError) -> X25519Identity? {
    if passphrase.isEmpty { return nil }
    let path = location.vaultFile
    var text = Secret()
    do throws(AgeError) {
      let scrypt = try passphrase.withUnsafeBytes { (bytes) throws(AgeError) in
        try ScryptIdentity(passphrase: bytes, maximumLogN: maximumWorkFactor)
      }
      try slot.file.lendingBytes { (file) throws(AgeError) in
        try AgeFile.decrypt(file, with: [scrypt]) { text.append($0) }
      }
      return try text.withUnsafeBytes { (bytes) throws(AgeError) in try IdentityFile.parse(bytes).first }
    } catch .noMatch {
      return nil
    } catch {
      throw KeychainError(error, path: path)
    }
  }

  /// Opens a header with an identity; `nil` if it isn't the one.
  func open(
    _ header: Header, with identity: X25519Identity
  ) throws(KeychainError) -> UnlockedHeader? {
    do throws(AgeError) {
      return UnlockedHeader(identity: identity, fileKey: try header.fileKey(with: [identity]))
    } catch .noMatch {
      return nil
    } catch {
      throw KeychainError(error, path: location.vaultFile)
    }
  }
}
