import CredentialProtocols
import Keychain
import SignIn
import ToolCommands

/// Messages about signing in.
enum SignInText {
  struct Text {
    let message: String
    var hint: String?
  }

  /// - Parameters:
  ///   - endpoint: the server that was asked, which may be another than the place's.
  ///   - place: where to sign in; settings are for it.
  ///   - instead: a hint with the other ways to sign in.
  static func text(
    _ fault: SignInFault, from endpoint: EndpointURL, at place: SignInPlace, instead: String? = nil
  ) -> Text {
    let host = endpoint.hostAndPort
    let settings = "credential.\(place.origin)"
    return switch fault {
    case .transport(let fault): text(fault, from: endpoint)
    case .reply(let fault): Text(message: "\(host) gave an answer that can't be used: \(reason(fault))")
    case .refused(let refusal): text(refusal, at: host, settings, instead)
    case .noFlow:
      Text(
        message: "\(host) has no way to sign in of this kind",
        hint: instead
          ?? "git's configuration names neither \(settings).oauthAuthorizeEndpoint nor oauthDeviceEndpoint")
    case .noTerminal:
      Text(
        message: "signing in to \(host) needs a terminal, and there is none here",
        hint: instead ?? "run this on a terminal: llavero login \(place.origin)")
    case .wrongIssuer:
      Text(
        message: "the browser came back with an answer of another server than \(host); it was not used",
        hint:
          "if nobody is attacking you, \(settings).oauthTokenEndpoint may name the wrong server"
      )
    case .tooLate: Text(message: "nobody signed in to \(host) in time", hint: "try again")
    case .cancelled: Text(message: "you were not signed in to \(host)")
    }
  }

  static func outcome(_ demand: ProxyDemand) -> SignInOutcome {
    switch demand {
    case .login(let proxy):
      let hint: Hint =
        "store it with \(command: "llavero", "add", proxy.naming("USER")); nothing stored was changed"
      return .proxyLogin(
        url: proxy.url, message: "the proxy \(proxy.url) demands a login (status 407)", hint: hint.description
      )
    case .anotherThanConfigured(let proxy):
      return .failed(
        message: "the proxy \(proxy.url) refuses the login in its address",
        hint: "see http.proxy in git's configuration, and the variable https_proxy", pause: 0)
    case .anotherThanKept(let proxy, let account):
      let hint: Hint = "replace it with \(command: "llavero", "add", "--update", proxy.naming(account))"
      return .failed(
        message: "the proxy \(proxy.bare) refuses the login of \(account) that the keychain has",
        hint: hint.description, pause: 0)
    }
  }

  private static func text(_ fault: TransportFault, from endpoint: EndpointURL) -> Text {
    let host = endpoint.hostAndPort
    return switch fault {
    case .unreachable(let reason):
      Text(
        message: "cannot reach \(host): \(reason)",
        hint: isWhole(endpoint.host)
          ? "nothing stored was changed; try again when the network is back"
          : "give the host's whole name, such as github.com; if this is all of it, try again when the network is back"
      )
    case .proxyAuthentication:
      Text(
        message: "the proxy on the way to \(host) demands a login (status 407)",
        hint: "git takes it in http.proxy, as http://USER@PROXY:PORT; nothing stored was changed")
    case .unsafeConnection(let reason):
      Text(
        message: "the connection to \(host) isn't safe: \(reason)",
        hint: "a certificate authority of your own goes into http.\(endpoint.origin).sslCAInfo")
    case .tooLarge: Text(message: "the answer of \(host) is larger than \(HTTPReply.maximumBody / 1024) KiB")
    case .tooSlow(let milliseconds):
      Text(
        message: "\(host) gave no whole answer within \(milliseconds / 1000) s",
        hint: "nothing stored was changed; try again later")
    case .cancelled: Text(message: "you were not signed in to \(host)")
    }
  }

  /// Whether a host is more than the first part of a name.
  private static func isWhole(_ host: String) -> Bool {
    host.contains { $0 == "." || $0 == ":" } || EndpointURL.isLoopback(host)
  }

  private static func text(
    _ refusal: TokenRefusal, at host: String, _ settings: String, _ instead: String?
  ) -> Text {
    let words = refusal.explanation.map { "\(refusal.code): \($0)" } ?? refusal.code
    let hint: String? =
      switch refusal.kind {
      case .denied: nil
      case .codeExpired: "try again"
      case .invalidClient:
        "see \(settings).oauthClientId and oauthClientSecret in git's configuration"
      case .invalidScope: "see \(settings).oauthScopes in git's configuration, or pass --scope"
      case .unsupported: instead
      case .temporary: "nothing stored was changed; try again later"
      default: nil
      }
    return Text(
      message: refusal.kind == .denied ? "\(host) says that you refused" : "\(host) refused (\(words))",
      hint: hint)
  }

  private static func reason(_ fault: ReplyFault) -> String {
    switch fault {
    case .notUnderstood(let status): "it is neither JSON nor a form (status \(status))"
    case .repeated(let name): "it has \(name) twice"
    case .unusable(let name): "its \(name) is missing or not allowed"
    case .unexpectedStatus(let status): "its status is \(status)"
    }
  }

  static func text(_ fault: NoSignInMethod, at place: SignInPlace, way: SignInMethod.Way? = nil) -> Text {
    let host = place.hostAndPort
    switch fault {
    case .unknownPlace:
      return Text(
        message: "\(host) isn't a known sign-in service",
        hint:
          "'llavero login --list' shows the services that are known; llavero-login(1) has the settings for others"
      )
    case .noClient(let service?, _) where service.tokenPage(at: place) != nil:
      let imported = service.importSource.map { "; 'llavero import \($0)' takes over the login of \($0)" }
      return Text(
        message: notRegistered(at: service.name, place),
        hint:
          "'llavero add \(place.origin)' says where to make a token, and keeps it\(imported ?? ""); to sign in "
          + "instead, register a client of your own: see 'llavero login --list'")
    case .noClient(let service, let root):
      let page = service.flatMap { root.below($0.registration)?.text }
      var steps = "register llavero there" + (page.map { ": \($0)" } ?? "")
      if let service {
        steps += ", redirect URI \(service.redirectURI), \(service.choices)"
      }
      return Text(
        message: notRegistered(at: service?.name ?? host, place),
        hint: steps + "; then: git config --global \(place.settingsSection).oauthClientId ID"
          + (service.map { secretStep($0, way) } ?? ""))
    case .unusableSetting("provider"):
      return Text(
        message:
          "credential.\(place.origin).provider in git's configuration names a service that llavero doesn't know",
        hint: "use one of \(KnownService.all.map(\.provider).joined(separator: ", ")), or generic")
    case .unusableSetting(let name):
      return Text(
        message: "credential.\(place.origin).\(name) in git's configuration can't be used",
        hint: "an address has to begin with https://, or be a path on \(host)")
    case .fault(let fault): return text(fault, from: place.server, at: place)
    }
  }

  private static func notRegistered(at service: String, _ place: SignInPlace) -> String {
    "llavero is not registered at \(service), so nobody can sign in to \(place.hostAndPort) through it"
  }

  private static func secretStep(_ service: KnownService, _ way: SignInMethod.Way?) -> String {
    guard service.needsSecret, way != .device || !service.sparesSecretForCodes else { return "" }
    return ", and oauthClientSecret likewise"
      + (way == nil && service.sparesSecretForCodes ? " unless you sign in with --device" : "")
  }

  /// The service would refuse the client at the end.
  static func noClientSecret(at place: SignInPlace, _ service: KnownService) -> Text {
    Text(
      message: "\(service.name) wants the client's secret too, and no setting has it",
      hint: "git config --global \(place.settingsSection).oauthClientSecret SECRET"
        + (service.sparesSecretForCodes ? "; or sign in with --device, which needs none" : ""))
  }

  static func text(_ fault: GitHubAppFault, at place: SignInPlace) -> Text {
    let host = place.hostAndPort
    switch fault {
    case .unusableKey:
      return Text(
        message: "the key of the GitHub App can't be used",
        hint: "it has to be the private key that GitHub gave, an RSA key in PEM without a passphrase")
    case .noOwner:
      return Text(
        message: "no organisation is named",
        hint: "a GitHub App is for one of them: https://\(host)/ORGANISATION")
    case .notAccepted:
      return Text(
        message: "\(host) doesn't accept the GitHub App's proof (status 401)",
        hint:
          "the app's identifier and key have to belong together, and the clock of this machine has to be right"
      )
    case .notInstalled(let owner):
      return Text(message: "the GitHub App isn't installed at \(owner), or not for that repository")
    case .transport(let fault): return text(fault, from: place.server)
    case .reply(let fault):
      return Text(message: "\(host) gave an answer that can't be used: \(reason(fault))")
    case .status(let status):
      return Text(message: "\(host) gave no token (status \(status))", hint: "try again later")
    }
  }

  static func sayGuessed(_ service: KnownService, at place: SignInPlace) {
    let host = "\(place.scheme)://\(place.hostAndPort)"
    StandardStreams.say("nothing says where on \(place.hostAndPort) \(service.name) lies; \(host) is tried")
    StandardStreams.say(
      """
      hint: if it lies below a path: git config --global credential.\(host)/PATH.provider \(service.provider), and \
      useHttpPath true likewise
      """)
  }

  /// - Parameter setting: the setting that forbids asking.
  static func questionsForbidden(by setting: String, at place: SignInPlace) -> Text {
    Text(
      message: "\(setting) forbids asking you to sign in to \(place.hostAndPort)",
      hint: "sign in by hand: llavero login \(place.origin)")
  }

  /// A mail server wants the person's address beside the token.
  static func nobodyNamed(at place: SignInPlace) -> Text {
    Text(
      message: "mail servers want to know whose token it is, and no address is named",
      hint: "name yours: llavero login \(place.origin) --account you@example.com")
  }

  static func sayUnverified(_ url: EndpointURL) {
    StandardStreams.say(
      "the certificate of \(url.host) is not verified, because http.sslVerify is false; anybody on the way can read the token"
    )
  }
}
