import Bytes
import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import PrivateFiles
import ToolCommands

/// Does the work of `llavero keychain add NAME git REMOTE`.
struct AddingGitKeychain {
  let name: String
  let remote: String
  let identity: String?
  let branch: String?
  let label: String?
  let saying: SayingOptions

  /// Makes the keychain, or takes the repository's.
  ///
  /// - Parameters:
  ///   - present: the search list.
  ///   - list: puts the keychain into it.
  /// - Throws: ``KeychainError``; then the keychain isn't in the list.
  func run(
    beside present: KeychainList, _ list: (ListedKeychain) throws(KeychainError) -> Void
  ) throws(KeychainError) {
    let place = try usablePlace()
    try refuseTwice(place, present)
    let own = try VaultLocation()
    var options: [ListedKeychain.Option] = []
    if let branch { options.append(ListedKeychain.Option(ListedKeychain.branchOption, branch)) }
    let plain = ListedKeychain(name, .git, at: place, options)
    let location = try own.of(plain)
    try setAside(plain, at: location, in: own, present)
    let folders = [location.vaultFolder, location.stateFolder]
    let made = folders.filter { !FileStatus.isThere($0) }
    var isListed = false
    do throws(KeychainError) {
      try take(place, options, at: location) { (keychain) throws(KeychainError) in
        isListed = true
        try list(keychain)
      }
    } catch {
      // A vault may have arrived in the repository without word of that, and then its key is needed.
      if !isListed, !FileStatus.isThere(location.vaultFile) { Self.remove(made) }
      throw error
    }
  }

  /// The remote as git gets it.
  ///
  /// - Throws: ``KeychainError``, also for an invalid label or branch.
  func usablePlace() throws(KeychainError) -> String {
    if let label {
      try SlotSummary.refuseUnusable(label: label)
    }
    if let branch, !SharedRepository.canBeBranch(branch) {
      throw .failure("'\(branch)' can't be the name of a branch", status: .usage)
    }
    return try usableRemote()
  }

  /// Removes folders that were made, and their parent, if it is empty.
  private static func remove(_ folders: [String]) {
    for folder in folders {
      removeTree(folder)
      if let end = folder.lastIndex(of: "/") { rmdir(String(folder[..<end])) }
    }
  }

  /// Two copies of one keychain would answer one after the other.
  private func refuseTwice(_ place: String, _ present: KeychainList) throws(KeychainError) {
    func branch(_ name: String?) -> String { name ?? SharedRepository.defaultBranch }
    let same = present.keychains.first { keychain in
      keychain.kind.hasRepository && keychain.place == place
        && branch(keychain.value(of: ListedKeychain.branchOption)) == branch(self.branch)
    }
    guard let same else { return }
    throw .failure(
      "the keychain \(same.name) is shared through that repository already",
      hint:
        "use that one, or take it from the list first with \(command: "llavero", "keychain", "remove", same.name)",
      status: .usage)
  }

  /// A person who had the repository in the list under another name, or under this one before another repository, is a
  /// member by the key of that time. With a new key they would be a stranger, perhaps to a keychain that nobody else
  /// can let them into.
  private func refuseAgain(
    _ keychain: ListedKeychain, in own: VaultLocation, _ present: KeychainList
  ) throws(KeychainError) {
    let names = try Folder(opening: own.vaultFolder + "/keychains")?.names() ?? []
    for name in names.sorted() where present.keychain(named: name) == nil {
      let former = ListedKeychain(name, .git, at: keychain.place, keychain.options)
      let location = try own.of(former)
      let key = MemberIdentity.path(for: location)
      guard FileStatus.isThere(key) else { continue }
      let repository = try GitKeychain(former).sync.repository
      guard let place = try? repository.former(), place == repository.place else { continue }
      var hint: Hint = "\(commandOf: keychain.adding + ["--identity", key]) uses that key"
      if ListedKeychain.isName(name) {
        hint = """
          \(hint); \(commandOf: former.adding) takes the copy as well, with its unsent changes
          """
      } else if LeavingGitKeychain(former, at: own) != nil {
        let merging = ["llavero", "vault", "merge", location.vaultFile, "--keychain", keychain.name]
        hint = "\(hint); then \(commandOf: merging) takes the unsent changes from there"
      }
      // A keychain put aside has its name and a number.
      let called = String(name.prefix { $0 != "~" })
      throw .failure(
        "that repository was the keychain \(called) on this machine, and its key is still in \(key); nothing was added",
        hint: hint, status: .usage)
    }
  }

  private func take(
    _ place: String, _ options: [ListedKeychain.Option], at location: VaultLocation,
    _ list: (ListedKeychain) throws(KeychainError) -> Void
  ) throws(KeychainError) {
    let identity = try MemberIdentity(named: identity, for: location)
    let label = label ?? MemberIdentity.usualLabel
    let ofMember = [
      ListedKeychain.Option(ListedKeychain.identityOption, identity.path),
      ListedKeychain.Option(ListedKeychain.labelOption, label),
    ]
    let listed = ListedKeychain(name, .git, at: place, options + ofMember)
    let keychain = try GitKeychain(listed)
    let hasKeychain = try listed.telling(isAdded: false) { () throws(SharingFault) in
      try keychain.sync.hasKeychain()
    }
    let isHere = FileStatus.isThere(keychain.sync.keychain.location.vaultFile)
    let isNew = !hasKeychain && !isHere
    let outcome: SharedKeychainSync.Outcome
    do throws(SharingFault) {
      if isNew { try make(keychain.sync.keychain, openedBy: identity, label) }
      outcome = try keychain.sync.sync()
    } catch .notMember {
      try list(listed)
      return sayNotMember(identity, label)
    } catch {
      // It is listed, so that 'llavero sync' can put it right, or 'llavero vault restore' a copy without its file.
      if error.needsDecision || error == .keychain(.missing(path: location.vaultFile)) { try list(listed) }
      throw KeychainError(error, listed)
    }
    try list(listed)
    // It may be open by a key that is kept unlocked for a while, and not by this identity.
    if try keychain.sync.ownSlot() == nil {
      return sayNotMember(identity, label)
    }
    if let refusal = outcome.refusal {
      StandardStreams.say(
        "added, but your changes stay here, because the repository refuses them: \(refusal)")
    } else if isNew {
      let into: TextForTerminal = branch.map { "the branch \($0) of \(place)" } ?? "\(place)"
      StandardStreams.say("made the keychain \(name), and put it into \(into); \(identity.path) opens it")
    } else if let count = try? keychain.sync.keychain.items(matching: .all).count {
      let since = isHere ? "again" : "from now on"
      saying.say("the keychain \(name) is asked \(since), with \(countText(count, "item"))")
    }
  }

  /// The optimiser of Swift 6.3 fails on the borrowed enumeration where this is inlined, or a closure.
  @inline(never)
  private func make(
    _ keychain: EncryptedFileKeychain, openedBy identity: MemberIdentity, _ label: String
  ) throws(SharingFault) {
    do throws(KeychainError) {
      _ = try keychain.create(
        .recipient(identity.recipient, identity: identity.path), isShared: true, label: label)
    } catch {
      throw .keychain(error)
    }
  }

  private func sayNotMember(_ identity: MemberIdentity, _ label: String) {
    StandardStreams.say("added; you aren't a member yet, and the keychain \(name) is locked until you are")
    StandardStreams.say("hint: \(Hint.ofNewMember(of: name, identity.recipient, label))")
  }

  /// Puts aside this machine's files about a keychain that had the name before, and was shared through another
  /// repository. They must neither go into this one, nor be lost.
  private func setAside(
    _ keychain: ListedKeychain, at location: VaultLocation, in own: VaultLocation, _ present: KeychainList
  ) throws(KeychainError) {
    let sync = try GitKeychain(keychain).sync
    // Changes from before the keychain left the list may still be on their way.
    let held = try keychain.telling(isAdded: false) { () throws(SharingFault) in try sync.withoutExchange() }
    defer { withExtendedLifetime(held) {} }
    let (other, hasMoved) = try keychain.telling(isAdded: false) {
      () throws(SharingFault) -> (String?, Bool) in
      guard let found = try sync.repository.former(), found != sync.repository.place else {
        return (nil, false)
      }
      let isHere = FileStatus.isThere(location.vaultFile)
      if isHere, try !sync.hasSameKeychain() { return (found.remote, false) }
      try sync.repository.moveHere(isNew: !isHere)
      return (nil, true)
    }
    if hasMoved { return }
    let hasKey = other == nil && FileStatus.isThere(MemberIdentity.path(for: location))
    if identity == nil, !hasKey { try refuseAgain(keychain, in: own, present) }
    guard let former = other else { return }
    // A process that is changing it goes on in the folder's new place.
    let lock = try Self.lock(location)
    defer { withExtendedLifetime(lock) {} }
    var number = 1
    while FileStatus.isThere("\(location.vaultFolder)~\(number)")
      || FileStatus.isThere("\(location.stateFolder)~\(number)")
    {
      number += 1
    }
    for folder in [location.vaultFolder, location.stateFolder] where FileStatus.isThere(folder) {
      guard rename(folder, "\(folder)~\(number)") == 0 else {
        throw .system(operation: "rename", path: folder, errno: errno)
      }
    }
    StandardStreams.say(
      "a keychain \(name) was shared through \(former) before; its copy is \(location.vaultFolder)~\(number) now"
    )
  }

  private static func lock(_ location: VaultLocation) throws(KeychainError) -> FileLock? {
    guard let folder = try Folder(opening: location.vaultFolder) else { return nil }
    return try FileLock(VaultLocation.lockName, in: folder, patience: 60) {
      StandardStreams.say("another process changes the former keychain; this one waits for it")
    }
  }

  /// Whether the part before the host has a password, or is a token: some hosts take one as the user's name.
  private static func hasSecret(_ user: Substring) -> Bool {
    let beginnings = [
      "ghp_", "gho_", "ghu_", "ghs_", "github_pat_", "glpat-", "gldt-", "glcbt-", "ATBB", "ATCTT", "hf_",
    ]
    return user.contains(":") || beginnings.contains { user.hasPrefix($0) }
      || user.utf8.count >= 40 && !user.contains("%")
  }

  private func usableRemote() throws(KeychainError) -> String {
    if remote.isEmpty || remote.hasPrefix("-") || remote.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
      throw .failure("'\(remote)' is not the address of a git repository", status: .usage)
    }
    let parts = remote.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, parts[1].hasPrefix("//") {
      let authority = parts[1].dropFirst(2).prefix { $0 != "/" }
      if let at = authority.lastIndex(of: "@"), Self.hasSecret(authority[..<at]) {
        throw .failure(
          "the address of the repository has a password in it",
          hint: "leave it out, and store it in your own keychain with 'llavero add'", status: .usage)
      }
      return remote
    }
    // A folder on this machine; else HOST:PATH, as ssh takes it.
    if let path = realPath(remote) { return path }
    if !remote.contains(":") {
      throw .failure("there is no repository \(remote)", status: .usage)
    }
    return remote
  }
}
