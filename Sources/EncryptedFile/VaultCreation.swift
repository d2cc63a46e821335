import Age
import CLinux
import CSodium
import Glibc
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
  private let identityFile: IdentityText?

  // A class, for the struct is passed around while the secret has one owner.
  private final class IdentityText {
    let text: Secret
    init(_ text: consuming Secret) { self.text = text }
  }

  /// Draws an identity and wraps it.
  ///
  /// - Throws: ``KeychainError/notEnoughMemory(needed:available:)``.
  init(_ protection: borrowing Protection, path: String) throws(KeychainError) {
    switch protection {
    case .passphrase(let passphrase) where passphrase.isEmpty:
      throw .unusableAttribute(name: "passphrase", .empty)
    default: break
    }
    let uuid = randomUUID()
    let identity = X25519Identity()
    var text = Secret()
    text.append("# llavero vault ")
    text.append(contentsOf: ByteString(uuid))
    text.append("\n")
    identity.withEncodedBytes { text.append($0) }
    text.append("\n")
    self.identity = identity
    switch protection {
    case .identityFile:
      stanzas = VaultStanzas(uuid: uuid, slots: [])
      identityFile = IdentityText(text)
    case .passphrase(let passphrase):
      let workFactor = try ScryptWork.factor()
      do {
        let recipient = try passphrase.withUnsafeBytes { (bytes) throws(AgeError) in
          try ScryptRecipient(passphrase: bytes, logN: workFactor)
        }
        let slot = try text.withUnsafeBytes { (bytes) throws(AgeError) in
          try AgeFile.encrypt(bytes, to: [recipient])
        }
        stanzas = VaultStanzas(
          uuid: uuid,
          slots: [
            VaultStanzas.Slot(
              id: randomHexadecimal(bytes: 8), kind: VaultStanzas.Slot.passphrase, file: slot)
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
    let state = try Folder(creating: location.stateFolder)
    state.removeStaleTemporaries()
    try identityFile.text.withUnsafeBytes { (text) throws(KeychainError) in
      try state.replace(VaultLocation.newIdentityName, with: text)
    }
    do throws(KeychainError) {
      try writeVault()
    } catch {
      // The vault may have got its place before the error. Where that can't be told, its key stays.
      if (try? folder.contains(VaultLocation.vaultName)) == false {
        unlinkat(state.descriptor, VaultLocation.newIdentityName, 0)
      }
      throw error
    }
    // The vault is made by now, and opens with the identity under either name.
    try? Self.completeIdentity(in: state)
  }

  /// Gives the identity its name, also where the one who made the vault was killed before. Needs the vault's lock,
  /// and a vault that was opened with it.
  static func completeIdentity(in state: borrowing Folder) throws(KeychainError) {
    let (old, new) = (VaultLocation.newIdentityName, VaultLocation.identityName)
    if try state.contains(new) { return }
    if try !state.contains(old) { return }
    if renameat(state.descriptor, old, state.descriptor, new) != 0 {
      throw .system(operation: "rename", path: state.path(of: old), errno: errno)
    }
    try state.synchronize()
  }
}

/// How much work a passphrase is to be.
private enum ScryptWork {
  /// scrypt's log2 N for a new slot: what takes about a second here, from 17 to 20; less, down to 15, only where
  /// the memory doesn't suffice (OWASP's least for scrypt is 17).
  ///
  /// - Throws: ``KeychainError/notEnoughMemory(needed:available:)``.
  static func factor() throws(KeychainError) -> Int {
    var factor = 17
    let reference = 14
    let start = milliseconds()
    var key = [UInt8](repeating: 0, count: 32)
    _ = crypto_pwhash_scryptsalsa208sha256_ll(key, 32, key, 32, 1 << UInt64(reference), 8, 1, &key, 32)
    let taken = max(1, milliseconds() - start)
    while factor < 20, taken << (factor + 1 - reference) <= 1000 { factor += 1 }
    if let available = ScryptMemory.available {
      while factor > 15, ScryptMemory.needed(workFactor: factor) > available { factor -= 1 }
    }
    try ScryptMemory.check(workFactor: factor)
    return factor
  }

  private static func milliseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
