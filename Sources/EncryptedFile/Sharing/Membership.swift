import Bytes
import Glibc
package import Keychain
import PrivateFiles

/// What this machine knows about whether its identity still opens what others share: the empty file `excluded` in the
/// state folder says that it doesn't.
extension VaultLocation {
  private var exclusionPath: String { stateFolder + "/excluded" }

  /// Whether nothing on this machine opens what others share.
  package var isExcluded: Bool { FileStatus.isThere(exclusionPath) }

  /// Whether an identity on this machine has opened the vault.
  package var hasBeenMember: Bool { FileStatus.isThere(localSlotsFolder) }

  /// Notes that nothing on this machine opens what others share. A failure is ignored: the next exchange notes it.
  package func noteExclusion() {
    guard let folder = try? Folder(creating: stateFolder) else { return }
    try? [UInt8]().lendingBytes { (bytes) throws(KeychainError) in
      try folder.replace("excluded", with: bytes)
    }
  }

  /// Notes the contrary.
  package func noteInclusion() { unlink(exclusionPath) }
}

extension EncryptedFileKeychain {
  /// Checks that this machine's identity opens what others share, and notes which slot it opens.
  ///
  /// - Parameters:
  ///   - name: the keychain's name, for errors.
  ///   - identity: the absolute path of the identity's file.
  ///   - label: what the members are to see the person as, for errors.
  /// - Throws: `KeychainError.notMember` if it opens nothing; what reading throws.
  package func checkMembership(of name: String, identity: String, label: String?) throws(KeychainError) {
    let isExcluded = location.isExcluded
    if !isExcluded {
      // As soon as the identity opens the keychain, that is noted.
      if location.hasBeenMember { return }
      if try !isThere() { return }
      if try noteIdentity(identity) != nil { return }
    }
    throw .notMember(
      keychain: name, recipient: try SlotIdentity.recipient(at: identity), label: label,
      wasBefore: location.hasBeenMember)
  }
}
