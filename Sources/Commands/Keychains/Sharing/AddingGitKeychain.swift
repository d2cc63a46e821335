import Bytes
import EncryptedFile
import GitShared
import Glibc
import Keychain
import KeychainChoice
import PrivateFiles
import Terminals
import ToolCommands

/// What `llavero keychain add NAME git REMOTE` does.
struct AddingGitKeychain {
  let name: String
  let remote: String
  let identity: String?
  let branch: String?

  /// Makes the keychain, or takes that of the repository.
  ///
  /// - Parameter list: puts it into the search list.
  /// - Throws: ``Failure``. Then it isn't in the list.
  func run(_ list: (ListedKeychain) throws(Failure) -> Void) throws(Failure) {
    let place = try usableRemote()
    let own = try explaining(VaultLocation())
    var options: [ListedKeychain.Option] = []
    if let branch { options.append(ListedKeychain.Option(ListedKeychain.branchOption, branch)) }
    let plain = ListedKeychain(name, .git, at: place, options)
    let location = try explaining(choice: own.of(plain))
    let identity = try MemberIdentity(named: identity, for: location)
    let listed = ListedKeychain(
      name, .git, at: place, options + [ListedKeychain.Option(ListedKeychain.identityOption, identity.path)])
    let keychain = try GitKeychain(listed)
    let hasKeychain: Bool
    do throws(SharingFault) {
      hasKeychain = try keychain.sync.hasKeychain()
    } catch {
      throw Failure(error, listed)
    }
    let isHere = try explaining { () throws(KeychainError) in
      FileStatus.isThere(keychain.sync.keychain.location.vaultFile)
    }
    var isNew = false
    if !hasKeychain, !isHere {
      _ = try explaining { () throws(KeychainError) in
        try keychain.sync.keychain.create(
          .recipient(identity.recipient, identity: identity.path), isShared: true)
      }
      isNew = true
    }
    let outcome: SharedKeychainSync.Outcome
    do throws(SharingFault) {
      outcome = try keychain.sync.sync()
    } catch .notMember {
      try list(listed)
      StandardStreams.say("added; you aren't a member yet, and the keychain \(name) is locked until you are")
      StandardStreams.say(
        """
        hint: a member has to type \(command: "llavero", "keychain", "member", "add", name, identity.recipient); \
        then run \(command: "llavero", "sync", name)
        """
      )
      return
    } catch {
      throw Failure(error, listed)
    }
    try list(listed)
    if let refusal = outcome.refusal {
      StandardStreams.say(
        "added, but what you change stays here, because the repository refuses it: \(refusal)")
    } else if isNew {
      StandardStreams.say("made the keychain \(name), and put it into \(place); \(identity.path) opens it")
    }
  }

  /// The remote as git gets it.
  private func usableRemote() throws(Failure) -> String {
    if remote.isEmpty || remote.hasPrefix("-") || remote.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
      throw Failure("'\(remote)' is no address of a git repository", status: .usage)
    }
    let parts = remote.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, parts[1].hasPrefix("//") {
      let authority = parts[1].dropFirst(2).prefix { $0 != "/" }
      if let at = authority.lastIndex(of: "@"), authority[..<at].contains(":") {
        throw Failure(
          "the address of the repository has a password in it",
          hint: "leave it out, and store it in your own keychain with 'llavero add'", status: .usage)
      }
      return remote
    }
    // A folder on this machine; else HOST:PATH, as ssh takes it.
    if let path = realPath(remote) { return path }
    if !remote.contains(":") {
      throw Failure("there is no repository \(remote)", status: .usage)
    }
    return remote
  }
}
