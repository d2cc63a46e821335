import ArgumentParser
import Bytes
import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import OpenBao
import PrivateFiles
import Terminals
import ToolCommands

struct AddKeychainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a keychain to the list",
    discussion: """
      The keychain is asked after those that are there already; 'llavero keychain order' changes that. New items go \
      where they went before.

      An encrypted file is in a folder of its own, such as one on another disk, or one that you keep in step with \
      other machines. It has to be there, unless --create makes it:

        llavero keychain add work file ~/work/keychain
        llavero keychain add old file /mnt/old/llavero --identity /mnt/old/key.txt

      A keychain of the kind git is shared with other people or machines, through a git repository that all of them \
      can write to. If it has no keychain yet, one is made; otherwise a member has to let you in, and the command says \
      how. Answers come from a copy on this machine:

        llavero keychain add team git git@git.example.com:team/logins.git

      A keychain in OpenBao or HashiCorp Vault is at an address, and has settings, which llavero-openbao(7) lists:

        llavero keychain add fleet openbao https://bao.example.com:8200
        llavero keychain add fleet openbao https://bao.test --set login=oidc

      With --update, the address of one that is there is changed, and the settings that you give; '--set NAME=' takes \
      one away:

        llavero keychain add fleet openbao https://bao.test --update --set max-age=1h
      """)

  @Argument(
    help: ArgumentHelp("What to call it: small letters and digits, and . - _ between them", valueName: "name")
  )
  var name: String

  @Argument(help: ArgumentHelp("file, git or openbao", valueName: "kind"))
  var kind: String

  @Argument(
    help: ArgumentHelp(
      "The folder of the encrypted file, the git repository, or the address of the server", valueName: "place"
    ),
    completion: .directory)
  var place: String

  @Option(
    help: ArgumentHelp(
      "The file with the identity that opens it, an age identity or ssh key", valueName: "file"),
    completion: .file())
  var identity: String?

  @Option(help: ArgumentHelp("The branch of the git repository (default: main)", valueName: "name"))
  var branch: String?

  @Option(
    help: ArgumentHelp(
      "What the members of a shared keychain see you as (default: you and this machine)", valueName: "text"))
  var label: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("An option of a keychain on a server (repeatable)", valueName: "name=value"))
  var settings: [String] = []

  @Flag(help: "Make the encrypted file; its key is then kept in your state folder")
  var create = false

  @Flag(help: "Change the address of a keychain on a server that is there, and the options given by --set")
  var update = false

  @OptionGroup var keychain: KeychainOptions

  func run() throws(KeychainError) {
    guard let kind = KeychainKind(rawValue: kind), kind.canBeListed else {
      throw .failure(
        "a keychain of the kind '\(kind)' can't be added", hint: "there are file, git and openbao",
        status: .usage)
    }
    if KeychainKind(rawValue: name) != nil {
      throw .failure("'\(name)' is the name of a kind of keychain; choose another one", status: .usage)
    }
    if kind != .git, branch != nil || label != nil {
      throw .failure("only a keychain of the kind git has a branch, and members with labels", status: .usage)
    }
    if kind != .openBao, !settings.isEmpty {
      throw .failure("only a keychain of the kind openbao has settings for --set", status: .usage)
    }
    if kind != .openBao, update {
      throw .failure("only a keychain of the kind openbao has settings for --update", status: .usage)
    }
    let location = try VaultLocation()
    try refuseUnusable(kind)
    // In this case only the entry changes, if it is still the same.
    if update { return try addServer(location) }
    // Report an unreadable choice before anything is made.
    _ = try Self.asked(at: location)
    let names = try lockNames(at: location)
    defer { withExtendedLifetime(names) {} }
    switch kind {
    case .git: try addGit(location)
    case .openBao: try addServer(location)
    default: try addFile(location)
    }
  }

  /// Refuses invalid options before anything is made, even the lock's file.
  private func refuseUnusable(_ kind: KeychainKind) throws(KeychainError) {
    if !ListedKeychain.isName(name) { throw .choice(.refusedChange(.noName)) }
    switch kind {
    case .git:
      if create {
        throw .failure("a keychain of the kind git is made if the repository has none", status: .usage)
      }
      _ = try addingGit.usablePlace()
    case .openBao:
      if identity != nil || create {
        throw .failure("--identity and --create are for encrypted files", status: .usage)
      }
      if !update { _ = try DescribedServer(name, at: place, settings, changing: nil) }
    default:
      _ = try fileOptions()
      if !create, realPath(place) == nil { throw noFolder }
    }
  }

  private var noFolder: KeychainError {
    KeychainError(
      "there is no folder \(place)", hint: "with --create, the keychain is made there", status: .usage)
  }

  private func fileOptions() throws(KeychainError) -> [ListedKeychain.Option] {
    guard let identity else { return [] }
    guard let path = realPath(identity) else {
      throw .failure("there is no file \(identity)", status: .usage)
    }
    return [ListedKeychain.Option(ListedKeychain.identityOption, path)]
  }

  private func addFile(_ location: VaultLocation) throws(KeychainError) {
    let options = try fileOptions()
    // Its name must be free before anything is made under it.
    let list = try KeychainList.read(in: location.stateFolder)
    try refuse(ListedKeychain(name, .file, at: place, options), in: list)
    try refuseFolders(of: list, location)
    if create { try Folder.making(place) }
    guard let folder = realPath(place) else { throw noFolder }
    let added = ListedKeychain(name, .file, at: folder, options)
    let own = try location.of(added)
    if own.vaultFile == location.vaultFile {
      throw .failure("that is the keychain 'file', which is always there", status: .usage)
    }
    let file = EncryptedFileKeychain(at: own, respondent: { .nobody })
    file.onlyReads = true
    let isThere = try file.isThere()
    if !isThere, !create {
      throw .failure(
        "there is no keychain in \(folder): it has no file vault.age",
        hint: "name the folder that has one, or make one there with --create", status: .keychain)
    }
    if isThere { try examine(added, at: own) } else { _ = try file.create(.identityFile) }
    try put(added, into: location)
    if isThere, create {
      StandardStreams.say("there was a keychain in \(folder) already; it is used as it is")
    }
    if !isThere { StandardStreams.say("made the keychain \(own.vaultFile); its key is \(own.identityFile)") }
  }

  /// Throws if the place is that of a listed keychain, even a missing one, or is, or would be, in a folder that
  /// another keychain keeps for itself.
  private func refuseFolders(of list: KeychainList, _ location: VaultLocation) throws(KeychainError) {
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
      let isCopy = other.keychain.kind == .git
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

  /// Adds a keychain in OpenBao or Vault. The server isn't asked, because its login may be stored only later.
  private func addServer(_ location: VaultLocation) throws(KeychainError) {
    let state = location.stateFolder
    let list = try KeychainList.read(in: state)
    let present = list.keychains.first { $0.name == name }
    if present?.kind == .openBao, !update {
      throw .failure(
        "the list is not changed: there is one of that name already",
        hint: "with --update, its address and the settings that you give are changed", status: .usage)
    }
    if present == nil, update {
      throw .failure(
        "there is no keychain '\(name)' in the list", hint: "see it with 'llavero keychain list'",
        status: .nothingMatched)
    }
    let described = try DescribedServer(name, at: place, settings, changing: update ? present : nil)
    guard update, let former = present else {
      try refuse(described.keychain, in: list)
      return try put(described.keychain, into: location)
    }
    let (isChanged, durability) = try KeychainList.change(in: state) {
      $0.replace(former, with: described.keychain)
    }
    StandardStreams.warn(durability)
    // Another process's change meanwhile stays.
    if !isChanged { return try addServer(location) }
    if described.isAnother { Self.forget(name, at: location) }
  }

  /// Forgets this machine's files about a keychain that has moved or gone. A failure is only reported: the list has
  /// been changed already.
  static func forget(_ name: String, at location: VaultLocation) {
    do throws(KeychainError) {
      try HiddenItemFile(in: location.stateFolder, tell: StandardStreams.warn).revealAll(in: name)
    } catch {
      StandardStreams.say(
        "this is done, but the note of items hidden in the keychain \(name) remains: \(error.message)"
      )
    }
    OpenBaoOpener.forget(name, at: location)
  }

  private func addGit(_ location: VaultLocation) throws(KeychainError) {
    let list = try KeychainList.read(in: location.stateFolder)
    try refuse(ListedKeychain(name, .git, at: place), in: list)
    try addingGit.run(beside: list) { (added) throws(KeychainError) in try put(added, into: location) }
  }

  private var addingGit: AddingGitKeychain {
    AddingGitKeychain(name: name, remote: place, identity: identity, branch: branch, label: label)
  }

  /// The keychain in use now; `nil` if that is unknown, or is in no list.
  private static func asked(at location: VaultLocation) throws(KeychainError) -> KeychainChoice? {
    do throws(KeychainError) {
      return try KeychainChoice.made(named: nil, at: location)
    } catch {
      if case .unlistedChoice = error.fault(KeychainChoiceFault.self) { return nil }
      throw error
    }
  }

  /// Appends a keychain to the search list.
  private func put(_ added: ListedKeychain, into location: VaultLocation) throws(KeychainError) {
    // The keychain in use until now is asked first.
    let present = try Self.asked(at: location)
    let (_, durability) = try KeychainList.change(in: location.stateFolder) {
      (list) throws(KeychainError) in
      if list.keychains.isEmpty, let present, !present.isNamed { list.putFirst([present.keychain]) }
      do throws(KeychainList.Fault) {
        try list.add(added)
      } catch {
        throw .choice(.refusedChange(error))
      }
    }
    StandardStreams.warn(durability)
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

  private func refuse(_ added: ListedKeychain, in list: KeychainList) throws(KeychainError) {
    var list = list
    do throws(KeychainList.Fault) {
      try list.add(added)
    } catch {
      throw .choice(.refusedChange(error))
    }
  }
}

/// Takes the lock for naming keychains.
private func lockNames(at location: VaultLocation) throws(KeychainError) -> FileLock {
  try KeychainList.lockNames(in: location.stateFolder) {
    StandardStreams.say("another process adds a keychain; this one waits for it")
  }
}

extension Folder {
  /// Makes a folder that nobody else can enter, unless it exists.
  fileprivate static func making(_ path: String) throws(KeychainError) {
    if realPath(path) != nil { return }
    _ = try Folder(creating: path)
  }
}
