import ArgumentParser
import EncryptedFile
import Keychain
import KeychainChoice
import ToolCommands

struct RevealCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reveal",
    abstract: "Use items again that are hidden on this machine",
    discussion: """
      When a server refuses a login from a keychain that others use, too, llavero doesn't delete it, but hides it on \
      this machine until somebody changes it. If the login was right, and the server failed, for example, show it again:

        llavero keychain reveal team https://git.example.com
        llavero keychain reveal team

      'llavero explain' says what is hidden. The exit status is 1 if nothing was.
      """)

  @Argument("The keychain", value: "name")
  var name: String

  @Argument("Where the item logs in (default: all that is hidden of the keychain)", value: "url")
  var url: String?

  @Option("The user name", value: "name")
  var account: String?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if url == nil, account != nil { throw ValidationError("--account needs a URL.") }
  }

  func run() throws(KeychainError) {
    let listed = try ListedKeychain.named(name)
    guard listed.kind.isShared else {
      throw .failure("the keychain \(name) hides nothing, because nobody else uses it", status: .usage)
    }
    guard let url else { return try revealAll() }
    var selection = KeychainSelection(mayPrompt: true)
    selection.name = name
    let open = try selection.chooseOrExec().open()
    guard let list = open.list else { return }
    let place = NamedPlace(url: url, service: nil, account: account, domain: nil, authenticationType: nil)
    var items = try place.items(in: list).filter(\.isHidden)
    if items.isEmpty {
      try output.write(["revealed": 0] as JSONObject)
      throw .failure("nothing of the keychain \(name) is hidden for \(url)", status: .nothingMatched)
    }
    try list.reveal(items)
    for index in items.indices { items[index].isHidden = false }
    let report: JSONObject = ["revealed": items.count, "items": items.map(\.report)]
    try output.write(report, or: ItemOutput.table(items))
  }

  /// Shows everything of the keychain again, even if that can't list its items.
  private func revealAll() throws(KeychainError) {
    let hidden = HiddenItemFile(
      in: try VaultLocation().stateFolder, tell: StandardStreams.warn)
    let count = try hidden.hidden(in: name).count
    if count > 0 { try hidden.revealAll(in: name) }
    try output.write(["revealed": count] as JSONObject)
    if count == 0 { throw .failure("nothing of the keychain \(name) is hidden", status: .nothingMatched) }
    if !output.json {
      StandardStreams.say(
        "\(countText(count, "item")) of the keychain \(name) \(count == 1 ? "answers" : "answer") again")
    }
  }
}
