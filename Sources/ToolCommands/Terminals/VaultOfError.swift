import CredentialProtocols
import EncryptedFile
package import Keychain
import KeychainChoice
import PrivateFiles

/// The vault that an error is about, with its entry in the search list.
struct VaultOfError {
  let location: VaultLocation
  /// `nil` for the user's own keychain.
  let listed: ListedKeychain?

  init?(_ isMeant: (VaultLocation) -> Bool) {
    guard let own = try? VaultLocation() else { return nil }
    if isMeant(own) {
      (location, listed) = (own, nil)
      return
    }
    for keychain in (try? KeychainList.read(in: own.stateFolder))?.keychains ?? [] where keychain.kind.isFile
    {
      if let other = try? own.of(keychain), isMeant(other) {
        (location, listed) = (other, keychain)
        return
      }
    }
    return nil
  }

  /// The name of the listed keychain that an identity's file opens.
  static func identified(by path: String) -> String? {
    guard let own = try? VaultLocation() else { return nil }
    return (try? KeychainList.read(in: own.stateFolder))?.keychains.first {
      $0.kind.hasRepository && $0.value(of: ListedKeychain.identityOption) == path
    }?.name
  }

  private var keychain: EncryptedFileKeychain { EncryptedFileKeychain(at: location) }

  /// The vault if any earlier state of it is kept, even if nobody can tell yet whether that is good.
  var kept: Self? { keychain.hasEarlierStates ? self : nil }

  var newestGoodState: Generation? { keychain.newestGoodGeneration() }

  /// A copy that a sync program has put beside the vault.
  var conflictCopy: String? { keychain.conflictCopyPaths.first }

  /// The recorded path of a slot's identity file that is missing.
  var missingIdentity: String? { keychain.missingIdentities.first }

  /// Whether a recovery code opens it.
  var hasRecoveryCode: Bool { keychain.slotKinds.contains(.recovery) }

  /// Whether nobody can type anything but a recovery code for it, and no slot opens it unasked.
  var takesOnlyRecoveryCode: Bool { keychain.slotKinds == [.recovery] }

  /// Whether this machine's key file, without which somebody has to type a recovery code, isn't there.
  var lacksKeyFile: Bool { !FileStatus.isThere(location.identityFile) && takesOnlyRecoveryCode }

  /// What is wrong with the key file that would open it without a recovery code.
  var problemOfKeyFile: String {
    let path = withTilde(location.identityFile)
    return FileStatus.isThere(location.identityFile)
      ? "the key file \(path) does not open the keychain"
      : "the key file \(path) isn't on this machine, so a recovery code is needed"
  }

  /// A removed slot whose copy is still here; `nil` if there is none, or another key is in the place where the copy's
  /// would go.
  var removedSlot: (id: String, path: String)? {
    FileStatus.isThere(location.identityFile) ? nil : keychain.copyOfRemovedSlot
  }

  /// How to fetch a git-shared keychain anew from its repository; `nil` for other kinds.
  var takingAnew: Hint? {
    guard let listed, listed.kind.hasRepository else { return nil }
    return "\(command: "llavero", "sync", listed.name, "--anew") takes it from its repository"
  }

  /// How to go on without a vault: start your own anew, or take another one from the list.
  static func goingOn(without listed: ListedKeychain?) -> Hint {
    guard let listed else { return "to begin without it, type 'llavero init --start-over'" }
    return "to go on without it, type \(command: "llavero", "keychain", "remove", listed.name)"
  }

  /// A command for this vault, naming it if it isn't the user's own.
  func command(_ words: String...) -> Hint { Self.command(words, listed) }

  static func command(_ words: String..., at path: String) -> Hint {
    command(words, VaultOfError { $0.vaultFile == path }?.listed)
  }

  fileprivate static func command(_ words: [String], _ listed: ListedKeychain?) -> Hint {
    "\(commandOf: ["llavero"] + words + (listed.map { ["--keychain", $0.name] } ?? []))"
  }
}

extension Hint {
  /// The command that merges a file into the vault beside it.
  package static func merging(_ path: String) -> Hint {
    VaultOfError.command(["vault", "merge", path], VaultOfError { $0.holds(path) }?.listed)
  }

  package static func restoring(write: Int64, of path: String) -> Hint {
    VaultOfError.command("vault", "restore", "\(write)", at: path)
  }

  /// How to begin anew where the user's own vault is there, and nothing opens it.
  package static func beginningWithout(_ vaultFolder: String) -> Hint {
    "move \(words: vaultFolder) away, and 'llavero init --start-over' begins anew"
  }

  package static func unlocking(_ path: String) -> Hint { VaultOfError.command("unlock", at: path) }

  package static func listingSlots(of path: String) -> Hint { VaultOfError.command("slot", "list", at: path) }
}
