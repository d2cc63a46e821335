import ArgumentParser
import Bytes
import CredentialProtocols
import EncryptedFile
import Keychain
import KeychainChoice
import OpenBao
import SignIn
import ToolCommands

struct LoginCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Sign in by browser or code, and keep a token that renews itself",
    discussion: """
      Signs in by OAuth: in your browser, or over ssh with a code that you type on any device. The token is kept like \
      a password. If it has a refresh token, it is renewed when git or another tool asks for it and it has expired.

        llavero login https://gitlab.example.com
        llavero login https://github.com --device --client-id Ov23liEXAMPLE
        llavero login smtp://smtp.gmail.com:587 --account you@gmail.com
        llavero login --list
        llavero login --keychain fleet

      Most services want you to register a client with them once; without that, this command says where. Git's \
      configuration names the client and its secret, in the settings of Git Credential Manager and \
      git-credential-oauth. See llavero-login(1).

      With --keychain alone, logs in to the server of a keychain in OpenBao or Vault, with its own options.
      """)

  @Argument("Where to sign in: https://HOST[:PORT][/PATH], or just HOST", value: "url")
  var url: String?

  @Flag(help: "Show the known services and what each needs")
  var list = false

  @Flag(help: "Sign in with the browser of this machine")
  var browser = false

  @Flag(help: "Sign in with a code that you type on any device")
  var device = false

  @Flag(help: "Sign in with any browser, and paste the address that it ends at")
  var paste = false

  @Option("The user name to keep the token for", value: "name")
  var account: String?

  @Option("The tool that the token is for, such as docker (default: git and people)", value: "tool")
  var domain: String?

  @Option("What the token may do, in the service's words", value: "words")
  var scope: String?

  @Option("A client without a secret that you registered at the service", value: "id")
  var clientID: String?

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if list, url != nil { throw ValidationError("Name either a URL or --list.") }
    if !list, url == nil, keychain.keychain == nil {
      throw ValidationError("Name a URL, --list, or with --keychain a keychain in OpenBao.")
    }
    if url == nil,
      browser || device || paste || account != nil || domain != nil || scope != nil || clientID != nil
    {
      throw ValidationError("The other options go with a URL.")
    }
    if [browser, device, paste].filter({ $0 }).count > 1 {
      throw ValidationError("Choose one of --browser, --device and --paste.")
    }
  }

  func run() throws(KeychainError) {
    if list { return try KnownServicesOutput.write(output) }
    guard url != nil else { return try logInToServer() }
    guard case .internetPassword(let key) = try place.keyToSignIn() else { return }
    guard keychain.selection.mayAskPerson else {
      throw .failure(
        "signing in asks questions, and none are allowed here",
        hint: "sign in on a terminal first; 'llavero help ci' says how jobs log in", status: .keychain)
    }
    let way: SignInMethod.Way? = browser ? .browser : device ? .device : paste ? .paste : nil
    let open = try self.keychain.open()
    let signingIn = try SigningIn.opened(for: open)
    if way == nil, Terminal() == nil, !Program.hasDisplay {
      throw .failure(
        "nobody can be asked here, because there is neither a terminal nor a display",
        hint: key.url().flatMap { SignInPlace($0) }.flatMap(KnownService.at)?.hasDeviceCode == false
          ? "sign in on a terminal"
          : "sign in on a terminal; or with --device, which prints a code to type on another device",
        status: .keychain)
    }
    var wish = SigningIn.Wish()
    wish.way = way
    wish.options.clientID = clientID
    wish.options.scope = scope
    let outcome = try signingIn.perform(wish, for: key, in: open.keychain)
    switch outcome {
    case .stored(let item, let expiry, let isRenewable):
      open.remember()
      if output.json {
        return try output.write(item.report(expiry: expiry, renewsItself: isRenewable))
      }
      StandardStreams.say("\(Self.said(item, expiry, isRenewable))")
      if let named = key.account, let kept = item.key.account, kept != named {
        StandardStreams.say(
          "the token is kept for \(kept), the name that the service wants, and answers for \(named) and any other name"
        )
      }
    case .isThere: break
    case .unknownPlace:
      throw .failure(
        "\(url ?? "") is not a place to sign in to",
        hint: "it has to begin with https://, or with imaps://, smtp:// and the like for mail",
        status: .usage)
    case .failed(let message, let hint):
      throw .failure(message, hint: hint.map { "\(prose: $0)" }, status: .keychain)
    }
  }

  private func logInToServer() throws(KeychainError) {
    let open = try self.keychain.open()
    guard let server = open.own as? any ServerKeychain else {
      throw .failure(
        "the keychain \(open.choice.name) is on no server", hint: "name a URL to sign in to a service",
        status: .usage)
    }
    let expiry = try server.logIn()
    let end = expiry.map {
      "; the token expires in \(DurationText.text(max(0, Int($0 - Timestamp.now.seconds))))"
    }
    StandardStreams.say("you are logged in to the server of \(open.choice.name)\(end ?? "")")
  }

  private var place: NamedPlace { NamedPlace(url: url, account: account, domain: domain) }

  private static func said(_ item: Item, _ expiry: Int64?, _ isRenewable: Bool) -> String {
    let login = "you are signed in: \(item.name)"
    guard let expiry else { return isRenewable ? login + "; the token renews itself" : login }
    let left = max(0, Int(expiry - Timestamp.now.seconds))
    let end = left == 0 ? "has expired already" : "expires in \(DurationText.text(left))"
    return isRenewable ? "\(login); the token \(end), and renews itself" : "\(login); the token \(end)"
  }
}

extension SigningIn {
  /// The sign-in for an open keychain.
  ///
  /// - Throws: ``KeychainError`` if the companion isn't installed, or is switched off, and for a keychain of another
  ///   machine: the renewal data is kept beside a token, and goes to no other host.
  static func opened(for open: OpenKeychain) throws(KeychainError) -> SigningIn {
    if open.choice.kind.isOfOtherMachine {
      throw .failure(
        "nobody can sign in through a keychain that is forwarded to this machine",
        hint: "log in on the keychain's machine; its logins also answer here", status: .keychain)
    }
    guard let signingIn = SigningIn(stateFolder: open.location.stateFolder) else {
      throw .failure(
        "llavero-network can't be used, which signs in\(NetworkCompanion.obstacle.map { ": \($0.reason)" } ?? "")",
        hint: "\(prose: NetworkCompanion.remedy)", status: .keychain)
    }
    return signingIn
  }
}
