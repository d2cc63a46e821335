package import Bytes
import Glibc
import Keychain
package import SignIn

/// Requests to one server as a logged-in user: with a kept or given token, else by a login.
package final class OpenBaoSession {
  package let server: OpenBaoServer
  private let nodes: ServerNodes
  private let method: LoginMethod
  private let credentials: any LoginCredentials
  private let clock: () -> Timestamp

  private var token: HeldToken?
  /// Records the holders of tokens in use; `nil` if not needed.
  package var holders: (any TokenHolderNoting)?
  /// Whether this token's holder was noted.
  private var isIdentified = false
  private var hasLoggedIn = false

  /// - Parameters:
  ///   - transport: sends the requests; without a network it is `nil`, and each request an error. Made for the first
  ///     request: copies answer without.
  ///   - isInsistent: whether to ask a server that gave no answer a moment ago.
  ///   - clock: the present time, for renewing tokens.
  ///   - wait: waits for a number of milliseconds.
  package init(
    with server: OpenBaoServer, over transport: @autoclosure @escaping () -> (any Transport)?,
    by method: LoginMethod,
    _ credentials: any LoginCredentials, memory store: any ServerMemoryStore,
    isInsistent: Bool = false, patience: Patience = Patience(),
    clock: @escaping () -> Timestamp = { .now },
    wait: @escaping (_ milliseconds: Int) -> Void = { usleep(UInt32($0) * 1000) }
  ) {
    self.server = server
    nodes = ServerNodes(
      of: server, over: transport, memory: store, isInsistent: isInsistent, patience: patience,
      clock: clock, wait: wait)
    self.method = method
    self.credentials = credentials
    self.clock = clock
  }

  package var memory: ServerMemory { nodes.memory }

  func note(_ change: (inout ServerMemory) -> Void) { nodes.note(change) }

  /// How many seconds to wait before asking a server to scan again after a refusal. By then the server or its policies
  /// may have changed.
  private static let scanPause: Int64 = 86_400

  var mayScan: Bool {
    guard let last = memory.unscanned else { return true }
    return !(0..<Self.scanPause ~= clock().seconds - last.seconds)
  }

  func noteScan(_ isDone: Bool) { note { $0.unscanned = isDone ? nil : clock() } }

  /// Whether items are being read in order to change them, which waits for an election.
  var isChanging: Bool {
    get { nodes.isChanging }
    set { nodes.isChanging = newValue }
  }

  /// Whether to wait for slow answers; see ``ServerNodes/isPatient``.
  var isPatient: Bool {
    get { nodes.isPatient }
    set { nodes.isPatient = newValue }
  }

  /// How long a change is repeated because others have changed the same items meanwhile, in milliseconds.
  var patienceWithOthers: Int { nodes.patience.contests }

  func error(_ fault: OpenBaoFault.Reason) -> KeychainError { server.error(fault) }

  /// An error that tells where the login belongs.
  private func loginError(_ fault: OpenBaoFault.Reason) -> KeychainError {
    KeychainError(OpenBaoFault(server: server.name, fault, loginsIn: credentials.keychainToName))
  }

  func notUnderstood(_ reply: borrowing ServerReply) -> KeychainError { server.notUnderstood(reply) }

  // MARK: Requests with a login

  /// Sends a request as a logged-in user.
  ///
  /// - Returns: a reply with a status below 500 that doesn't tell the client to log in, to wait or to go elsewhere. 403
  ///   means that the policies don't allow it.
  /// - Throws: ``KeychainError/openBao(server:_:)``, and the errors of the credentials.
  func send(_ request: ServerRequest, _ body: borrowing Secret? = nil) throws(KeychainError) -> ServerReply {
    try logInIfNeeded()
    let reply = try sendOnce(request, body)
    // Right after a login, the policies are the reason.
    if reply.status != 403 || hasLoggedIn { return reply }
    if try isKnownToken() { return reply }
    if case .token = method { throw loginError(tokenRefused) }
    token.lend { credentials.forget($0.value) }
    token = nil
    // Only a person can log in again.
    if method.path == nil { throw loginError(tokenRefused) }
    try logIn()
    return try sendOnce(request, body)
  }

  private func sendOnce(_ request: ServerRequest, _ body: borrowing Secret?) throws(KeychainError)
    -> ServerReply
  {
    if token == nil { throw loginError(noLogin) }
    let header = token.lend { token -> Secret in
      var text = Secret("X-Vault-Token: ")
      text.append(token.value)
      return text
    }
    return try nodes.exchange(request, body, header)
  }

  /// Whether the server knows the token, although it has refused a request. Any right in the mount is enough to see the
  /// mount; a token without the policy `default` may not look itself up.
  private func isKnownToken() throws(KeychainError) -> Bool {
    for path in ["sys/internal/ui/mounts/" + server.mount, Self.lookUp] {
      let reply = try sendOnce(ServerRequest(method: .get, path: path), nil)
      if reply.status != 403 { return true }
    }
    return false
  }

  // MARK: Logging in

  private func logInIfNeeded() throws(KeychainError) {
    let now = clock().seconds
    if token.lend({ $0.expiry ?? .max > now }) ?? false { return }
    token = nil
    isIdentified = false
    if let kept = try credentials.token(), kept.expiry ?? .max > now, IssuedToken.isToken(kept.value) {
      let renewal = kept.renewal
      token = consume kept
      if let renewal, renewal <= now { renew() }
      try identify()
      return noteLogin()
    }
    try logIn()
  }

  /// Has the token's holder noted. Asks the server if that isn't known yet.
  private func identify() throws(KeychainError) {
    guard let holders, !isIdentified else { return }
    guard let isKnown = token.lend({ holders.knows($0.value) }) else { return }
    isIdentified = isKnown
    if isKnown { return }
    let reply = try sendOnce(ServerRequest(method: .get, path: Self.lookUp), nil)
    let holder =
      reply.status == 200
      ? try? reply.withMember("data") { (data) throws(JSONReader.Malformed) in
        try TokenHolder.text(of: data)
      } : nil
    token.lend { holders.note(holder, of: $0.value) }
    isIdentified = true
  }

  /// Notes the holder of the login's secret, if that may be another one the next time.
  private func noteLogin() {
    if let holders, let login = credentials.passingSecret() { holders.note(login) }
  }

  /// Logs in if necessary, and has the holder noted.
  func logInToBeKnown() throws(KeychainError) { try logInIfNeeded() }

  private var tokenRefused: OpenBaoFault.Reason {
    .tokenRefused(url: server.url, account: credentials.tokenAccount)
  }

  private var noLogin: OpenBaoFault.Reason {
    if case .oidc = method { return .nobodyLoggedIn }
    let needed = method.need + (credentials.source.map { " in " + $0 } ?? "")
    return .noLogin(needed: needed, url: server.url, account: credentials.account(for: method))
  }

  private func logIn() throws(KeychainError) {
    guard let path = method.path else { throw loginError(noLogin) }
    var needed = Secret()
    if method.needsSecret {
      guard let secret = try credentials.secret(for: method) else { throw loginError(noLogin) }
      needed = secret
    }
    let reply = try nodes.exchange(
      ServerRequest(method: .post, path: path), method.body(needed), nil, isRepeatable: true)
    try take(reply, of: path)
    noteLogin()
  }

  /// Logs in, even if there is a token already; with a person, if the method needs one. Returns when the kept token
  /// ends, in seconds since the Unix epoch; `nil` if unknown.
  func logInAnew() throws(KeychainError) -> Int64? {
    // There is no way to get another one.
    if case .token = method { return try expiryOfToken() }
    if case .oidc(let mount, let role, let port) = method {
      let reply = try OIDCLogin(nodes: nodes, mount: mount, role: role, port: port).reply()
      try take(reply, of: "auth/\(mount)")
    } else {
      try logIn()
    }
    guard let kept = try credentials.token() else {
      throw .unavailable(
        reason: "the token of \(server.name) can't be kept: there is no keychain of your own yet")
    }
    guard token.lend({ $0.value.isEqual(to: kept.value) }) ?? false else {
      throw .unavailable(reason: "the token of \(server.name) can't be kept: another one is in its place")
    }
    return kept.expiry
  }

  /// When the token in use ends, in seconds since the Unix epoch; `nil` if it doesn't, or may not know that.
  ///
  /// - Throws: ``KeychainError``, also if the server doesn't know it.
  private func expiryOfToken() throws(KeychainError) -> Int64? {
    guard let life = try lifeOfToken(), life.left > 0 else { return nil }
    return clock().seconds + Int64(life.left)
  }

  private static let lookUp = "auth/token/lookup-self"

  /// The remaining seconds of the token in use, 0 for ever, and its remaining requests, 0 for any number; `nil` if it
  /// may not look that up.
  ///
  /// - Throws: ``KeychainError``, also if the server doesn't know it.
  private func lifeOfToken() throws(KeychainError) -> (left: Int, uses: Int)? {
    let reply = try send(ServerRequest(method: .get, path: Self.lookUp))
    if reply.status == 403 { return nil }
    guard reply.status == 200 else { throw notUnderstood(reply) }
    var life = (left: 0, uses: 0)
    try server.data(of: reply) { (name, value) throws(JSONReader.Malformed) in
      if name == "ttl" { life.left = try value.integer() }
      if name == "num_uses" { life.uses = try value.integer() }
    }
    return life
  }

  private func take(_ reply: borrowing ServerReply, of path: String) throws(KeychainError) {
    switch reply.status {
    case 200:
      let issued = try server.understood(reply) { (reply) throws(JSONReader.Malformed) in
        try IssuedToken(reply)
      }
      take(issued, after: nil)
      hasLoggedIn = true
    case 404 where reply.complaint() == .noRoute: throw error(.noMount(path))
    default: throw loginError(.loginRefused(method: method.word))
    }
  }

  private func take(_ issued: borrowing IssuedToken, after former: borrowing Secret?) {
    let now = clock().seconds
    let expiry = issued.lease > 0 ? now + Int64(issued.lease) : nil
    let renewal = issued.isRenewable && issued.lease > 0 ? now + Int64(issued.lease / 2) : nil
    holders?.note(issued.holder, of: issued.value)
    isIdentified = true
    credentials.keep(HeldToken(issued.value.copy(), expiry: expiry, renewal: renewal), after: former)
    token = HeldToken(issued.value.copy(), expiry: expiry, renewal: renewal)
  }

  /// Renews the token, if the server allows it. A token near its maximum, or that can't be renewed, is used to its end.
  /// After a refusal, no other session asks again.
  private func renew() {
    let request = ServerRequest(method: .post, path: "auth/token/renew-self", isDispensable: true)
    guard let reply = try? sendOnce(request, Secret("{}")) else { return }
    let former = token.lend { $0.value.copy() }
    if reply.status == 200 {
      guard let issued = try? IssuedToken(reply) else { return }
      return take(issued, after: former)
    }
    token.lend { credentials.keep(HeldToken($0.value.copy(), expiry: $0.expiry), after: former) }
  }

  /// Makes sure that the token in use lasts long enough to store a token issued meanwhile. Logs in again if necessary
  /// and nobody must be asked.
  ///
  /// - Throws: ``KeychainError``, also if the server doesn't tell.
  func requireLife(ofSeconds seconds: Int) throws(KeychainError) {
    for isLast in [hasLoggedIn || method.path == nil, true] {
      guard let life = try lifeOfToken() else { throw error(.forbidden(.reading, path: Self.lookUp)) }
      // 0 is for ever.
      if life.uses == 0, life.left == 0 || life.left > seconds { return }
      if isLast {
        throw .unavailable(
          reason: "the token for \(server.name) expires too soon to keep a service's new token")
      }
      try logIn()
    }
  }
}
