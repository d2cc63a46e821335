public import Keychain

/// Bytes as an attribute.
public func attribute(_ bytes: [UInt8]) -> ByteString { ByteString(bytes) }

extension Item {
  /// An internet password, `https` unless said otherwise.
  public static func internet(
    _ server: ByteString? = "example.com", account: ByteString? = nil, path: ByteString? = nil,
    protocol: ByteString = "https", port: UInt16? = nil, domain: ByteString? = nil,
    authenticationType: ByteString? = nil
  ) -> Item {
    Item(
      InternetPassword(
        protocol: `protocol`, server: server, port: port, account: account, path: path,
        securityDomain: domain, authenticationType: authenticationType))
  }

  /// A generic password.
  public static func generic(_ service: ByteString, account: ByteString? = nil) -> Item {
    Item(GenericPassword(service: service, account: account))
  }
}

extension ItemQuery {
  /// A query for internet passwords, `https` unless said otherwise.
  public static func internet(
    _ server: ByteString? = "example.com", account: ByteString? = nil, path: ByteString? = nil,
    protocol: ByteString = "https", port: UInt16? = nil, domain: ByteString? = nil
  ) throws(KeychainError) -> ItemQuery {
    .internetPassword(
      try InternetPasswordQuery(
        protocol: `protocol`, server: server, port: port, account: account, path: path,
        securityDomain: domain))
  }

  /// A query for generic passwords.
  public static func generic(
    _ service: ByteString, account: ByteString? = nil
  ) throws(KeychainError) -> ItemQuery {
    .genericPassword(try GenericPasswordQuery(service: service, account: account))
  }
}

extension Secret {
  /// A copy of the bytes that can be compared and shown, as only a test should do.
  public var revealed: [UInt8] { withUnsafeBytes { Array($0) } }
}

extension Credential {
  /// A credential from bytes.
  public static func bytes(
    _ secret: [UInt8], expiry: Int64? = nil, refreshToken: [UInt8]? = nil, scheme: ByteString? = nil
  ) -> Credential {
    let secret = Secret(copying: ByteString(secret))
    guard let refreshToken else {
      return Credential(secret, expiry: expiry, authenticationScheme: scheme)
    }
    return Credential(
      secret, expiry: expiry, refreshToken: Secret(copying: ByteString(refreshToken)),
      authenticationScheme: scheme)
  }

  /// A credential from text.
  public static func text(
    _ secret: String, expiry: Int64? = nil, refreshToken: String? = nil, scheme: ByteString? = nil
  ) -> Credential {
    bytes(
      Array(secret.utf8), expiry: expiry, refreshToken: refreshToken.map { Array($0.utf8) }, scheme: scheme)
  }

  /// A form that can be compared, stored in an array and shown, as only a test should do.
  public var revealed: RevealedCredential {
    RevealedCredential(
      secret: ByteString(secret.revealed), expiry: expiry, refreshToken: revealedToken.map { ByteString($0) },
      scheme: authenticationScheme)
  }

  private var revealedToken: [UInt8]? {
    switch refreshToken {
    case .none: nil
    case .some(let token): token.revealed
    }
  }
}

/// A credential whose parts are not secret.
public struct RevealedCredential: Hashable, Sendable {
  /// The secret.
  public var secret: ByteString
  /// Its expiry.
  public var expiry: Int64?
  /// The refresh token.
  public var refreshToken: ByteString?
  /// The scheme that the secret was made for.
  public var scheme: ByteString?

  /// Creates a credential from its parts.
  public init(
    _ secret: ByteString, expiry: Int64? = nil, refreshToken: ByteString? = nil, scheme: ByteString? = nil
  ) {
    self.init(secret: secret, expiry: expiry, refreshToken: refreshToken, scheme: scheme)
  }

  init(secret: ByteString, expiry: Int64?, refreshToken: ByteString?, scheme: ByteString?) {
    self.secret = secret
    self.expiry = expiry
    self.refreshToken = refreshToken
    self.scheme = scheme
  }
}

/// An item with its credential, in a form that can be compared.
public struct RevealedItem: Hashable, Sendable {
  /// The item.
  public var item: Item
  /// Its credential.
  public var credential: RevealedCredential
}

extension KeychainStore {
  /// Adds an item whose secret is text.
  @discardableResult
  public func add(_ item: Item, _ secret: String) throws(KeychainError) -> Item {
    try add(item, Credential.text(secret))
  }

  /// The secret of an item as text.
  public func secret(of item: Item) throws(KeychainError) -> ByteString {
    ByteString(try credential(of: item).secret.revealed)
  }

  /// The secret that answers a query; `nil` if none does.
  public func answeredSecret(
    _ query: ItemQuery, at now: Timestamp = SettableClock.start
  ) throws(KeychainError) -> ByteString? {
    try revealedAnswer(query, at: now)?.credential.secret
  }

  /// The answer to a query, in a form that can be compared; `nil` if there is none.
  public func revealedAnswer(
    _ query: ItemQuery, at now: Timestamp = SettableClock.start,
    where isUsable: (Item, borrowing Credential) -> Bool = { $1.authenticationScheme == nil }
  ) throws(KeychainError) -> RevealedItem? {
    guard let answer = try answer(to: query, at: now, where: isUsable) else { return nil }
    return RevealedItem(item: answer.item, credential: answer.credential.revealed)
  }

  /// Everything in the keychain, sorted by reference, so that two states can be compared.
  public func everything() throws(KeychainError) -> [RevealedItem] {
    var all: [RevealedItem] = []
    for item in try items(matching: .all) {
      all.append(RevealedItem(item: item, credential: try credential(of: item).revealed))
    }
    return all.sorted { ($0.item.reference?.bytes ?? "") < ($1.item.reference?.bytes ?? "") }
  }

  /// The accounts of the items that a query finds, best first.
  public func foundAccounts(_ query: ItemQuery) throws(KeychainError) -> [ByteString?] {
    try find(query).map(\.key.account)
  }
}
