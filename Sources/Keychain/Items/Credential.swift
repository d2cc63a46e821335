/// What an item keeps confidential: the secret and what git gives along with it.
public struct Credential: ~Copyable, Sendable {
  /// The password; with an ``authenticationScheme`` the ready-made credential of an Authorization header.
  public var secret: Secret

  /// When the secret stops being of use, in seconds since the Unix epoch (git's `password_expiry_utc`).
  public var expiry: Int64?

  /// An OAuth refresh token (git's `oauth_refresh_token`), as confidential as the secret.
  public var refreshToken: Secret?

  /// The scheme that ``secret`` is ready-made for, `Bearer` for one (git's `authtype`). `nil` for a password.
  public var authenticationScheme: ByteString?

  /// Takes the parts.
  public init(
    _ secret: consuming Secret, expiry: Int64? = nil, refreshToken: consuming Secret? = nil,
    authenticationScheme: ByteString? = nil
  ) {
    self.secret = secret
    self.expiry = expiry
    self.refreshToken = refreshToken
    self.authenticationScheme = authenticationScheme
  }

  /// A password from text, for tests, examples and values that already were text.
  public init(password: String) {
    self.init(Secret(password))
  }

  /// The secret alone.
  package consuming func takeSecret() -> Secret { secret }

  /// A second copy, for a caller that has to own one.
  public borrowing func copy() -> Credential {
    Credential(
      secret.copy(), expiry: expiry, refreshToken: copyOfRefreshToken(),
      authenticationScheme: authenticationScheme)
  }

  /// Whether its time is over at `now`. The second that `expiry` names is already too late: a request that is
  /// sent now would arrive after it.
  public borrowing func isExpired(at now: Timestamp) -> Bool {
    expiry.map { $0 <= now.seconds } ?? false
  }

  /// Whether both hold the same secret for the same scheme, whatever else they hold.
  public borrowing func hasSameSecret(as other: borrowing Credential) -> Bool {
    authenticationScheme == other.authenticationScheme && secret.isEqual(to: other.secret)
  }

  /// Whether both hold the same refresh token, or both none.
  public borrowing func hasSameRefreshToken(as other: borrowing Credential) -> Bool {
    switch refreshToken {
    case .none:
      switch other.refreshToken {
      case .none: true
      case .some: false
      }
    case .some(let mine):
      switch other.refreshToken {
      case .none: false
      case .some(let theirs): mine.isEqual(to: theirs)
      }
    }
  }

  /// Whether there is a refresh token.
  public var hasRefreshToken: Bool {
    switch refreshToken {
    case .none: false
    case .some: true
    }
  }

  /// A second copy of the refresh token.
  package borrowing func copyOfRefreshToken() -> Secret? {
    switch refreshToken {
    case .none: nil
    case .some(let token): token.copy()
    }
  }
}
