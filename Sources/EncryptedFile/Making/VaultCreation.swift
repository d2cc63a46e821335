import Age
public import Keychain
import PrivateFiles

/// What protects a vault from someone who has its file.
public enum Protection: ~Copyable {
  /// The identity is in a file on this machine: no question is ever asked. This protects a vault that was copied or
  /// backed up, but not against someone who can read the home directory.
  case identityFile
  /// A passphrase opens the identity.
  case passphrase(Secret)
}

/// The parts of a vault that is being made.
struct NewVault {
  let identity: X25519Identity
  let stanzas: VaultStanzas
  /// The identity's file, if there is one.
  private let identityFile: NewIdentityFile?

  /// Draws an identity and wraps it.
  ///
  /// - Throws: ``KeychainError/notEnoughMemory(needed:available:)``; as ``SlotWork/refuseUnusable(_:)`` does.
  init(_ protection: borrowing Protection, path: String) throws(KeychainError) {
    switch protection {
    case .passphrase(let passphrase): try SlotWork.refuseUnusable(passphrase)
    case .identityFile: break
    }
    let uuid = randomUUID()
    let identity = X25519Identity()
    self.identity = identity
    switch protection {
    case .identityFile:
      stanzas = VaultStanzas(uuid: uuid, slots: [])
      identityFile = NewIdentityFile(IdentityText.of(identity, uuid: uuid))
    case .passphrase(let passphrase):
      let recipient = try SlotWork.recipient(passphrase)
      do {
        stanzas = VaultStanzas(
          uuid: uuid,
          slots: [
            VaultStanzas.Slot(
              id: randomHexadecimal(bytes: 8), kind: .passphrase,
              file: try identity.wrapped(for: recipient, uuid: uuid))
          ])
      } catch {
        throw KeychainError(error, path: path)
      }
      identityFile = nil
    }
  }

  /// Runs `writeVault`, which writes the vault, and makes sure that a vault can always be opened, wherever this
  /// process may be killed: the identity is written under a provisional name before, and gets its final name
  /// afterwards. An `identity.txt` without a vault thus means that a vault is missing.
  ///
  /// - Throws: what writing throws; then neither file is there.
  func install(
    at location: VaultLocation, in folder: borrowing Folder, _ writeVault: () throws(KeychainError) -> Void
  ) throws(KeychainError) {
    guard let identityFile else { return try writeVault() }
    try identityFile.install(at: location, writeVault) {
      // The vault may have been put in place before the error. If that can't be told, its key stays.
      (try? folder.contains(VaultLocation.vaultName)) == false
    }
  }
}
