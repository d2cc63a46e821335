import Age
public import Keychain
import PrivateFiles

/// What stands between a vault and whoever has its file.
public enum Protection: ~Copyable {
  /// The identity lies in a file of this machine: no question is ever asked. Protects a vault that was copied or
  /// backed up, not against whoever can read the home directory.
  case identityFile
  /// The identity is had by a passphrase.
  case passphrase(Secret)
}

/// The parts of a vault that is being made.
struct NewVault {
  let identity: X25519Identity
  let stanzas: VaultStanzas
  /// The identity's file, if there is to be one.
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

  /// Runs `writeVault`, which puts the vault in its place, and sees to it that whenever there is a vault there is
  /// a way to open it, wherever this process may be killed: the identity lies there under a provisional name
  /// before, and gets its own afterwards. An `identity.txt` without a vault thus means that a vault is missing.
  ///
  /// - Throws: what writing throws; then neither of both is there.
  func install(
    at location: VaultLocation, in folder: borrowing Folder, _ writeVault: () throws(KeychainError) -> Void
  ) throws(KeychainError) {
    guard let identityFile else { return try writeVault() }
    try identityFile.install(at: location, writeVault) {
      // The vault may have got its place before the error. Where that can't be told, its key stays.
      (try? folder.contains(VaultLocation.vaultName)) == false
    }
  }
}

/// How much work a passphrase is to be.
enum ScryptWork {
  /// scrypt's log2 N for a new slot: what takes about a second here, from 17 to 20; less, down to 15, only where
  /// the memory doesn't suffice (OWASP's least for scrypt is 17).
  ///
  /// - Throws: ``KeychainError/notEnoughMemory(needed:available:)``.
  static func factor() throws(KeychainError) -> Int {
    var factor = 17
    let reference = 14
    let taken = Scrypt.timeTaken(logN: reference)
    while factor < 20, taken << (factor + 1 - reference) <= 1000 { factor += 1 }
    if let available = ScryptMemory.available {
      while factor > 15, ScryptMemory.needed(workFactor: factor) > available { factor -= 1 }
    }
    try ScryptMemory.check(workFactor: factor)
    return factor
  }
}
