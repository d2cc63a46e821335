import ArgumentParser
import EncryptedFile
import Keychain
import KeychainChoice
import PrivateFiles
import ToolCommands

struct MigrateCommand: UsingCompanion {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Copy items from one keychain to another",
    discussion: """
      Copies the items with all their attributes, new ones first. If it is interrupted, run it again to continue. With \
      --remove-source they are deleted from the first keychain, once all of them have been read back from the second.

        llavero migrate --from secret-service --to file
        llavero migrate --from file --to secret-service --remove-source

      From the Secret Service everything comes, also what other programs keep there; 'llavero serve' offers it to \
      them. '--listed' copies what 'llavero list' shows, '--class internet' logins for servers alone. What can't come is \
      named, and the status is 2. Afterwards, 'llavero keychain use NAME' chooses the keychain.
      """)

  @Option(
    help: ArgumentHelp(
      "The keychain to copy from: file, secret-service, or one of 'llavero keychain list'", valueName: "name")
  )
  var from: String

  @Option(help: ArgumentHelp("The keychain to copy to", valueName: "name"))
  var to: String

  @Flag(help: "Copy only what 'llavero list' shows, with what gh and the like keep there under a service")
  var listed = false

  @Flag(help: "Show what would come, and change nothing")
  var dryRun = false

  @Option(
    "If the item exists with another secret: ask, keep it, replace it or fail (default: ask on a terminal, else fail)",
    value: "what")
  var onConflict: ConflictPolicy?

  @Flag(help: "Delete the items from the first keychain, once all have been read back")
  var removeSource = false

  @Flag(help: "Don't ask before that")
  var yes = false

  @OptionGroup(title: "Only items with") var attributes: PatternOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if from == to { throw ValidationError("--from and --to are the same keychain.") }
    if dryRun, removeSource { throw ValidationError("--dry-run removes nothing.") }
    if keychain.keychain != nil { throw ValidationError("--from and --to say which keychains.") }
  }

  func companionNeed() throws(KeychainError) -> CompanionNeed {
    let kinds = [try ListedKeychain.named(from).kind, try ListedKeychain.named(to).kind]
    return kinds.contains(where: \.needsCompanion) && !kinds.contains(where: \.isOfOtherMachine)
      ? .required : .none
  }

  func run() throws(KeychainError) {
    let (source, target) = (try ListedKeychain.named(from), try ListedKeychain.named(to))
    if source.kind.isOfOtherMachine || target.kind.isOfOtherMachine {
      throw .failure(
        "a keychain of another machine is not copied", hint: "run 'llavero migrate' there", status: .usage)
    }
    var selection = keychain.selection
    selection.readsSecrets = true
    selection.includesOtherItems = true
    let location = try VaultLocation()
    let used = try KeychainChoice.made(named: nil, at: location)?.name
    selection.name = source.name
    let sourceOpen = try selection.chooseOrExec().open()
    selection.name = target.name
    let targetOpen = try selection.chooseOrExec().open()
    try refuseSame(sourceOpen, targetOpen, areOneKind: source.kind == target.kind)
    let items = MigratedItems(attributes.filter, areListed: listed, into: target)
    if removeSource, !yes { try confirm(sourceOpen, items, selection) }
    let origin: any ImportSource =
      if let service = sourceOpen.secretService {
        DesktopSource(Self.name(source), service, where: items.comes)
      } else {
        KeychainSource(
          Self.name(source), sourceOpen.keychain, goesToService: targetOpen.secretService != nil,
          where: items.comes)
      }
    let importing = Importing(
      into: targetOpen, from: [origin], comparesNotes: true, mayAsk: selection.mayAskPerson,
      policy: onConflict, mustBeWhole: true)
    var clients: MovingClients?
    if !dryRun, source.kind.isOnServer || target.kind.isOnServer {
      // A list, even of this keychain alone, isn't asked for clients.
      let coming = try sourceOpen.own.items(matching: .all).filter(items.comes)
      clients = try MovingClients(of: coming, in: sourceOpen.own)
    }
    try importing.run(
      what: "migrating", isRehearsal: dryRun, removesSource: removeSource, output: output
    ) { () throws(KeychainError) in
      // With its removed items, a keychain on a server loses their client.
      try clients?.keep(in: targetOpen.own)
    }
    sayWhatStays(items, in: source)
    // A shared keychain is chosen for single items, not for all new ones.
    if !dryRun, used == source.name, !target.kind.isShared {
      StandardStreams.say(
        "hint: logins are still taken from \(Self.name(source)); "
          + "\(command: "llavero", "keychain", "use", target.name) changes that")
    }
  }

  private func refuseSame(
    _ source: OpenKeychain, _ target: OpenKeychain, areOneKind: Bool
  ) throws(KeychainError) {
    guard let file = source.file, let other = target.file,
      realPath(file.location.vaultFolder) ?? file.location.vaultFolder
        == realPath(other.location.vaultFolder) ?? other.location.vaultFolder
    else { return }
    throw .failure(
      areOneKind
        ? "both are the same file; there is nothing to move"
        : "llavero itself provides the Secret Service, from the encrypted file; there is nothing to move",
      status: .usage)
  }

  private func sayWhatStays(_ items: MigratedItems, in source: ListedKeychain) {
    if items.leavesMinted {
      StandardStreams.say("tokens from an exchange or an app stay in \(Self.name(source))")
    }
    if items.leavesLogin { StandardStreams.say("the server's login stays in \(Self.name(source))") }
  }

  private static func name(_ keychain: ListedKeychain) -> String {
    if !keychain.isBuiltIn { return "the keychain \(keychain.name)" }
    return "the \(keychain.kind.managed.title)"
  }

  /// Shows the items to delete from the source keychain, and asks for confirmation.
  private func confirm(
    _ open: OpenKeychain, _ meant: MigratedItems, _ selection: KeychainSelection
  ) throws(KeychainError) {
    let items = try open.keychain.items(matching: .all).filter(meant.isMeant)
    if items.isEmpty { return }
    let question: TextForTerminal = "Delete these where they are now, once they have been read back?"
    guard let isConfirmed = selection.confirms(question, showing: ItemOutput.tableForQuestion(items)) else {
      throw .failure(
        "--remove-source deletes items, and nobody can be asked", hint: "add --yes", status: .usage)
    }
    if !isConfirmed { throw .failure("nothing was changed", status: .nothingMatched) }
  }
}
