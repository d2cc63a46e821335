public import Keychain

/// Git's credential helper protocol in its newest version, over any keychain.
public struct GitCredentialProtocol {
  /// An operation of a helper.
  public enum Operation: String, CaseIterable, Sendable {
    /// Print the login for a place.
    case get
    /// Store a login that has just worked.
    case store
    /// Delete a login that was rejected.
    case erase
    /// Print the capabilities of the helper.
    case capability

    /// Parses a name. (The compiler's own initializer would collect all names before comparing one.)
    public init?(rawValue: String) {
      switch rawValue {
      case "get": self = .get
      case "store": self = .store
      case "erase": self = .erase
      case "capability": self = .capability
      default: return nil
      }
    }
  }

  /// How many seconds a stored login lasts; `nil` for no limit.
  public var timeout: Int64?

  /// Whether git itself asks, which asks again when a server refuses an answer with `continue`. Programs that use `git
  /// credential` may not: git-lfs 3.6 and later keeps such an answer for good. Called only if it matters.
  public var isAskedByGit: () -> Bool = { false }

  /// The account whose item answers in place of the requested one, at services whose tokens go with any name in a URL;
  /// `nil` elsewhere. Called only if no item answers for the requested account.
  public var accountForAll: (InternetPassword) -> ByteString? = { _ in nil }

  /// The path to store a login under: that of an item whose password a server has just refused; `nil` if there was
  /// none. Called only for a login with a path, and if no item answers any more.
  public var refusedBefore: (InternetPassword) -> ByteString? = { _ in nil }

  /// Called with the key of each item with a path that is gone because a server refused its password.
  public var onRefusal: (InternetPassword) -> Void = { _ in }

  /// Called with the outcome of `store`, if there was something to store.
  public var onSave: (SaveOutcome) -> Void = { _ in }

  /// Called with the request's place and the number of items deleted there by `erase`, if there were any and the
  /// request had neither an account nor a secret.
  public var onUnnamedErasure: (InternetPassword, Int) -> Void = { _, _ in }

  /// Creates a protocol whose stored logins last for `timeout` seconds, or forever.
  public init(timeout: Int64? = nil) {
    self.timeout = timeout
  }

  /// The output of the operation `capability`.
  public static let capabilities: StaticString = "version 0\ncapability authtype\ncapability state\n"

  /// Performs an operation and returns the text to print: for `get` the answer, if there is one.
  ///
  /// If all matching items have expired, `get` returns the account, expiry and refresh token of the best item that has
  /// one, without a password; git passes them on to its next helper. An expired item without a refresh token returns
  /// nothing, because its account alone would keep the next helper from answering with another one.
  ///
  /// A renewable answer has `continue` for a git that knows it (2.46) and asks for itself. If the server refuses it,
  /// git asks once more, with the answer's `state[]`, and gets a new one (git-credential(1), "INPUT/OUTPUT FORMAT").
  /// The state of an answer without `continue` is no refusal.
  ///
  /// - Throws: ``KeychainError/queryTooBroad(_:)`` for a request without a
  ///   protocol, or with neither host nor path, and with the keychain's own errors;
  ///   ``RequestFault/unspeakableAnswer(key:)`` if an item can't be written in git's lines.
  public func perform(
    _ operation: Operation, _ request: borrowing GitRequest, on keychain: any KeychainStore,
    at now: Timestamp = .now
  ) throws(KeychainError) -> Secret {
    switch operation {
    case .get: return try get(request, from: keychain, at: now)
    case .store: try store(request, in: keychain, at: now)
    case .erase: try erase(request, from: keychain, at: now)
    case .capability:
      var reply = Secret()
      reply.append(Self.capabilities)
      return reply
    }
    return Secret()
  }

  private func get(
    _ request: borrowing GitRequest, from keychain: any KeychainStore, at now: Timestamp
  ) throws(KeychainError) -> Secret {
    let query = try request.query()
    let capabilities = request.capabilities
    var isAgain = false
    if capabilities.contains(.state), let state = request.state, let changed = state.continued {
      isAgain = true
      // If this fails, the answer is the same as before, and git erases it when it is refused again. A token renewed in
      // the meantime was not refused.
      if try keychain.find(query).contains(where: {
        $0.reference == state.item && $0.modificationDate == changed
      }) {
        try? keychain.refuse(state.item, to: query, at: now)
      }
    }
    func answer(to query: ItemQuery) throws(KeychainError) -> AnswerOrRenewal? {
      try keychain.answerOrRenewal(to: query, at: now) {
        $1.authenticationScheme == nil || capabilities.contains(.authtype)
      }
    }
    var found = try answer(to: query)
    if found == nil, let other = query.underNameForAll(accountForAll) { found = try answer(to: other) }
    switch consume found {
    case .answer(let answer):
      let mayContinue =
        !isAgain && capabilities.contains(.state) && keychain.renewer != nil && answer.isRenewable
        && isAskedByGit()
      return try GitReply.encode(answer, for: capabilities, mayContinue: mayContinue)
    case .renewal(let renewal):
      return isWithinTimeout(renewal.item, at: now) ? try GitReply.encode(renewal, at: now) : Secret()
    case .none: return Secret()
    }
  }

  /// Whether an item may still be used. After the time limit both the item and its refresh token count as forgotten.
  private func isWithinTimeout(_ item: Item, at now: Timestamp) -> Bool {
    guard let timeout else { return true }
    guard let modified = item.modificationDate else { return false }
    return now.seconds - modified.seconds < timeout
  }

  private func store(
    _ request: borrowing GitRequest, in keychain: any KeychainStore, at now: Timestamp
  ) throws(KeychainError) {
    let query = try request.query()
    guard let credential = request.credentialToStore(), !credential.isExpired(at: now),
      case .internetPassword(let place) = query
    else { return }
    var key = InternetPassword(
      protocol: place.protocol, server: place.server, port: place.port, account: place.account,
      path: place.path)
    if place.path != nil,
      try keychain.heldAnswer(to: query, at: now, where: { _, _ in true }) == nil,
      let former = refusedBefore(key)
    {
      // An organisation's replaced password stays the organisation's, whichever repository git names.
      key.path = former
    }
    let item = Item(key)
    let expiringBy = timeout.map { limit in
      let (sum, isTooLate) = now.seconds.addingReportingOverflow(limit)
      return isTooLate ? .max : sum
    }
    let outcome = try keychain.save(item, credential, expiringBy: expiringBy, at: now)
    onSave(outcome)
  }

  private func erase(
    _ request: borrowing GitRequest, from keychain: any KeychainStore, at now: Timestamp
  ) throws(KeychainError) {
    let query = try request.query()
    let answered = request.state?.item
    guard let refused = request.secret() else {
      let unnamed = try keychain.erase(query)
      if unnamed > 0, let place = request.key, place.account == nil { onUnnamedErasure(place, unnamed) }
      return
    }
    let former = request.path == nil ? [] : (try? keychain.find(query)) ?? []
    if try keychain.erase(query, holding: refused, answered: answered, at: now) > 0 {
      tell(of: former, goneFrom: keychain, query)
    }
  }

  /// Reports the items with a path that are gone by now.
  private func tell(of former: [Item], goneFrom keychain: any KeychainStore, _ query: ItemQuery) {
    guard !former.isEmpty, let left = try? keychain.find(query) else { return }
    for item in former where !left.contains(where: { $0.reference == item.reference }) {
      if case .internetPassword(let key) = item.key, key.path != nil { onRefusal(key) }
    }
  }
}

extension GitRequest {
  /// The place and account, as the key of an item; `nil` without a protocol or a server.
  public var key: InternetPassword? {
    guard let scheme = `protocol`, let host, !host.server.isEmpty else { return nil }
    return InternetPassword(
      protocol: scheme, server: host.server, port: host.port, account: username, path: path)
  }

  /// The query for the request's place and account.
  borrowing func query() throws(KeychainError) -> ItemQuery {
    .internetPassword(
      try InternetPasswordQuery(
        protocol: `protocol`, server: host?.server, port: host?.port, account: username, path: path))
  }

  /// The secret in the request: the ready-made credential, else the password. Keys of a capability count only if the
  /// peer announced it.
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

  /// The credential to store; `nil` if there is none, or it must not be stored.
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
