import ArgumentParser
import Bytes
import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import OpenBao
import PrivateFiles
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

  @Argument("What to call it: small letters and digits, and . - _ between them", value: "name")
  var name: String

  @Argument("One of \(AddKeychainCommand.kinds)", value: "kind")
  var kind: String

  @Argument(
    "The folder of the encrypted file, the git repository, or the address of the server", value: "place",
    completion: .directory)
  var place: String

  @Option(
    "The file with the identity that opens it, an age identity or ssh key", value: "file", completion: .file()
  )
  var identity: String?

  @Option("The branch of the git repository (default: main)", value: "name")
  var branch: String?

  @Option("What the members of a shared keychain see you as (default: you and this machine)", value: "text")
  var label: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("An option of a keychain on a server (repeatable)", valueName: "name=value"))
  var settings: [String] = []

  @Flag(help: "Make the encrypted file; its key is then kept in your state folder")
  var create = false

  @Flag(help: "Change the address of a keychain on a server that is there, and the options given by --set")
  var update = false

  @OptionGroup var saying: SayingOptions
  @OptionGroup var keychain: KeychainOptions

  func run() throws(KeychainError) {
    let kind = try Self.kind(named: kind)
    if KeychainKind(rawValue: name) != nil {
      throw .failure("'\(name)' is the name of a kind of keychain; choose another one", status: .usage)
    }
    let managed = kind.managed
    let options = managed.addingOptions
    if !options.contains(.members), branch != nil || label != nil {
      throw .failure(
        "only a keychain of the kind \(AddingOptions.members.kinds) has a branch, and members with labels",
        status: .usage)
    }
    if !options.contains(.settings), !settings.isEmpty || update {
      let option = settings.isEmpty ? "--update" : "--set"
      throw .failure(
        "only a keychain of the kind \(AddingOptions.settings.kinds) has settings for \(option)",
        status: .usage)
    }
    let location = try VaultLocation()
    // Before anything is made, even the lock's file.
    if !ListedKeychain.isName(name) { throw .choice(.refusedChange(.noName)) }
    try managed.refuseUnusable(self)
    // In this case only the entry changes, if it is still the same.
    if update { return try managed.add(self, location) }
    // Report an unreadable choice before anything is made.
    _ = try Self.asked(at: location)
    do {
      let names = try lockNames(at: location)
      defer { withExtendedLifetime(names) {} }
      try managed.add(self, location)
    }
    managed.tellIfUnusable(self, location)
  }

  /// - Throws: ``KeychainError`` if no kind has this name that can be added. It says which one may be meant.
  static func kind(named name: String) throws(KeychainError) -> KeychainKind {
    if let kind = KeychainKind(rawValue: name), kind.canBeListed { return kind }
    let similar = names.meant(by: name).map { "; did you mean '\($0)'?" } ?? ""
    throw .failure(
      "a keychain of the kind '\(name)' can't be added\(similar)", hint: "there are \(prose: kinds)",
      status: .usage)
  }

  /// The kinds that can be added.
  private static var names: [String] {
    KeychainKind.allCases.filter(\.canBeListed).map(\.rawValue).sorted()
  }

  /// The same, for a sentence.
  private static var kinds: String {
    let names = names
    return names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
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
  func put(_ added: ListedKeychain, into location: VaultLocation) throws(KeychainError) {
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

  func refuse(_ added: ListedKeychain, in list: KeychainList) throws(KeychainError) {
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
