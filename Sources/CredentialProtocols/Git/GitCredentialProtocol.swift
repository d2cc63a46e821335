public import Keychain

/// Git's credential helper protocol in its newest form, over any keychain.
public struct GitCredentialProtocol {
  /// What git may ask of a helper.
  public enum Operation: String, Sendable {
    /// Say what is known for a place.
    case get
    /// Keep what has just worked.
    case store
    /// Forget what has been refused.
    case erase
    /// Say which capabilities the helper has.
    case capability
  }

  /// For how many seconds what is stored may be answered; `nil` for ever.
  public var timeout: Int64?

  /// Hears of what `store` did, where there was something to keep.
  public var onSave: (SaveOutcome) -> Void = { _ in }

  /// A protocol whose stored items last for `timeout` seconds, or for ever.
  public init(timeout: Int64? = nil) {
    self.timeout = timeout
  }

  /// What the operation `capability` prints.
  public static let capabilities: StaticString = "version 0\ncapability authtype\ncapability state\n"

  /// Carries out an operation and returns what to print: for `get` the answer or nothing, else nothing.
  ///
  /// Where all that would answer has expired, `get` gives the account, the expiry and the refresh token of the best
  /// item that has one, and no password: git passes them on to its next helper. An expired item without a refresh token
  /// gives nothing, for its account alone would keep the next helper from answering with another one.
  ///
  /// - Throws: ``ProtocolError/keychain(_:)`` with ``KeychainError/queryTooBroad(_:)`` for a request without a
  ///   protocol, or with neither host nor path, and with what the keychain throws;
  ///   ``ProtocolError/unspeakableAnswer(key:)`` if an item can't be said in git's lines.
  public func perform(
    _ operation: Operation, _ request: borrowing GitRequest, on keychain: any KeychainStore,
    at now: Timestamp = .now
  ) throws(ProtocolError) -> Secret {
    switch operation {
    case .get: return try get(request, from: keychain, at: now)
    case .store: try store(request, in: keychain, at: now)
    case .erase: try erase(request, from: keychain)
    case .capability:
      var reply = Secret()
      reply.append(Self.capabilities)
      return reply
    }
    return Secret()
  }

  private func get(
    _ request: borrowing GitRequest, from keychain: any KeychainStore, at now: Timestamp
  ) throws(ProtocolError) -> Secret {
    let query = try throwingProtocolError(request.query())
    let capabilities = request.capabilities
    let found = try throwingProtocolError(
      keychain.answerOrRenewal(to: query, at: now) {
        $1.authenticationScheme == nil || capabilities.contains(.authtype)
      })
    switch consume found {
    case .answer(let answer): return try GitReply.encode(answer, for: capabilities)
    case .renewal(let renewal):
      return isWithinTimeout(renewal.item, at: now) ? try GitReply.encode(renewal, at: now) : Secret()
    case .none: return Secret()
    }
  }

  /// Whether an item may still give anything: what was stored longer ago than the time limit is as good as forgotten,
  /// its refresh token as well.
  private func isWithinTimeout(_ item: Item, at now: Timestamp) -> Bool {
    guard let timeout else { return true }
    guard let modified = item.modificationDate else { return false }
    return now.seconds - modified.seconds < timeout
  }

  private func store(
    _ request: borrowing GitRequest, in keychain: any KeychainStore, at now: Timestamp
  ) throws(ProtocolError) {
    let query = try throwingProtocolError(request.query())
    guard let credential = request.credentialToStore(), !credential.isExpired(at: now),
      case .internetPassword(let place) = query
    else { return }
    let item = Item(
      InternetPassword(
        protocol: place.protocol, server: place.server, port: place.port, account: place.account,
        path: place.path))
    let expiringBy = timeout.map { limit in
      let (sum, isTooLate) = now.seconds.addingReportingOverflow(limit)
      return isTooLate ? .max : sum
    }
    let outcome = try throwingProtocolError(keychain.save(item, credential, expiringBy: expiringBy, at: now))
    onSave(outcome)
  }

  private func erase(
    _ request: borrowing GitRequest, from keychain: any KeychainStore
  ) throws(ProtocolError) {
    let query = try throwingProtocolError(request.query())
    let answered = request.answered
    _ = try throwingProtocolError { () throws(KeychainError) -> Int in
      guard let refused = request.secret() else { return try keychain.erase(query) }
      return try keychain.erase(query, holding: refused, answered: answered)
    }
  }
}

extension GitRequest {
  /// The place and account in question.
  borrowing func query() throws(KeychainError) -> ItemQuery {
    .internetPassword(
      try InternetPasswordQuery(
        protocol: `protocol`, server: host?.server, port: host?.port, account: username, path: path))
  }

  /// The secret that the request is about, with the scheme that it is ready-made for. What depends on a
  /// capability counts only from a peer that announced it.
  borrowing func secret() -> Secret? {
    switch credential {
    case .some(let credential) where usesCredential: credential.copy()
    default:
      switch password {
      case .some(let password): password.copy()
      case .none: nil
      }
    }
  }

  /// What to store, or `nil` where there is nothing, or nothing that may be.
  borrowing func credentialToStore() -> Credential? {
    if isEphemeral { return nil }
    guard let secret = secret() else { return nil }
    let token: Secret?
    switch refreshToken {
    case .some(let refreshToken): token = refreshToken.copy()
    case .none: token = nil
    }
    return Credential(
      secret, expiry: passwordExpiry, refreshToken: token,
      authenticationScheme: usesCredential ? authenticationScheme : nil)
  }

  private var usesCredential: Bool {
    guard capabilities.contains(.authtype), authenticationScheme.nonEmpty != nil else { return false }
    switch credential {
    case .some: return true
    case .none: return false
    }
  }
}
