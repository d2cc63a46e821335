import ArgumentParser
import EncryptedFile
import Keychain
import KeychainChoice
import Processes
import Terminals
import ToolCommands

/// `llavero migrate`
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Copy the items of one keychain into the other",
    discussion: """
      Copies the items with everything that they have, those first that are not there yet; what was cut off goes on from \
      there when it is run again. With --remove-source they are deleted where they were, once all of them have been read \
      back where they are.

        llavero migrate --from secret-service --to file
        llavero migrate --from file --to secret-service --remove-source

      The Secret Service has items of other programs, too, which look for them there: '--class internet' and the like \
      say which are meant. Afterwards 'llavero keychain use KIND' says which keychain is used.
      """)

  @Option(help: ArgumentHelp("The keychain that the items are in: file or secret-service", valueName: "kind"))
  var from: String

  @Option(help: ArgumentHelp("The keychain that they are to be in", valueName: "kind"))
  var to: String

  @Flag(help: "Show what would come, and change nothing")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "Where the item is there with another secret: ask, keep it, replace it or fail (default: ask on a terminal, "
        + "else fail)", valueName: "what"))
  var onConflict: ConflictPolicy?

  @Flag(help: "Delete the items where they were, once all have been read back")
  var removeSource = false

  @Flag(help: "Don't ask before that")
  var yes = false

  @OptionGroup(title: "Only items with") var attributes: AttributeOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if from == to { throw ValidationError("--from and --to are the same keychain.") }
    if dryRun, removeSource { throw ValidationError("--dry-run removes nothing.") }
    if keychain.keychain != nil { throw ValidationError("--from and --to say which keychains.") }
  }

  func run() throws {
    let (source, target) = (try KeychainKind(named: from), try KeychainKind(named: to))
    var selection = keychain.selection
    selection.readsSecrets = true
    if Program.secretService == nil {
      throw SecretServiceProgram.isMissing(SecretServiceProgram.become())
    }
    let location = try explaining(VaultLocation())
    let used = try explaining(choice: KeychainChoice.made(named: nil, at: location)?.kind)
    selection.name = source.rawValue
    let sourceOpen = try selection.choose().open()
    selection.name = target.rawValue
    let targetOpen = try selection.choose().open()
    let filter = attributes.filter
    if removeSource, !yes { try confirm(sourceOpen, filter, selection) }
    let importing = Importing(
      into: targetOpen,
      from: [KeychainSource(Self.name(source), sourceOpen.keychain) { filter.matches($0) ? $0 : nil }],
      comparesNotes: true, mayAsk: selection.mayAskPerson, policy: onConflict)
    try importing.run(
      what: "migrating", isRehearsal: dryRun, removesSource: removeSource, isJSON: output.json)
    if !dryRun, used == source {
      StandardStreams.say(
        "hint: logins are still taken from \(Self.name(source)); 'llavero keychain use \(target.rawValue)' changes that"
      )
    }
  }

  private static func name(_ kind: KeychainKind) -> String {
    kind == .file ? "the encrypted file" : "the Secret Service"
  }

  /// Shows what will be deleted where it was.
  private func confirm(
    _ open: OpenKeychain, _ filter: ItemFilter, _ selection: KeychainSelection
  ) throws(Failure) {
    let items = try explaining(open.keychain.items(matching: .all))
      .filter(filter.matches)
    if items.isEmpty { return }
    let question: TextForTerminal = "Delete these where they are now, once they have been read back?"
    guard let isConfirmed = selection.confirms(question, showing: ItemOutput.table(items)) else {
      throw Failure(
        "--remove-source deletes items, and nobody can be asked", hint: "say --yes", status: .usage)
    }
    if !isConfirmed { throw Failure("nothing was changed", status: .nothingMatched) }
  }
}
