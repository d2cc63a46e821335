import Age
public import Keychain
import PrivateFiles

/// Protects a vault from someone who has its file.
public enum Protection: ~Copyable {
  /// The identity is in a file on this machine, and no question is ever asked. This protects a vault that was copied
  /// or backed up, but not against someone who can read the home directory.
  case identityFile
  /// A passphrase opens the identity.
  case passphrase(Secret)
  /// An age or ssh key opens the identity: a recipient in age's notation, and the absolute path of the file with its
  /// identity, which is noted on this machine.
  case recipient(String, identity: String)
}

struct NewVault {
  let identity: X25519Identity
  let stanzas: VaultStanzas
  private let identityFile: NewIdentityFile?
  /// The recipient of a slot for a key.
  private(set) var recipientText: String?
  var label: String?
  /// How to open the slot on this machine, if noted.
  private(set) var localSlot: LocalSlot?

  /// Draws an identity and wraps it.
  ///
  /// - Throws: ``KeychainError/notEnoughMemory(needed:available:)``; as ``SlotWork/refuseUnusable(_:)`` does.
  init(_ protection: borrowing Protection, _ unlocking: Unlocking) throws(KeychainError) {
    let path = unlocking.location.vaultFile
    switch protection {
    case .passphrase(let passphrase): try SlotWork.refuseUnusable(passphrase)
    case .identityFile: break
    case .recipient: break
    }
    let uuid = randomUUID()
    let identity = X25519Identity()
    self.identity = identity
    switch protection {
    case .identityFile:
      stanzas = VaultStanzas(uuid: uuid, slots: [])
      identityFile = NewIdentityFile(IdentityText.of(identity, uuid: uuid))
    case .passphrase(let passphrase):
      stanzas = try Self.stanzas(
        uuid, .passphrase, identity, for: try unlocking.recipient(passphrase), path: path)
      identityFile = nil
    case .recipient(let text, let identityPath):
      let recipient = try EncryptedFileKeychain.recipient(text)
      stanzas = try Self.stanzas(uuid, .recipient, identity, for: recipient, path: path)
      identityFile = nil
      recipientText = text
      localSlot = .identity(path: identityPath)
    }
  }

  private static func stanzas(
    _ uuid: String, _ kind: SlotKind, _ identity: X25519Identity, for recipient: any Recipient, path: String
  ) throws(KeychainError) -> VaultStanzas {
    do throws(AgeError) {
      let slot = VaultStanzas.Slot(
        id: newDigits(), kind: kind, file: try identity.wrapped(for: recipient, uuid: uuid))
      return VaultStanzas(uuid: uuid, slots: [slot])
    } catch {
      throw KeychainError(error, path: path)
    }
  }

  /// Runs `writeVault` so that the vault can always be opened, wherever this process may be killed: the identity is
  /// written under a provisional name before, and gets its final name afterwards. So an `identity.txt` without a vault
  /// means that a vault is missing.
  ///
  /// - Throws: what writing throws; then neither file is there.
  func install(
    at location: VaultLocation, in folder: borrowing Folder,
    _ writeVault: () throws(KeychainError) -> Durability
  ) throws(KeychainError) {
    guard let identityFile else {
      _ = try writeVault()
      return
    }
    try identityFile.install(at: location, writeVault) {
      // The vault may have been in place before the error. If that is unknown, its key stays.
      (try? folder.contains(VaultLocation.vaultName)) == false
    }
  }
}
