import Bytes
import Glibc
package import Keychain
import PrivateFiles

/// Whether this machine's identity still opens a shared vault: not with the empty file `excluded` in the state folder.
extension VaultLocation {
  private var exclusionPath: String { stateFolder + "/excluded" }

  /// Whether nothing on this machine opens the shared vault.
  package var isExcluded: Bool { FileStatus.isThere(exclusionPath) }

  /// Whether an identity on this machine has opened the vault.
  package var hasBeenMember: Bool { FileStatus.isThere(localSlotsFolder) }

  /// Notes that nothing on this machine opens the shared vault. Ignores a failure: the next exchange notes it.
  package func noteExclusion() {
    guard let folder = try? Folder(creating: stateFolder) else { return }
    _ = try? [UInt8]().lendingBytes { (bytes) throws(KeychainError) in
      try folder.replace("excluded", with: bytes)
    }
  }

  package func noteInclusion() { unlink(exclusionPath) }
}

/// This person's membership in a shared vault.
struct Membership {
  let keychain: String
  /// The absolute path of the identity's file.
  let identity: String
  /// The person's name for the members.
  let label: String?
}

extension EncryptedFileKeychain {
  /// Checks that this machine's identity opens the shared vault, and notes which slot it opens. From then on, each use
  /// of the vault fails while it doesn't.
  ///
  /// - Parameters:
  ///   - name: the keychain's name, for errors.
  ///   - identity: the absolute path of the identity's file.
  ///   - label: the person's name for the members, for errors.
  /// - Throws: `KeychainError.notMember` if it opens nothing; what reading throws.
  package func checkMembership(of name: String, identity: String, label: String?) throws(KeychainError) {
    let membership = Membership(keychain: name, identity: identity, label: label)
    self.membership = membership
    try refuseExcluded()
    // Opening the keychain with the identity notes it.
    if location.hasBeenMember { return }
    if try !isThere() { return }
    if try noteIdentity(identity) != nil { return }
    throw try notMember(membership)
  }

  /// - Throws: `KeychainError.notMember` if nothing on this machine opens the shared vault. A program that stays
  ///   open learns it from the note.
  func refuseExcluded() throws(KeychainError) {
    if let membership, location.isExcluded { throw try notMember(membership) }
  }

  private func notMember(_ membership: Membership) throws(KeychainError) -> KeychainError {
    .notMember(
      keychain: membership.keychain, recipient: try SlotIdentity.recipient(at: membership.identity),
      label: membership.label, wasBefore: location.hasBeenMember)
  }
}
