package import Bytes

/// The answer of the companion program that has the network.
package enum SignInOutcome: ~Copyable {
  case tokens(SignedIn)
  case minted(MintedToken)
  /// It is done, and there is nothing to keep.
  case done
  case described(SignInDescription)
  /// The refresh token isn't valid any more.
  case refreshRefused
  /// It isn't known how to sign in there.
  case unknownPlace
  /// It failed. `pause` is for how many seconds the server wants to be left alone.
  case failed(message: String, hint: String?, pause: Int)
  /// A proxy on the way demands a login; nothing was sent through it. `url` is its ``ProxyAddress/url``; the message is
  /// for a missing login.
  case proxyLogin(url: String, message: String, hint: String?)

  /// The largest outcome, in bytes.
  package static let maximumSize = 1 << 20

  package var encoded: Secret {
    var message = OutcomeMessage()
    switch self {
    case .tokens(let tokens):
      message.outcome = .tokens
      message.accessToken = tokens.accessToken.copy()
      message.refreshToken = tokens.copyOfRefreshToken()
      message.expiry = tokens.expiry
      message.account = tokens.account
      message.path = tokens.path
      message.client = tokens.client.copy()
    case .minted(let minted):
      message.outcome = .minted
      message.accessToken = minted.token.copy()
      message.expiry = minted.expiry
    case .done: message.outcome = .done
    case .described(let description):
      message.outcome = .described
      message.description = description
    case .refreshRefused: message.outcome = .refreshRefused
    case .unknownPlace: message.outcome = .unknownPlace
    case .failed(let text, let hint, let pause):
      message.outcome = .failed
      (message.text, message.hint, message.pause) = (text, hint, pause)
    case .proxyLogin(let url, let text, let hint):
      message.outcome = .proxyLogin
      (message.proxy, message.text, message.hint) = (url, text, hint)
    }
    return message.encode()
  }

  /// Reads JSON from ``encoded``.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var message = OutcomeMessage()
    try message.read(text)
    switch message.outcome {
    case .tokens?:
      guard let client = message.client.take() else { throw JSONReader.Malformed() }
      var tokens = SignedIn(
        accessToken: try message.takeAccessToken(), refreshToken: message.refreshToken.take(),
        expiry: message.expiry, account: message.account, client: client)
      tokens.path = message.path
      self = .tokens(tokens)
    case .minted?:
      self = .minted(MintedToken(token: try message.takeAccessToken(), expiry: message.expiry))
    case .done?: self = .done
    case .described?:
      guard let description = message.description else { throw JSONReader.Malformed() }
      self = .described(description)
    case .refreshRefused?: self = .refreshRefused
    case .unknownPlace?: self = .unknownPlace
    case .failed?:
      guard let text = message.text else { throw JSONReader.Malformed() }
      self = .failed(message: text, hint: message.hint, pause: max(0, message.pause))
    case .proxyLogin?:
      guard let proxy = message.proxy, let text = message.text else { throw JSONReader.Malformed() }
      self = .proxyLogin(url: proxy, message: text, hint: message.hint)
    case nil: throw JSONReader.Malformed()
    }
  }
}

private struct OutcomeMessage: ~Copyable, JSONMessage {
  enum Outcome: String {
    case tokens, minted, done, described
    case refreshRefused = "refresh-refused"
    case unknownPlace = "unknown-place"
    case failed
    case proxyLogin = "proxy-login"
  }

  var outcome: Outcome?
  var accessToken: Secret?
  var refreshToken: Secret?
  var expiry: Int64?
  var account: ByteString?
  var path: ByteString?
  var client: ClientRegistration?
  var description: SignInDescription?
  var proxy: String?
  var text: String?
  var hint: String?
  var pause = 0

  mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    try members.word("outcome", &outcome)
    try members.member("access_token", &accessToken)
    try members.member("refresh_token", &refreshToken)
    try members.member("expires_at", &expiry)
    try members.member("account", &account)
    try members.member("path", &path)
    try members.object("client", &client) { ClientRegistration() }
    try members.object("sign_in", &description) { SignInDescription(.browser, at: "") }
    try members.member("proxy", &proxy)
    try members.member("message", &text)
    try members.member("hint", &hint)
    try members.member("pause", &pause, usually: 0)
  }

  /// The access token, which is never empty.
  mutating func takeAccessToken() throws(JSONReader.Malformed) -> Secret {
    guard let token = accessToken.take(), !token.isEmpty else { throw JSONReader.Malformed() }
    return token
  }
}

/// New tokens, with their registration.
package struct SignedIn: ~Copyable {
  package let accessToken: Secret
  /// The refresh token; `nil` if the server sent none, so that the former one stays (RFC 6749 section 6).
  package let refreshToken: Secret?
  /// When the access token expires, in seconds since the Unix epoch, counted from before the request; `nil` if unknown.
  package let expiry: Int64?
  /// The user name for the token.
  package let account: ByteString?
  /// The path of the setting that names the client; `nil` for the whole server.
  package var path: ByteString?
  package let client: ClientRegistration

  package borrowing func copyOfRefreshToken() -> Secret? { refreshToken.lend { $0.copy() } }

  package init(
    accessToken: consuming Secret, refreshToken: consuming Secret?, expiry: Int64?, account: ByteString?,
    client: consuming ClientRegistration
  ) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.expiry = expiry
    self.account = account
    self.client = client
  }
}
