package import Bytes

/// A request from a program that holds the keychain to the companion with the network. It is passed by descriptor,
/// because it contains secrets.
package struct SignInWork: ~Copyable {
  package enum Task: String {
    /// Get new tokens with a refresh token, without asking anybody.
    case renew
    case signIn = "sign-in"
    case revoke
    case describe
    /// Get a token for an installation of a GitHub App.
    case install
    case exchange
  }

  package let task: Task
  /// The place, as a URL without an account.
  package let url: String
  /// The client that got the tokens; `nil` to find it in the configuration.
  package var client: ClientRegistration?
  package var refreshToken: Secret?
  /// The access token, only needed for revoking.
  package var accessToken: Secret?
  package var app: GitHubApp?
  /// The exchange of a job's token.
  package var exchange: TokenExchange?
  package var subjectToken: Secret?
  /// The account to sign in, if given.
  package var account: ByteString?
  package var headers: [String] = []
  /// How to sign in, if chosen by the person.
  package var way: SignInMethod.Way?
  /// Options of the command line, which take precedence over git's settings.
  package var options = SignInMethod.Options()
  /// Whether to sign in only if git's configuration or the service itself says how, without asking other servers.
  package var onlyIfConfigured = false
  package var mayUseTerminal = true
  /// The keychain's login for a proxy on the way.
  package var proxyLogin: ProxyLogin?

  /// The largest work, in bytes: two tokens with escapes, and a registration.
  package static let maximumSize = 1 << 20

  package init(_ task: Task, at url: String) {
    self.task = task
    self.url = url
  }

  package var hasProxyLogin: Bool {
    switch proxyLogin {
    case .some: true
    case .none: false
    }
  }

  package var encoded: Secret {
    var json = JSONWriter(capacity: 2048)
    json.beginObject()
    json.member("task", ByteString(task.rawValue))
    json.member("url", ByteString(url))
    switch client {
    case .some(let client):
      json.beginObject("client")
      client.write(to: &json)
      json.endObject()
    case .none: break
    }
    switch refreshToken {
    case .some(let token): json.member("refresh_token", token)
    case .none: break
    }
    switch accessToken {
    case .some(let token): json.member("access_token", token)
    case .none: break
    }
    switch app {
    case .some(let app):
      json.beginObject("github_app")
      app.write(to: &json)
      json.endObject()
    case .none: break
    }
    switch exchange {
    case .some(let exchange):
      json.beginObject("exchange")
      exchange.write(to: &json)
      json.endObject()
    case .none: break
    }
    switch subjectToken {
    case .some(let token): json.member("subject_token", token)
    case .none: break
    }
    switch proxyLogin {
    case .some(let login):
      json.beginObject("proxy_login")
      login.write(to: &json)
      json.endObject()
    case .none: break
    }
    json.member("account", account)
    json.beginArray("headers")
    for header in headers { json.element(ByteString(header)) }
    json.endArray()
    json.member("way", way.map { ByteString($0.rawValue) })
    json.member("client_id", options.clientID.map { ByteString($0) })
    json.member("scope", options.scope.map { ByteString($0) })
    if onlyIfConfigured { json.member("only_if_configured", true) }
    if !mayUseTerminal { json.member("may_use_terminal", false) }
    json.endObject()
    return json.finish()
  }

  /// Reads JSON from ``encoded``.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var task: Task?
    var url: String?
    var client: ClientRegistration?
    var refreshToken: Secret?
    var accessToken: Secret?
    var app: GitHubApp?
    var exchange: TokenExchange?
    var subjectToken: Secret?
    var account: ByteString?
    var headers: [String] = []
    var way: SignInMethod.Way?
    var options = SignInMethod.Options()
    var onlyIfConfigured = false
    var mayUseTerminal = true
    var proxyLogin: ProxyLogin?
    try JSONReader.writtenMembers(of: text) { (member) throws(JSONReader.Malformed) in
      switch member.name {
      case "task": task = Task(rawValue: try member.text())
      case "url": url = try member.text()
      case "client": client = try ClientRegistration(json: member.value.raw)
      case "refresh_token": refreshToken = try member.secret()
      case "access_token": accessToken = try member.secret()
      case "github_app": app = try GitHubApp(json: member.value.raw)
      case "exchange": exchange = try TokenExchange(json: member.value.raw)
      case "subject_token": subjectToken = try member.secret()
      case "account": account = try member.bytes()
      case "headers":
        try JSONReader.elements(of: member.value.raw) { (header) throws(JSONReader.Malformed) in
          headers.append("\(try header.string())")
        }
      case "way": way = SignInMethod.Way(rawValue: try member.text())
      case "client_id": options.clientID = try member.text()
      case "scope": options.scope = try member.text()
      case "only_if_configured": onlyIfConfigured = try member.value.bool()
      case "may_use_terminal": mayUseTerminal = try member.value.bool()
      case "proxy_login": proxyLogin = try ProxyLogin(json: member.value.raw)
      default: break
      }
    }
    guard let task, let url else { throw JSONReader.Malformed() }
    self.init(task, at: url)
    self.client = client
    self.refreshToken = refreshToken
    self.accessToken = accessToken
    self.app = app
    self.exchange = exchange
    self.subjectToken = subjectToken
    self.account = account
    self.headers = headers
    self.way = way
    self.options = options
    self.onlyIfConfigured = onlyIfConfigured
    self.mayUseTerminal = mayUseTerminal
    self.proxyLogin = proxyLogin
  }
}
