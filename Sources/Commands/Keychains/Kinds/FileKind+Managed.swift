import Bytes
import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import PrivateFiles
import ToolCommands

extension FileKind: VaultKind {
  var title: String { "encrypted file" }

  func firstRows(_ keychain: OpenKeychain, _ sharing: SharingState?) -> [[String]] {
    let listed = keychain.choice.keychain
    let name = listed.isBuiltIn ? "" : "\(listed.name), "
    let path = Self.file(of: keychain).location.vaultFile
    return [["keychain", "\(name)file \(path), \(keychain.choice.reasonText)"]]
  }

  func protectionRows(
    _ location: VaultLocation, _ summary: VaultSummary, _ choice: KeychainChoice, _ state: [[String]]
  ) -> [[String]] {
    var rows = [["protection", Self.protection(location, summary)]] + state
    if summary.ways.count > 1 {
      rows.append([
        "slots", "\(summary.ways.map(\.kind.name).joined(separator: ", ")); see 'llavero slot list'",
      ])
    }
    return rows
  }

  private static func protection(_ location: VaultLocation, _ summary: VaultSummary) -> String {
    if summary.hasIdentityFile || summary.ways.isEmpty {
      return
        "a key in \(location.identityFile): safe if copied without the key, but not from anyone who reads your home"
    }
    if let protection = UnaskedOpening(summary)?.protection { return protection }
    if summary.ways.contains(where: \.kind.mayOpenUnasked) {
      return "slots, opened by what 'llavero slot list' shows"
    }
    return summary.hasPassphrase ? "a passphrase" : "a recovery code"
  }

  func sharing(_ listed: ListedKeychain, _ file: EncryptedFileKeychain, isOpen: Bool) -> SharingState? { nil }

  func refuseLocked(_ file: EncryptedFileKeychain) {}

  func examineSharing(_ listed: ListedKeychain, _ file: EncryptedFileKeychain, _ findings: inout [Finding]) {}

  func findings(_ selection: KeychainSelection) throws(KeychainError) -> [Finding]? {
    var selection = selection
    selection.name = kind.rawValue
    let file = try selection.encryptedFile()
    var findings: [Finding] = []
    do throws(KeychainError) {
      guard let summary = try file.summary() else {
        return [Finding("vault", "none yet at \(file.location.vaultFile); the first store makes it")]
      }
      findings.append(Finding("vault", file.location.vaultFile))
      findings.append(Finding("owner and mode", "yours alone"))
      findings.append(Finding("format", "\(summary.version)"))
      findings.append(Finding("unlocked by", Self.opener(file.location, summary)))
      if summary.contents == nil { findings.append(Finding(file, lockedAs: summary)) }
      findings.append(
        Finding("items", summary.contents.map { "\($0.count)" } ?? "unknown, because it is locked"))
      if summary.contents != nil {
        let former = try file.generationsOfFormerKeys().count
        if former > 0 {
          findings.append(
            Finding(
              "earlier states", "a former key opens \(former) of them; 'llavero vault compact' removes all"))
        }
        for unmerged in try file.unmergedFiles() { findings.append(Finding("not merged", unmerged.remark)) }
      }
    } catch {
      findings.append(Finding("vault", file.location.vaultFile, problem: error))
    }
    return findings
  }
}

extension FileKind {
  /// What opens the file first, and where all that does is shown.
  private static func opener(_ location: VaultLocation, _ summary: VaultSummary) -> String {
    let listing = "; see 'llavero slot list'"
    guard let first = firstOpener(location, summary) else { return "one of its slots" + listing }
    return summary.ways.count > 1 ? first + listing : first
  }

  private static func firstOpener(_ location: VaultLocation, _ summary: VaultSummary) -> String? {
    if summary.hasIdentityFile || summary.ways.isEmpty { return "the key \(location.identityFile)" }
    if let protection = UnaskedOpening(summary)?.protection { return protection }
    if summary.hasPassphrase { return "a passphrase" }
    guard summary.ways.allSatisfy({ $0.kind == .recovery }), !FileStatus.isThere(location.identityFile) else {
      return nil
    }
    return "a recovery code; to be asked nothing, put the key file back to \(location.identityFile)"
  }
}

// MARK: Adding

extension FileKind {
  func refuseUnusable(_ adding: AddKeychainCommand) throws(KeychainError) {
    _ = try options(adding)
    if !adding.create, realPath(adding.place) == nil { throw noFolder(adding) }
  }

  private func noFolder(_ adding: AddKeychainCommand) -> KeychainError {
    KeychainError(
      "there is no folder \(adding.place)", hint: "with --create, the keychain is made there", status: .usage)
  }

  private func options(_ adding: AddKeychainCommand) throws(KeychainError) -> [ListedKeychain.Option] {
    guard let identity = adding.identity else { return [] }
    guard let path = realPath(identity) else {
      throw .failure("there is no file \(identity)", status: .usage)
    }
    return [ListedKeychain.Option(ListedKeychain.identityOption, path)]
  }

  func add(_ adding: AddKeychainCommand, _ location: VaultLocation) throws(KeychainError) {
    let options = try options(adding)
    // Its name must be free before anything is made under it.
    let list = try KeychainList.read(in: location.stateFolder)
    try adding.refuse(ListedKeychain(adding.name, kind, at: adding.place, options), in: list)
    try refuseFolders(of: list, adding.place, location)
    if adding.create { try Folder.making(adding.place) }
    guard let folder = realPath(adding.place) else { throw noFolder(adding) }
    let added = ListedKeychain(adding.name, kind, at: folder, options)
    let own = try location.of(added)
    if own.vaultFile == location.vaultFile {
      throw .failure("that is the keychain 'file', which is always there", status: .usage)
    }
    let file = EncryptedFileKeychain(at: own, respondent: { .nobody })
    file.onlyReads = true
    let isThere = try file.isThere()
    if !isThere, !adding.create {
      throw .failure(
        "there is no keychain in \(folder): it has no file vault.age",
        hint: "name the folder that has one, or make one there with --create", status: .keychain)
    }
    if isThere { try examine(added, at: own) } else { _ = try file.create(.identityFile) }
    try adding.put(added, into: location)
    if isThere, adding.create {
      StandardStreams.say("there was a keychain in \(folder) already; it is used as it is")
    }
    if isThere { adding.saying.say("the keychain \(adding.name) is asked from now on, too") }
    if !isThere { StandardStreams.say("made the keychain \(own.vaultFile); its key is \(own.identityFile)") }
  }

  /// Throws if the place is that of a listed keychain, even a missing one, or is, or would be, in a folder that
  /// another keychain keeps for itself.
  private func refuseFolders(
    of list: KeychainList, _ place: String, _ location: VaultLocation
  ) throws(KeychainError) {
    var others = [(keychain: ListedKeychain(builtIn: .file), location: location)]
    for listed in list.keychains where listed.kind.isFile && !listed.isBuiltIn {
      others.append((listed, try location.of(listed)))
    }
    let path = resolved(place)
    for other in others where path == resolved(other.location.vaultFolder) {
      if other.keychain.isBuiltIn { return }
      // Changes to a shared keychain under another name aren't shared, and its key isn't kept from people who are no
      // members. Each name of a file has its own key on this machine: a new key by one name locks the other out, and
      // if the first one's disk is away, the second would be made in its place.
      let isCopy = other.keychain.kind.hasRepository
      let name = other.keychain.name
      var hint: Hint = "use it by that name: \(command: "--keychain", name)"
      if !isCopy {
        hint = "\(hint); \(command: "llavero", "keychain", "remove", name) takes it out of the list"
      }
      throw .failure(
        "\(place) is the \(isCopy ? "copy of the " : "")keychain \(name) on this machine", hint: hint,
        status: .usage)
    }
    // A keychain's folders are its own: another's file there would pass for one of its states or copies.
    for other in others where other.location.reserves(path) {
      throw .failure(
        "\(place) is in a folder of the keychain \(other.keychain.name)", hint: "name another one",
        status: .usage)
    }
  }

  /// Without links, as far as the path exists already.
  private func resolved(_ path: String) -> String {
    var (there, rest) = (path, "")
    while true {
      if let real = realPath(there) { return real + rest }
      guard let end = there.lastIndex(of: "/") else { return (realPath(".") ?? "") + "/" + there + rest }
      rest = there[end...] + rest
      there = String(there[..<end])
      if there.isEmpty { return rest }
    }
  }

  /// Checks that the file can be opened, or unlocked by a passphrase. If it has only the vault's own key, copies that
  /// to where it is looked for.
  private func examine(_ added: ListedKeychain, at own: VaultLocation) throws(KeychainError) {
    let openers = KeychainEnvironment().openers(of: added)
    let file = EncryptedFileKeychain(at: own, respondent: { .nobody }, openers: openers)
    file.onlyReads = true
    do throws(KeychainError) {
      _ = try file.summary()
    } catch .missing(own.identityFile) {
      guard let path = added.value(of: ListedKeychain.identityOption) else {
        throw .failure(
          "the key of the keychain \(own.vaultFile) is not here",
          hint: "name the file that has it with --identity", status: .keychain)
      }
      try copyKey(at: path, for: own)
    }
  }

  private func copyKey(at path: String, for own: VaultLocation) throws(KeychainError) {
    guard let key = try OpenFile(path: path)?.contents(limit: 65_536) else { throw .missing(path: path) }
    let folder = try Folder(creating: own.stateFolder)
    let durability = try key.withUnsafeBytes { (bytes) throws(KeychainError) in
      try folder.replace(VaultLocation.identityName, with: bytes)
    }
    StandardStreams.warn(durability)
    do throws(KeychainError) {
      let file = EncryptedFileKeychain(at: own, respondent: { .nobody })
      file.onlyReads = true
      _ = try file.summary()
    } catch {
      unlink(own.identityFile)
      throw error
    }
    StandardStreams.say("copied the key of the keychain to \(own.identityFile)")
  }
}

extension Folder {
  /// Makes a folder that nobody else can enter, unless it exists.
  fileprivate static func making(_ path: String) throws(KeychainError) {
    if realPath(path) != nil { return }
    _ = try Folder(creating: path)
  }
}
