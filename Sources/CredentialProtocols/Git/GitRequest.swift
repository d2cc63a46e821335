import Bytes
public import Keychain

/// A request from git, or from any program that speaks git's helper protocol.
///
/// The keys are those of gitcredentials(7) and git-credential(1) of git 2.55. Unknown keys and capabilities are
/// ignored, as the protocol demands. If a key occurs twice, the last value counts.
public struct GitRequest: ~Copyable {
  /// The capabilities that the peer announced.
  public struct Capabilities: OptionSet, Hashable, Sendable {
    /// One bit for each capability.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `authtype`, `credential` and `ephemeral` may be used.
    public static let authtype = Capabilities(rawValue: 1)
    /// `state[]` and `continue` may be used.
    public static let state = Capabilities(rawValue: 2)
  }

  /// `capability[]`
  public private(set) var capabilities: Capabilities = []
  /// `protocol`
  public private(set) var `protocol`: ByteString?
  /// `host`, parsed.
  public private(set) var host: HostAndPort?
  /// `path`
  public private(set) var path: ByteString?
  /// `username`
  public private(set) var username: ByteString?
  /// `password`
  public private(set) var password: Secret?
  /// `password_expiry_utc`, in seconds since the Unix epoch.
  public private(set) var passwordExpiry: Int64?
  /// `oauth_refresh_token`
  public private(set) var refreshToken: Secret?
  /// `authtype`
  public private(set) var authenticationScheme: ByteString?
  /// `credential`
  public private(set) var credential: Secret?
  /// `ephemeral`: must not be stored.
  public private(set) var isEphemeral = false
  /// `wwwauth[]`: the `WWW-Authenticate` headers of the server's refusal, at most 16 of them.
  public private(set) var challenges: [ByteString] = []
  /// The state of our earlier answer, from `state[]`.
  public private(set) var state: GitState?

  /// Parses the lines of a request.
  ///
  /// - Throws: ``KeychainError`` for an invalid line, and for an unusable value of a known key, or one with a carriage
  ///   return.
  public init(parsing text: UnsafeRawBufferPointer) throws(KeychainError) {
    try RequestLines.forEachPair(in: text) { (key, value) throws(KeychainError) in
      try take(key, value)
    }
  }

  private mutating func take(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(KeychainError) {
    if key == "protocol" {
      `protocol` = try text(value, of: "protocol")
    } else if key == "host" {
      try takeHost(try text(value, of: "host"))
    } else if key == "path" {
      path = try text(value, of: "path")
    } else if key == "username" {
      username = try text(value, of: "username")
    } else if key == "password" {
      password = try secret(value, of: "password")
    } else if key == "password_expiry_utc" {
      guard let seconds = decimal(value) else { throw .request(.unusableValue(key: "password_expiry_utc")) }
      // Git itself reads 0 as no expiry.
      passwordExpiry = seconds == 0 ? nil : seconds
    } else if key == "oauth_refresh_token" {
      refreshToken = try secret(value, of: "oauth_refresh_token")
    } else if key == "authtype" {
      authenticationScheme = try text(value, of: "authtype")
    } else if key == "credential" {
      credential = try secret(value, of: "credential")
    } else if key == "ephemeral" {
      guard let flag = gitBoolean(value) else { throw .request(.unusableValue(key: "ephemeral")) }
      isEphemeral = flag
    } else if key == "capability[]" {
      takeCapability(value)
    } else if key == "state[]" {
      takeState(value)
    } else if key == "wwwauth[]" {
      // An empty value clears the list (git-credential(1)).
      if value.isEmpty {
        challenges = []
      } else if challenges.count < 16 {
        challenges.append(ByteString(value))
      }
    } else if key == "url" {
      try takeURL(value)
    }
  }

  private mutating func takeHost(_ value: ByteString) throws(KeychainError) {
    guard let parsed = HostAndPort(parsing: value) else { throw .request(.unusableValue(key: "host")) }
    host = parsed
  }

  private mutating func takeCapability(_ value: UnsafeRawBufferPointer) {
    if value.isEmpty {
      capabilities = []
    } else if value == "authtype" {
      capabilities.insert(.authtype)
    } else if value == "state" {
      capabilities.insert(.state)
    }
  }

  private mutating func takeState(_ value: UnsafeRawBufferPointer) {
    if value.isEmpty {
      state = nil
    } else if let own = GitState(parsing: value) {
      state = own
    }
  }

  /// Sets all parts from a URL; missing ones are unset.
  private mutating func takeURL(_ value: UnsafeRawBufferPointer) throws(KeychainError) {
    let url = try CredentialURL(parsing: value)
    guard let host = HostAndPort(parsing: url.host) else { throw .request(.unusableURL(.badHost)) }
    `protocol` = url.protocol
    self.host = host
    path = url.path
    username = url.account
    password = url.password
  }

  private func text(_ value: UnsafeRawBufferPointer, of key: String) throws(KeychainError) -> ByteString {
    if value.contains(0x0d) { throw .request(.carriageReturn(key: key)) }
    return ByteString(value)
  }

  private func secret(_ value: UnsafeRawBufferPointer, of key: String) throws(KeychainError) -> Secret {
    if value.contains(0x0d) { throw .request(.carriageReturn(key: key)) }
    return Secret(copying: value)
  }
}

/// A boolean as in git's configuration (git-config(1), "Values"): a number is true unless it is zero.
private func gitBoolean(_ value: UnsafeRawBufferPointer) -> Bool? {
  switch ByteString(value).lowercased {
  case "true", "yes", "on": true
  case "false", "no", "off", "": false
  default: decimal(value).map { $0 != 0 }
  }
}
