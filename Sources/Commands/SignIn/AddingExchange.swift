import ArgumentParser
import Bytes
import CredentialProtocols
import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import SignIn
import ToolCommands

/// The options of `llavero add` for the exchange of a job's token (RFC 8693).
struct ExchangeOptions: ParsableArguments {
  @Option(
    "Get tokens there for the token of a job, whenever they are needed, instead of keeping a secret",
    value: "url")
  var exchange: String?

  @Option("The file in which the job finds its token", value: "file")
  var tokenFile: String?

  @Option("The environment variable in which the job finds its token", value: "name")
  var tokenVariable: String?

  @Option("For whom the new token is to be", value: "text")
  var audience: String?

  @Option("What the new token is to be good for", value: "scopes")
  var scope: String?

  @Option("The client, where the server wants one", value: "id")
  var clientId: String?

  func validate() throws {
    if exchange == nil, [tokenFile, tokenVariable, audience, scope, clientId].contains(where: { $0 != nil }) {
      throw ValidationError(
        "--token-file, --token-variable, --audience, --scope and --client-id go with --exchange.")
    }
    if exchange != nil, (tokenFile == nil) == (tokenVariable == nil) {
      throw ValidationError("--exchange needs one of --token-file and --token-variable.")
    }
  }
}

struct AddingExchange {
  /// The source of the new tokens.
  let endpoint: String
  let options: ExchangeOptions

  /// The user name for the tokens if none is given: git servers take any.
  private static let account: ByteString = "oauth2"

  /// Keeps the exchange, and an item for its tokens.
  ///
  /// - Returns: the item for the tokens, and whether a keychain had it already.
  func add(
    for place: NamedPlace, isUpdate: Bool, to open: OpenKeychain
  ) throws(KeychainError) -> (item: Item, wasThere: Bool) {
    guard case .internetPassword(var key) = try place.keyToSignIn(), let url = key.url(),
      SignInPlace(url)?.isOfMail == false
    else {
      throw .failure("such tokens are for a place that begins with https://", status: .usage)
    }
    guard let tokenEndpoint = EndpointURL(typed: endpoint) else {
      let key = try? NamedPlace(url: endpoint).key()
      throw key?.refusalOfName
        ?? KeychainError(
          "--exchange needs an address that begins with https://, without a password in it", status: .usage)
    }
    key.account = key.account ?? Self.account
    var exchange = TokenExchange(try source(), at: tokenEndpoint)
    exchange.audience = options.audience
    exchange.scope = options.scope
    exchange.clientID = options.clientId
    do throws(KeychainError) {
      let approved = ApprovedExchanges(in: try VaultLocation().stateFolder)
      // A keychain that can't be asked now doesn't keep anybody from having their own.
      if let present = (try? Self.item(of: exchange, url, key, in: open.keychain)) ?? nil,
        open.keepsMinting(besides: present)
      {
        StandardStreams.warn(try approved.approve(exchange, for: url))
        StandardStreams.say("noted; a keychain has the same for \(url) already")
        return (present, true)
      }
      let minting = KeptMinting.exchange(exchange)
      let item = try minting.save(url, for: key, isUpdate: isUpdate, in: open.own)
      if case .exchange(let exchange) = minting {
        StandardStreams.warn(try approved.approve(exchange, for: url))
      }
      return (item, false)
    } catch .duplicateItem {
      throw .thereIsElse(for: url)
    }
  }

  /// The item for this very exchange's tokens, if a keychain has it already, for example from others who share that.
  private static func item(
    of exchange: borrowing TokenExchange, _ url: String, _ key: InternetPassword,
    in keychain: any KeychainStore
  ) throws(KeychainError) -> Item? {
    guard case .exchange(let present)? = try KeptMinting.find(url, in: keychain),
      present.encoded.isEqual(to: exchange.encoded)
    else { return nil }
    var place = key
    place.account = nil
    return try keychain.items(matching: try ItemQuery(for: .internetPassword(place))).first { item in
      guard case .internetPassword(let other) = item.key else { return false }
      return item.isMinted && other.url() == url
    }
  }

  private func source() throws(KeychainError) -> TokenExchange.Source {
    if let name = options.tokenVariable {
      let isName = !name.isEmpty && name.utf8.allSatisfy { 0x21...0x7e ~= $0 && $0 != UInt8(ascii: "=") }
      guard isName else { throw .failure("\(name) isn't the name of a variable", status: .usage) }
      return .variable(name)
    }
    guard let path = options.tokenFile, path.hasPrefix("/") else {
      throw .failure(
        "the file is found from any folder only by its whole path", hint: "let it begin with /",
        status: .usage)
    }
    return .file(path)
  }
}

extension KeychainError {
  /// The failure to add a source of tokens for a place that has a login or another source.
  static func thereIsElse(for url: String) -> KeychainError {
    KeychainError(
      "there is something else for \(url) already", hint: "with --update, this takes its place",
      status: .nothingMatched)
  }
}
