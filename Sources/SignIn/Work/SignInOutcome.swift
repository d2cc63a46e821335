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
    var json = JSONWriter(capacity: 2048)
    json.beginObject()
    switch self {
    case .tokens(let tokens):
      json.member("outcome", "tokens")
      json.member("access_token", tokens.accessToken)
      switch tokens.refreshToken {
      case .some(let token): json.member("refresh_token", token)
      case .none: break
      }
      json.member("expires_at", tokens.expiry)
      json.member("account", tokens.account)
      json.member("path", tokens.path)
      json.beginObject("client")
      tokens.client.write(to: &json)
      json.endObject()
    case .minted(let minted):
      json.member("outcome", "minted")
      json.member("access_token", minted.token)
      json.member("expires_at", minted.expiry)
    case .done: json.member("outcome", "done")
    case .described(let description):
      json.member("outcome", "described")
      json.beginObject("sign_in")
      description.write(to: &json)
      json.endObject()
    case .refreshRefused: json.member("outcome", "refresh-refused")
    case .unknownPlace: json.member("outcome", "unknown-place")
    case .failed(let message, let hint, let pause):
      json.member("outcome", "failed")
      json.member("message", ByteString(message))
      json.member("hint", hint.map { ByteString($0) })
      json.member("pause", pause)
    case .proxyLogin(let url, let message, let hint):
      json.member("outcome", "proxy-login")
      json.member("proxy", ByteString(url))
      json.member("message", ByteString(message))
      json.member("hint", hint.map { ByteString($0) })
    }
    json.endObject()
    return json.finish()
  }

  /// Reads JSON from ``encoded``.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var outcome: ByteString?
    var access: Secret?
    var refresh: Secret?
    var expiry: Int64?
    var account: ByteString?
    var path: ByteString?
    var client: ClientRegistration?
    var message: String?
    var hint: String?
    var proxy: String?
    var description: SignInDescription?
    var pause = 0
    try JSONReader.writtenMembers(of: text) { (member) throws(JSONReader.Malformed) in
      switch member.name {
      case "outcome": outcome = try member.bytes()
      case "access_token": access = try member.secret()
      case "refresh_token": refresh = try member.secret()
      case "expires_at": expiry = try member.value.integer()
      case "account": account = try member.bytes()
      case "path": path = try member.bytes()
      case "client": client = try ClientRegistration(json: member.value.raw)
      case "message": message = try member.text()
      case "pause": pause = max(0, try member.value.integer())
      case "hint": hint = try member.text()
      case "proxy": proxy = try member.text()
      case "sign_in": description = try SignInDescription(json: member.value.raw)
      default: break
      }
    }
    switch outcome {
    case "tokens":
      guard let access, let client, !access.isEmpty else { throw JSONReader.Malformed() }
      var tokens = SignedIn(
        accessToken: access, refreshToken: refresh, expiry: expiry, account: account, client: client)
      tokens.path = path
      self = .tokens(tokens)
    case "minted":
      guard let access, !access.isEmpty else { throw JSONReader.Malformed() }
      self = .minted(MintedToken(token: access, expiry: expiry))
    case "done": self = .done
    case "described":
      guard let description else { throw JSONReader.Malformed() }
      self = .described(description)
    case "refresh-refused": self = .refreshRefused
    case "unknown-place": self = .unknownPlace
    case "failed":
      guard let message else { throw JSONReader.Malformed() }
      self = .failed(message: message, hint: hint, pause: pause)
    case "proxy-login":
      guard let proxy, let message else { throw JSONReader.Malformed() }
      self = .proxyLogin(url: proxy, message: message, hint: hint)
    default: throw JSONReader.Malformed()
    }
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

  package init(
    _ tokens: consuming Tokens, expiry: Int64?, account: ByteString?, client: consuming ClientRegistration
  ) {
    accessToken = tokens.accessToken
    refreshToken = tokens.refreshToken
    self.expiry = expiry
    self.account = account
    self.client = client
  }
}
