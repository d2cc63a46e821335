package import Bytes

/// A request from a program that holds the keychain to the companion with the network. It is passed by descriptor,
/// because it contains secrets.
package struct SignInWork: ~Copyable, JSONMessage {
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

  package private(set) var task: Task
  /// The place, as a URL without an account.
  package private(set) var url: String
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

  package var hasProxyLogin: Bool { proxyLogin != nil }

  /// Reads JSON.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    self.init(.renew, at: "")
    try read(text)
  }

  package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    try members.need("task", "url")
    try members.word("task", &task)
    try members.member("url", &url)
    try members.object("client", &client) { ClientRegistration() }
    try members.member("refresh_token", &refreshToken)
    try members.member("access_token", &accessToken)
    try members.object("github_app", &app) { GitHubApp(identifier: "", key: Secret()) }
    try members.object("exchange", &exchange) { TokenExchange() }
    try members.member("subject_token", &subjectToken)
    try members.object("proxy_login", &proxyLogin) { ProxyLogin("", account: "", password: Secret()) }
    try members.member("account", &account)
    try members.texts("headers", &headers)
    try members.word("way", &way)
    try members.member("client_id", &options.clientID)
    try members.member("scope", &options.scope)
    try members.mark("only_if_configured", &onlyIfConfigured)
    try members.mark("may_use_terminal", &mayUseTerminal, usually: true)
  }
}
