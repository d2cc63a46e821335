/// The confidential part of an item: the secret and what git provides along with it.
public struct Credential: ~Copyable, Sendable {
  /// The password; with an ``authenticationScheme`` the ready-made credential of an Authorization header.
  public var secret: Secret

  /// When the secret expires, in seconds since the Unix epoch (git's `password_expiry_utc`).
  public var expiry: Int64?

  /// An OAuth refresh token (git's `oauth_refresh_token`), as confidential as the secret.
  public var refreshToken: Secret?

  /// The scheme for which ``secret`` is ready-made, such as `Bearer` (git's `authtype`). `nil` for a password.
  public var authenticationScheme: ByteString?

  /// Secrets that tools never get for signing in. Silent by default, so that a new secret leaves them as they were.
  public var further = FurtherSecrets()

  /// Makes a credential.
  public init(
    _ secret: consuming Secret, expiry: Int64? = nil, refreshToken: consuming Secret? = nil,
    authenticationScheme: ByteString? = nil
  ) {
    self.secret = secret
    self.expiry = expiry
    self.refreshToken = refreshToken
    self.authenticationScheme = authenticationScheme
  }

  /// A password from text, for tests, examples and values that were text already.
  public init(password: String) {
    self.init(Secret(password))
  }

  package consuming func takeSecret() -> Secret { secret }

  /// A second copy, for a caller that needs its own.
  public borrowing func copy() -> Credential {
    var copy = Credential(
      secret.copy(), expiry: expiry, refreshToken: copyOfRefreshToken(),
      authenticationScheme: authenticationScheme)
    copy.further = further.copy()
    return copy
  }

  /// The credential after a change from `former` to this.
  package borrowing func stored(over former: borrowing Credential) -> Credential {
    var stored = copy()
    stored.further = further.merged(over: former.further)
    return stored
  }

  package borrowing func stored() -> Credential {
    var stored = copy()
    stored.further = further.merged(over: FurtherSecrets())
    return stored
  }

  /// Whether it is useless for signing in at `now`: it has expired, or has no password. The second of `expiry` itself
  /// is too late, because a request sent now would arrive after it.
  public borrowing func isExpired(at now: Timestamp) -> Bool {
    hasNoPassword || expiry.map { $0 <= now.seconds } ?? false
  }

  /// Whether it holds no password but something beside one, such as one-time codes. An empty secret with nothing
  /// beside it is git's empty password.
  public var hasNoPassword: Bool { secret.isEmpty && !further.isEmpty }

  /// Whether both hold the same secret for the same scheme, whatever else they hold.
  public borrowing func hasSameSecret(as other: borrowing Credential) -> Bool {
    authenticationScheme == other.authenticationScheme && secret.isEqual(to: other.secret)
  }

  /// Whether a tool would get the same of both.
  package borrowing func isSameForTools(as other: borrowing Credential) -> Bool {
    hasSameSecret(as: other) && hasSameRefreshToken(as: other) && expiry == other.expiry
  }

  /// Whether this holds the other's secret, if it has one, and all that the other says beside it.
  package borrowing func hasAll(of other: borrowing Credential) -> Bool {
    (other.hasNoPassword || isSameForTools(as: other)) && further.hasAll(of: other.further)
  }

  /// Whether both could be of one login: their secrets are the same, or one has none.
  package borrowing func agrees(with other: borrowing Credential) -> Bool {
    hasNoPassword || other.hasNoPassword || hasSameSecret(as: other)
  }

  /// The login of which both are parts: the password of one, and what both have beside it.
  package borrowing func completed(by newer: borrowing Credential) -> Credential {
    var completed = newer.hasNoPassword ? copy() : newer.copy()
    completed.further = newer.further.added(to: further).merged(over: further)
    return completed
  }

  package borrowing func isSame(as other: borrowing Credential) -> Bool {
    isSameForTools(as: other) && further.isSame(as: other.further)
  }

  /// Whether ``completed(by:)`` would replace nothing.
  package borrowing func isKept(by newer: borrowing Credential) -> Bool {
    (hasNoPassword || newer.hasNoPassword || isSameForTools(as: newer)) && further.isKept(by: newer.further)
  }

  /// Whether both hold the same refresh token, or neither holds one.
  public borrowing func hasSameRefreshToken(as other: borrowing Credential) -> Bool {
    refreshToken.lend { mine in other.refreshToken.lend { mine.isEqual(to: $0) } ?? false }
      ?? !other.hasRefreshToken
  }

  /// Whether there is a refresh token.
  public var hasRefreshToken: Bool { refreshToken != nil }

  package borrowing func copyOfRefreshToken() -> Secret? { refreshToken.lend { $0.copy() } }
}
