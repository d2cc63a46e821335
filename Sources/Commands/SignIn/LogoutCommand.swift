import ArgumentParser
import EncryptedFile
import Keychain
import KeychainChoice
import SignIn
import ToolCommands

struct LogoutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "Forget a token, and have the service forget it too",
    discussion: """
      Where the service offers it, the token is revoked there first, so that nobody can use a copy of it. Where it \
      doesn't, the token is only deleted here, and you are told. Nothing is asked. A password that you typed is \
      refused; 'llavero delete' deletes it.

        llavero logout https://gitlab.example.com
        llavero logout https://gitlab.example.com --account alice --no-revoke
      """)

  @Argument("Where you are signed in: https://HOST[:PORT][/PATH], or just HOST", value: "url")
  var url: String

  @Option("The user name that the token is kept for", value: "name")
  var account: String?

  @Option("The tool that the token is for, such as docker (default: git and people)", value: "tool")
  var domain: String?

  @Flag(help: "Only delete the token here; the service isn't asked")
  var noRevoke = false

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let open = try self.keychain.open()
    let item: Item
    do throws(KeychainError) {
      item = try NamedPlace(url: url, account: account, domain: domain).item(in: open.keychain)
    } catch {
      throw try output.withArray(error)
    }
    let signingOut = SigningOut(stateFolder: open.location.stateFolder)
    let outcome = try signingOut.perform(item, revokes: !noRevoke, in: open.keychain)
    switch outcome {
    case .noToken:
      throw .failure(
        "\(item.name) is a password, not a sign-in",
        hint: "\(commandOf: ["llavero", "delete", url] + words(naming: item)) deletes it", status: .usage)
    case .isGone: throw KeychainError.itemNotFound
    case .isReplaced(let isRevoked):
      throw .failure(
        (isRevoked ? "the token was revoked, but another" : "another token")
          + " was stored meanwhile, which is still kept", hint: "run this again", status: .keychain)
    case .failed(let message):
      throw .failure(
        "the token was not revoked, and is still kept: \(message)",
        hint: "with --no-revoke it is only deleted here", status: .keychain)
    case .deleted(let isRevoked):
      try output.write([item.report])
      StandardStreams.say(
        isRevoked
          ? "the token for \(item.name) is revoked, and deleted here"
          : "the token for \(item.name) is deleted here; a copy of it works until it expires")
    }
  }

  /// The options that name just this item of its place.
  private func words(naming item: Item) -> [String] {
    var words: [String] = []
    if let account = item.key.account { words += ["--account", "\(account)"] }
    if case .internetPassword(let key) = item.key, let domain = key.securityDomain {
      words += ["--domain", "\(domain)"]
    }
    return words + keychain.words
  }
}
