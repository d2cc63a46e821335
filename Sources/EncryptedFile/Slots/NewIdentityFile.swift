import Age
import Bytes
import Glibc
import Keychain
import PrivateFiles

/// This machine's plain identity file for a vault that is being written. A class, because it is passed around while
/// the secret has one owner.
final class NewIdentityFile {
  private let text: Secret
  /// Why the installed file still has its provisional name; `nil` if it doesn't.
  private(set) var failure: KeychainError?

  init(_ text: consuming Secret) { self.text = text }

  /// Runs `writeVault` so that the vault can always be opened, wherever this process may be killed: the identity is
  /// written under a provisional name before, and gets its final name afterwards, replacing a former file. So an
  /// `identity.txt` without a vault means that a vault is missing. The former file stays while the vault may not
  /// survive a loss of power: it would open the vault then.
  ///
  /// - Parameter hasFailed: called after an error; whether the vault was certainly not put in place.
  /// - Throws: what writing throws; then the identity file is unchanged.
  func install(
    at location: VaultLocation, _ writeVault: () throws(KeychainError) -> Durability, hasFailed: () -> Bool
  ) throws(KeychainError) {
    let state = try Folder(creating: location.stateFolder)
    state.removeStaleTemporaries()
    let isThere: Durability = try text.withUnsafeBytes { (text) throws(KeychainError) in
      try state.replace(VaultLocation.newIdentityName, with: text)
    }
    let durability: Durability
    do throws(KeychainError) {
      try isThere.required()
      // This file may be the only key to what is written next.
      guard let file = try state.file(VaultLocation.newIdentityName),
        try file.contents(limit: VaultBounds.identityFile).isEqual(to: text)
      else {
        let path = state.path(of: VaultLocation.newIdentityName)
        throw .damaged(path: path, detail: "the file just written can't be read back")
      }
      durability = try writeVault()
    } catch {
      if hasFailed() { unlinkat(state.descriptor, VaultLocation.newIdentityName, 0) }
      throw error
    }
    // The vault is in place by now, and the identity opens it under either name.
    do throws(KeychainError) {
      if try state.contains(VaultLocation.identityName) { try durability.required() }
      try Self.putInPlace(in: state)
    } catch {
      failure = error
    }
  }

  /// Renames the identity if the process that wrote its vault couldn't, or was killed before. Needs the vault's lock,
  /// and the key that opened the vault.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if it still has its provisional name.
  static func complete(_ key: VaultKey, in state: borrowing Folder) throws(KeychainError) {
    guard let file = try state.file(VaultLocation.newIdentityName) else { return }
    let text = try file.contents(limit: VaultBounds.identityFile)
    let identities = try? text.withUnsafeBytes { (bytes) throws(AgeError) in try IdentityFile.parse(bytes) }
    // The identity of a vault that was never put in place opens nothing, and the next one replaces it.
    guard let identities, identities.contains(where: { $0.recipient == key.recipient }) else { return }
    try putInPlace(in: state)
  }

  private static func putInPlace(in state: borrowing Folder) throws(KeychainError) {
    let (old, new) = (VaultLocation.newIdentityName, VaultLocation.identityName)
    if renameat(state.descriptor, old, state.descriptor, new) != 0 {
      throw .system(operation: "replace", path: state.path(of: new), errno: errno)
    }
    // After a power failure it may have either name, and the next write renames it again.
    _ = state.synchronize()
  }
}
