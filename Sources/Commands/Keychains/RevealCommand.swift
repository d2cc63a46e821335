import ArgumentParser
import Bytes
import Keychain
import KeychainChoice
import Terminals
import ToolCommands

/// `llavero keychain reveal`
struct RevealCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reveal",
    abstract: "Use items again that are hidden on this machine",
    discussion: """
      If a server refuses a login of a keychain that others use, too, nothing is deleted: the item is hidden on this \
      machine until somebody changes it. If it was refused for another reason, such as a failure of the server, show it \
      again:

        llavero keychain reveal team https://git.example.com
        llavero keychain reveal team

      'llavero explain' says what is hidden. The exit status is 1 if nothing was.
      """)

  @Argument(help: ArgumentHelp("The keychain", valueName: "name"))
  var name: String

  @Argument(
    help: ArgumentHelp(
      "Where the item logs in (default: all that is hidden of the keychain)", valueName: "url"))
  var url: String?

  @Option(help: ArgumentHelp("The user name", valueName: "name"))
  var account: String?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if url == nil, account != nil { throw ValidationError("--account needs a URL.") }
  }

  func run() throws {
    let listed = try ListedKeychain.named(name)
    guard listed.kind.isShared else {
      throw Failure("nothing of the keychain \(name) is ever hidden, for nobody else uses it", status: .usage)
    }
    let selected = try KeychainSelection(mayPrompt: true).choose()
    guard let list = try selected.open().list, list.names.contains(name) else {
      throw Failure(
        "the keychain \(name) isn't asked",
        hint: "see which are with 'llavero keychain list', and whether LLAVERO_KEYCHAIN is set",
        status: .usage)
    }
    var items: [Item]
    if let url {
      let place = NamedPlace(
        url: url, service: nil, account: account, domain: nil, authenticationType: nil)
      items = try place.items(in: list)
    } else {
      items = try explaining(list.items(matching: .all))
    }
    items.removeAll { !$0.isHidden || $0.keychain != name }
    if items.isEmpty {
      throw Failure(
        url.map { "nothing of the keychain \(name) is hidden for \($0)" }
          ?? "nothing of the keychain \(name) is hidden",
        status: .nothingMatched)
    }
    try explaining(list.reveal(items))
    try StandardStreams.write(output.json ? ItemOutput.json(items) : Secret(ItemOutput.table(items).shown))
  }
}
