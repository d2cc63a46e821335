import ArgumentParser
import EncryptedFile
import Keychain
import KeychainChoice
import ToolCommands

struct KeychainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keychain",
    abstract: "Choose which keychains to use",
    discussion: """
      Besides the one in use, llavero can ask others: another encrypted file, for example. The first that has an \
      answer gives it; new items go to the one in use. An answer of another keychain is not copied there:

        llavero keychain list
        llavero keychain add work file ~/work/keychain
        llavero keychain add team git git@git.example.com:team/logins.git
        llavero keychain order work file

      --keychain NAME, with any command, uses that one alone.

      Unless you choose, the first login you store does: the Secret Service if one answers within a second and has a \
      collection for new items, otherwise the encrypted file. llavero remembers the choice. No time-out, lock or error \
      changes it; only you do:

        llavero keychain use file
        llavero keychain use secret-service
        llavero keychain use forwarded

      The forwarded keychain is that of the machine that you log in from; see llavero-forward(1). Where nothing was \
      chosen, it is used whenever it is there, and not remembered.
      """,
    subcommands: [
      ListKeychainsCommand.self, AddKeychainCommand.self, RemoveKeychainCommand.self,
      OrderKeychainsCommand.self, RevealCommand.self, MemberCommand.self, UseKeychainCommand.self,
      CreateCollectionCommand.self,
    ])
}

struct UseKeychainCommand: UsingCompanion {
  static let configuration = CommandConfiguration(
    commandName: "use",
    abstract: "Use this keychain from now on: new items go to it",
    discussion: """
      It has to be usable now, or locked: a server is asked, and nothing changes if it can't take new items.

      Items stay where they are. A message says how many are left behind. If there is a search list, the others in it \
      are asked as before.
      """)

  @Argument("\(KeychainKind.builtInNames.joined(separator: ", ")), or one that was added", value: "name")
  var name: String

  @OptionGroup var saying: SayingOptions
  @OptionGroup var keychain: KeychainOptions

  /// The new keychain must be usable, and the items in the old one are counted.
  func companionNeed() -> CompanionNeed { .wanted }

  func run() throws(KeychainError) {
    try keychain.selection.use(try ListedKeychain.named(name), saying)
  }
}

struct CreateCollectionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Make a collection in the Secret Service",
    discussion: """
      For a service that has none yet, such as a fresh gnome-keyring. The desktop's own prompt asks for its password, \
      or this terminal if there is no desktop. The first collection becomes the default.
      """)

  @Argument(help: ArgumentHelp("What the collection is called", valueName: "name"))
  var name = "login"

  @OptionGroup var saying: SayingOptions
  @OptionGroup var keychain: KeychainOptions

  func run() throws(KeychainError) {
    var selection = keychain.selection
    selection.name = KeychainKind.secretService.rawValue
    let open = try selection.chooseOrExec().open()
    guard let service = open.secretService else {
      throw .failure(
        "llavero itself provides the Secret Service, and programs make its collections", status: .usage)
    }
    let passphrases = selection.passphraseSources(for: .keyring(prompt: "Password of the keyring: "))
    do throws(KeychainError) {
      try service.createCollection(name, isKnown: keychain.passphraseFd != nil) { () throws(KeychainError) in
        try passphrases.newPassphrase()
      }
    } catch .duplicateItem {
      throw .failure("there is a collection '\(name)' already", status: .nothingMatched)
    } catch .collectionLocked {
      throw .failure(
        "the collection '\(name)' was not made: its service showed no prompt, or it was dismissed",
        hint: "on a terminal gnome-keyring takes the password from here", status: .keychain)
    }
    saying.say("made the collection '\(name)'")
  }
}
