package import Bytes

/// The reply of a token endpoint (RFC 6749 section 5).
package enum TokenReply: ~Copyable {
  case tokens(Tokens)
  case refusal(TokenRefusal)

  /// Reads a reply. An `error` takes precedence, whatever the status: GitHub sends errors with 200.
  package static func parse(_ reply: borrowing HTTPReply) throws(ReplyFault) -> TokenReply {
    var members = TokenMembers()
    do throws(ReplyFault) {
      try ReplyReader.members(of: reply) { (name, value) throws(ReplyFault) in try members.take(name, value) }
    } catch {
      // A server in trouble often sends a page.
      if let refusal = TokenRefusal(status: reply.status, reply.retryAfter) { return .refusal(refusal) }
      throw error
    }
    if let code = members.error {
      return .refusal(TokenRefusal(code, members.errorDescription, members.interval, reply.retryAfter))
    }
    if let refusal = TokenRefusal(status: reply.status, reply.retryAfter) { return .refusal(refusal) }
    guard reply.status == 200 || reply.status == 201 else { throw .unexpectedStatus(reply.status) }
    return .tokens(try members.finish())
  }
}

package struct Tokens: ~Copyable {
  /// The access token: visible ASCII characters (RFC 6749 appendix A.12). Never empty.
  package let accessToken: Secret
  /// The refresh token (appendix A.17); `nil` if there is none. Never empty.
  package let refreshToken: Secret?
  /// For how many seconds the access token is valid; `nil` if unknown.
  package let life: Int64?
  package let scope: String?
}

/// Why a token endpoint gives no token.
package struct TokenRefusal: Equatable {
  package enum Kind: Equatable {
    /// The person hasn't decided yet (RFC 8628 section 3.5).
    case pending
    /// The same, and the client asks too often; with the server's interval in seconds, if given.
    case slowDown(interval: Int?)
    case denied
    /// The code has expired.
    case codeExpired
    /// The refresh token or the code isn't valid any more.
    case invalidGrant
    /// The client isn't known, or its secret is wrong.
    case invalidClient
    /// A scope isn't known.
    case invalidScope
    /// The server doesn't have this flow.
    case unsupported
    /// It may work later; after this many seconds, if the server says so.
    case temporary(after: Int?)
    case other
  }

  package let kind: Kind
  /// The server's error code, or the status: for people, after escaping.
  package let code: String
  /// The server's explanation, at most 300 bytes; must be escaped.
  package let explanation: String?

  init(_ code: String, _ explanation: String?, _ interval: Int?, _ retryAfter: Int?) {
    self.code = code
    self.explanation = explanation
    kind =
      switch code {
      case "authorization_pending": .pending
      case "slow_down": .slowDown(interval: interval)
      case "access_denied", "authorization_declined": .denied
      case "expired_token", "token_expired": .codeExpired
      case "invalid_grant", "bad_refresh_token", "bad_verification_code": .invalidGrant
      case "invalid_client", "incorrect_client_credentials", "unauthorized_client": .invalidClient
      case "invalid_scope": .invalidScope
      case "unsupported_grant_type", "device_flow_disabled", "unsupported_response_type": .unsupported
      case "server_error", "temporarily_unavailable": .temporary(after: retryAfter)
      default: .other
      }
  }

  /// The refusal that a status means by itself; `nil` for none.
  init?(status: Int, _ retryAfter: Int?) {
    switch status {
    case 404: kind = .unsupported
    case 429, 500...599: kind = .temporary(after: retryAfter)
    default: return nil
    }
    code = "status \(status)"
    explanation = nil
  }
}

/// Why a reply is unusable. None of its text is kept.
package enum ReplyFault: Error, Equatable {
  /// It is neither JSON nor a form; with its status.
  case notUnderstood(status: Int)
  /// A member occurs twice, so that readers might disagree.
  case repeated(String)
  /// A member is missing, or has an impossible value.
  case unusable(String)
  /// The status isn't expected in such a reply.
  case unexpectedStatus(Int)
}

private struct TokenMembers: ~Copyable {
  private var accessToken: Secret?
  private var refreshToken: Secret?
  private var life: Int64?
  private var scope: String?
  private(set) var error: String?
  private(set) var errorDescription: String?
  private(set) var interval: Int?
  private var seen: Set<ByteString> = []

  /// Ten years. A larger number is a mistake, or means no end.
  private static let longestLife: Int64 = 315_360_000

  mutating func take(_ name: ByteString, _ value: borrowing ReplyValue) throws(ReplyFault) {
    switch name {
    case "access_token":
      try once(name)
      accessToken = try Self.token(value, "access_token")
    case "refresh_token":
      try once(name)
      if value.isAbsent { return }
      refreshToken = try Self.token(value, "refresh_token")
    case "expires_in":
      try once(name)
      if let seconds = value.seconds, 1...Self.longestLife ~= seconds { life = seconds }
    // Bitbucket says "scopes".
    case "scope", "scopes":
      if let text = value.text(limit: 4096) { scope = text }
    case "error":
      try once(name)
      error = value.text(limit: 100) ?? "unknown"
    case "error_description":
      errorDescription = value.text(limit: 300)
    case "interval":
      if let seconds = value.seconds, 1...3600 ~= seconds { interval = Int(seconds) }
    default: break
    }
  }

  private mutating func once(_ name: ByteString) throws(ReplyFault) {
    guard seen.insert(name).inserted else { throw .repeated("\(name)") }
  }

  private static func token(_ value: borrowing ReplyValue, _ name: String) throws(ReplyFault) -> Secret? {
    guard let token = value.secret() else { throw .unusable(name) }
    let isUsable = token.withUnsafeBytes { $0.allSatisfy { 0x20...0x7e ~= $0 } }
    guard isUsable else { throw .unusable(name) }
    if token.isEmpty { return nil }
    return consume token
  }

  consuming func finish() throws(ReplyFault) -> Tokens {
    guard let accessToken else { throw .unusable("access_token") }
    return Tokens(accessToken: accessToken, refreshToken: refreshToken, life: life, scope: scope)
  }
}
