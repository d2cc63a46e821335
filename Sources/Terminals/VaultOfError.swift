package import CredentialProtocols
import EncryptedFile
import KeychainChoice
import PrivateFiles

/// The vault that an error is about, and what is known of it on this machine: the user's own, or that of a listed
/// keychain.
struct VaultOfError {
  let location: VaultLocation
  /// The keychain in the search list; `nil` for the user's own.
  let listed: ListedKeychain?

  /// Finds the vault.
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

  /// The name of the listed keychain that an identity's file opens; `nil` if there is none.
  static func identified(by path: String) -> String? {
    guard let own = try? VaultLocation() else { return nil }
    return (try? KeychainList.read(in: own.stateFolder))?.keychains.first {
      $0.kind == .git && $0.value(of: ListedKeychain.identityOption) == path
    }?.name
  }

  private var keychain: EncryptedFileKeychain { EncryptedFileKeychain(at: location) }

  /// The vault itself, if any earlier state of it is kept, even if nobody can tell yet whether it is good.
  var kept: Self? { keychain.hasEarlierStates ? self : nil }

  var newestGoodState: Generation? { keychain.newestGoodGeneration() }

  /// The path of a copy that a sync program has put beside it; `nil` if there is none.
  var conflictCopy: String? { keychain.conflictCopyPaths.first }

  /// The file with the identity of a slot, as it is noted here, that isn't there; `nil` if there is none.
  var missingIdentity: String? { keychain.missingIdentities.first }

  /// What opened it and was removed from it, as a copy that is still here shows; `nil` if there is nothing of that kind,
  /// or another key is in the place where the copy's key would go.
  var removedSlot: (id: String, path: String)? {
    FileStatus.isThere(location.identityFile) ? nil : keychain.copyOfRemovedSlot
  }

  /// How to take a keychain that is shared through git from its repository; `nil` for another one.
  var takingAnew: Hint? {
    guard let listed, listed.kind == .git else { return nil }
    return "\(command: "llavero", "sync", listed.name, "--anew") takes it from its repository"
  }

  /// How to go on without a vault: one's own is begun anew, another one is taken from the list.
  static func goingOn(without listed: ListedKeychain?) -> Hint {
    guard let listed else { return "to begin without it, type 'llavero init --start-over'" }
    return "to go on without it, type \(command: "llavero", "keychain", "remove", listed.name)"
  }

  /// A command for this vault, which names it if it isn't the user's own.
  func command(_ words: String...) -> Hint { Self.command(words, listed) }

  /// A command for the vault at a path.
  static func command(_ words: String..., at path: String) -> Hint {
    command(words, VaultOfError { $0.vaultFile == path }?.listed)
  }

  fileprivate static func command(_ words: [String], _ listed: ListedKeychain?) -> Hint {
    "\(commandOf: ["llavero"] + words + (listed.map { ["--keychain", $0.name] } ?? []))"
  }
}

extension Hint {
  /// The command that merges a file into the vault that it lies beside.
  package static func merging(_ path: String) -> Hint {
    VaultOfError.command(["vault", "merge", path], VaultOfError { $0.holds(path) }?.listed)
  }

  /// The command that goes back to an earlier state of the vault at a path.
  package static func restoring(write: Int64, of path: String) -> Hint {
    VaultOfError.command("vault", "restore", "\(write)", at: path)
  }

  /// The command that lists what opens the vault at a path.
  package static func listingSlots(of path: String) -> Hint { VaultOfError.command("slot", "list", at: path) }
}
