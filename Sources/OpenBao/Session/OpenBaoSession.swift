package import Bytes
import Glibc
import JSON
import Keychain
package import SignIn

/// Requests to one server, with its login, over any of its nodes.
///
/// A node that can't be reached or that fails is passed over. A redirect is followed once, to an address of the keychain's
/// own, for the token goes with it. Reads give up after a second round; what changes something is tried for as long as an
/// election takes, and whoever asks for it has to see afterwards whether an earlier try has arrived.
package final class OpenBaoSession {
  /// The limits of waiting, in milliseconds.
  package struct Patience: Sendable {
    /// How long changes are tried, and what is read to make them.
    package var changes = 20_000
    /// How long reads are tried, if there are several nodes and one of them answers at all.
    package var reads = 5000
    /// How long a server may have requests wait that it limits.
    package var limited = 10_000
    /// How long a read waits for a node to hear of what was written before.
    package var staleness = 2000

    /// The usual limits.
    package init() {}
  }

  package let server: OpenBaoServer
  private let transport: (any Transport)?
  private let method: LoginMethod
  private let credentials: any LoginCredentials
  private let store: any ServerMemoryStore
  private let patience: Patience
  private let clock: () -> Timestamp
  private let wait: (_ milliseconds: Int) -> Void
  private var silence: ServerSilence

  /// What is known of the server.
  package private(set) lazy var memory: ServerMemory = store.memory()
  private var token: HeldToken?
  /// Keeps note of whose tokens are used; `nil` if nobody wants to know.
  package var holders: (any TokenHolderNoting)?
  /// Whether it is noted whose token this is.
  private var isIdentified = false
  private var hasLoggedIn = false
  /// Whether what is read is to be changed, so that an election is waited for.
  var isChanging = false
  /// The node that has answered last.
  private var preferred = 0

  /// - Parameters:
  ///   - transport: sends the requests; `nil` if there is no network, so that each is an error.
  ///   - isInsistent: whether the server is asked although it has not answered a moment ago.
  ///   - clock: the present time, by which tokens are renewed.
  ///   - wait: waits for a number of milliseconds.
  package init(
    with server: OpenBaoServer, over transport: (any Transport)?, by method: LoginMethod,
    _ credentials: any LoginCredentials, memory store: any ServerMemoryStore,
    isInsistent: Bool = false, patience: Patience = Patience(),
    clock: @escaping () -> Timestamp = { .now },
    wait: @escaping (_ milliseconds: Int) -> Void = { usleep(UInt32($0) * 1000) }
  ) {
    self.server = server
    self.transport = transport
    self.method = method
    self.credentials = credentials
    self.store = store
    self.patience = patience
    silence = ServerSilence(isInsistent: isInsistent)
    self.clock = clock
    self.wait = wait
  }

  /// Notes what is known of the server.
  func note(_ change: (inout ServerMemory) -> Void) {
    var changed = memory
    change(&changed)
    if changed == memory { return }
    memory = changed
    store.keep(changed)
  }

  func error(_ fault: KeychainError.OpenBaoFault) -> KeychainError { .openBao(server: server.name, fault) }

  func notUnderstood(_ reply: borrowing ServerReply) -> KeychainError {
    error(.notUnderstood(status: reply.status))
  }

  // MARK: Requests with a login

  /// Something to ask a server for.
  struct Request {
    var method: HTTPRequest.Method
    /// The path after `/v1/`.
    var path: String
    /// What follows the question mark, well encoded; `nil` for nothing.
    var query: String?
    /// The largest body of the reply, in bytes.
    var maximumReply = 2 << 20
    /// Whether the answer may take a server long, as the list of a large folder does.
    var mayTakeLong = false
    /// Whether it changes something.
    var isChange: Bool { method == .post || method == .delete }
  }

  /// The reply, and whether the request may have arrived before as well.
  struct Outcome: ~Copyable {
    let reply: ServerReply
    let mayBeRepeated: Bool
  }

  /// Sends a request as whoever has logged in.
  ///
  /// - Returns: a reply with a status below 500, but not one that tells the client to log in, to wait or to go elsewhere.
  ///   403 means that the policies don't allow it.
  /// - Throws: ``KeychainError/openBao(server:_:)``, and what the credentials throw.
  func send(_ request: Request, _ body: borrowing Secret? = nil) throws(KeychainError) -> Outcome {
    try logInIfNeeded()
    let outcome = try sendOnce(request, body)
    // Right after a login, it is the policies.
    if outcome.reply.status != 403 || hasLoggedIn { return outcome }
    if try isKnownToken() { return outcome }
    if case .token = method { throw error(.tokenRefused) }
    token = nil
    credentials.forget()
    // Only a person can log in again.
    if method.path == nil { throw error(.tokenRefused) }
    try logIn()
    return try sendOnce(request, body)
  }

  private func sendOnce(_ request: Request, _ body: borrowing Secret?) throws(KeychainError) -> Outcome {
    let header: Secret?
    switch token {
    case .some(let token):
      var text = Secret("X-Vault-Token: ")
      text.append(token.value)
      header = consume text
    case .none: throw error(noLogin)
    }
    return try exchange(request, body, header)
  }

  /// Whether the server knows the token, although it has refused a request.
  private func isKnownToken() throws(KeychainError) -> Bool {
    let outcome = try sendOnce(Request(method: .get, path: "auth/token/lookup-self"), nil)
    return outcome.reply.status != 403
  }

  // MARK: Logging in

  private func logInIfNeeded() throws(KeychainError) {
    let now = clock().seconds
    switch token {
    case .none: break
    case .some(let token): if token.expiry ?? .max > now { return }
    }
    token = nil
    isIdentified = false
    switch try credentials.token() {
    case .none: break
    case .some(let kept):
      guard kept.expiry ?? .max > now, IssuedToken.isToken(kept.value) else { break }
      let renewal = kept.renewal
      token = HeldToken(kept.value.copy(), expiry: kept.expiry, renewal: renewal)
      if let renewal, renewal <= now { renew() }
      return try identify()
    }
    try logIn()
  }

  /// Has it noted whose token is used: by asking the server, if that wasn't said with the token or before.
  private func identify() throws(KeychainError) {
    guard let holders, !isIdentified else { return }
    switch token {
    case .some(let token): isIdentified = holders.knows(token.value)
    case .none: return
    }
    if isIdentified { return }
    let outcome = try sendOnce(Request(method: .get, path: "auth/token/lookup-self"), nil)
    let holder =
      outcome.reply.status == 200
      ? try? outcome.reply.withMember("data") { (data) throws(JSONReader.Malformed) in
        try TokenHolder.text(of: data)
      } : nil
    switch token {
    case .some(let token): holders.note(holder, of: token.value)
    case .none: break
    }
    isIdentified = true
  }

  /// Logs in, if nobody has yet, and has it noted as whom.
  ///
  /// - Throws: ``KeychainError``
  func logInToBeKnown() throws(KeychainError) { try logInIfNeeded() }

  private var noLogin: KeychainError.OpenBaoFault {
    if case .oidc = method { return .nobodyLoggedIn }
    return .noLogin(needed: method.need, url: server.url, account: credentials.account(for: method))
  }

  private func logIn() throws(KeychainError) {
    guard let path = method.path else { throw error(noLogin) }
    var needed = Secret()
    if method.needsSecret {
      switch try credentials.secret(for: method) {
      case .none: throw error(noLogin)
      case .some(let secret): needed = secret.copy()
      }
    }
    let outcome = try exchange(
      Request(method: .post, path: path), method.body(needed), nil, isRepeatable: true)
    try take(outcome.reply, of: path)
  }

  /// Logs in, also if there is a token already: with a person, if the method needs one.
  ///
  /// - Returns: when the token that was kept ends, in seconds since the Unix epoch; `nil` if that isn't known.
  /// - Throws: ``KeychainError``
  func logInAnew() throws(KeychainError) -> Int64? {
    if case .oidc(let mount, let role, let port) = method {
      try logIn(byBrowserAt: mount, as: role, port)
    } else {
      try logIn()
    }
    switch try credentials.token() {
    case .none:
      throw .unavailable(
        reason: "the token of \(server.name) can't be kept: there is no keychain of your own yet")
    case .some(let kept): return kept.expiry
    }
  }

  /// Logs in by OpenID Connect: the server says which page it is, and what the browser brings back goes to the server.
  private func logIn(
    byBrowserAt mount: String, as role: ByteString?, _ port: UInt16
  ) throws(KeychainError) {
    guard let browser = transport as? any BrowserVisiting else { throw error(.noNetworkProgram) }
    let redirect = "http://localhost:\(port)/oidc/callback"
    let nonce = RandomText.unreserved(byteCount: 20)
    var json = JSONWriter()
    json.beginObject()
    json.member("role", role)
    json.member("redirect_uri", ByteString(redirect))
    json.member("client_nonce", nonce)
    json.endObject()
    let answer = try exchange(
      Request(method: .post, path: "auth/\(mount)/oidc/auth_url", mayTakeLong: true), json.finish(), nil,
      isRepeatable: true)
    let visit = try self.visit(answer.reply, to: "auth/\(mount)", backTo: redirect)
    let came: BrowserReturn
    do throws(TransportFault) {
      came = try browser.visit(visit)
    } catch {
      throw self.error(.noNetworkProgram)
    }
    switch consume came {
    case .code(let code):
      var query = FormBody()
      query.append("state", visit.state)
      query.append("client_nonce", nonce)
      query.append("code", code)
      let text = query.finish().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      let outcome = try exchange(
        Request(method: .get, path: "auth/\(mount)/oidc/callback", query: text, mayTakeLong: true), nil, nil)
      try take(outcome.reply, of: "auth/\(mount)")
    case .refused(let words): throw .unavailable(reason: "the service refused the login: \(words)")
    case .portInUse:
      throw .unavailable(
        reason:
          "another program uses port \(port), to which the browser comes back; wait for it, or choose another one with the setting 'callback-port'"
      )
    case .tooLate: throw .promptDismissed
    }
  }

  /// The page that a server has named for a login.
  private func visit(
    _ reply: borrowing ServerReply, to path: String, backTo redirect: String
  ) throws(KeychainError) -> BrowserVisit {
    if reply.status == 404, reply.complaint() == .noRoute { throw error(.noMount(path)) }
    guard reply.status == 200 else { throw error(.loginRefused(method: method.word)) }
    var text = ""
    do throws(JSONReader.Malformed) {
      text = try reply.withMember("data") { (data) throws(JSONReader.Malformed) in
        var text = ""
        try JSONReader.members(of: data) { (name, value) throws(JSONReader.Malformed) in
          if name == "auth_url" { text = "\(try value.string())" }
        }
        return text
      }
    } catch {
      throw notUnderstood(reply)
    }
    // It is empty if the role doesn't allow the address to come back to.
    if text.isEmpty { throw error(.loginRefused(method: method.word)) }
    guard let page = EndpointURL(ofAnyLength: text), text.utf8.count <= 16_384 else {
      throw notUnderstood(reply)
    }
    var state = Secret()
    let query = Secret(page.query)
    try? query.withUnsafeBytes { (query) throws(FormReader.Malformed) in
      try FormReader.parameters(of: query) { (name, value) throws(FormReader.Malformed) in
        if name == "state" { state = value }
      }
    }
    if state.isEmpty { throw notUnderstood(reply) }
    return BrowserVisit(page, backTo: redirect, for: server.name, state: state.copy())
  }

  /// Takes the token of a reply to a login.
  private func take(_ reply: borrowing ServerReply, of path: String) throws(KeychainError) {
    switch reply.status {
    case 200:
      do throws(JSONReader.Malformed) {
        take(try IssuedToken(reply))
        hasLoggedIn = true
      } catch {
        throw notUnderstood(reply)
      }
    case 404 where reply.complaint() == .noRoute: throw error(.noMount(path))
    default: throw error(.loginRefused(method: method.word))
    }
  }

  private func take(_ issued: borrowing IssuedToken) {
    let now = clock().seconds
    let expiry = issued.lease > 0 ? now + Int64(issued.lease) : nil
    let renewal = issued.isRenewable && issued.lease > 0 ? now + Int64(issued.lease / 2) : nil
    holders?.note(issued.holder, of: issued.value)
    isIdentified = true
    credentials.keep(HeldToken(issued.value.copy(), expiry: expiry, renewal: renewal))
    token = HeldToken(issued.value.copy(), expiry: expiry, renewal: renewal)
  }

  /// Renews the token, if the server does so. One that is near its maximum, or can't be renewed, is used to its end.
  private func renew() {
    guard let outcome = try? sendOnce(Request(method: .post, path: "auth/token/renew-self"), Secret("{}")),
      outcome.reply.status == 200, let issued = try? IssuedToken(outcome.reply)
    else { return }
    take(issued)
  }

  // MARK: Exchanges

  /// Sends a request to one node after the other, until one answers.
  private func exchange(
    _ request: Request, _ body: borrowing Secret?, _ header: borrowing Secret?, isRepeatable: Bool = false
  ) throws(KeychainError) -> Outcome {
    if let seconds = silence.seconds(since: memory.silent, at: clock()) {
      throw error(.silent(seconds: seconds))
    }
    let isChange = isChanging || request.isChange && !isRepeatable
    let hasAnswered = silence.isBroken
    let start = SystemClock.awake
    var last = KeychainError.OpenBaoFault.noActiveNode
    var mayHaveArrived = false
    var round = 0
    while true {
      var isAnyThere = false
      var isSlow = false
      var sealed = 0
      for offset in 0..<server.addresses.count {
        let number = (preferred + offset) % server.addresses.count
        switch try ask(request, body, header, server.addresses[number], from: start) {
        case .reply(let reply):
          preferred = number
          return Outcome(reply: reply, mayBeRepeated: mayHaveArrived)
        case .fault(let fault, let isThere, let mayArrive):
          last = fault
          isAnyThere = isAnyThere || isThere
          if fault == .sealed || fault == .uninitialised { sealed += 1 }
          mayHaveArrived = mayHaveArrived || mayArrive
          if case .noAnswer = fault { isSlow = true }
        }
      }
      round += 1
      // Whoever has waited for nothing doesn't do so again, except to see whether a change has arrived.
      isSlow = isSlow || SystemClock.awake - start >= ServerSilence.noticeable
      if !isAnyThere, isSlow, !(isChange && hasAnswered && round == 1) {
        noteSilence()
        throw error(last)
      }
      // Nobody unseals a server while somebody waits.
      if sealed == server.addresses.count { throw error(last) }
      // Where no node is there, none comes back within moments. Where one is, the others may be electing.
      let limit =
        !isAnyThere ? 0 : isChange ? patience.changes : server.addresses.count > 1 ? patience.reads : 0
      if round >= 2, SystemClock.awake - start >= limit { throw error(last) }
      wait(min(50 << min(round, 4), 500) + .random(in: 0...50))
    }
  }

  /// Notes that nobody has answered, for this session and the next ones.
  private func noteSilence() {
    silence.noteSilence()
    note { $0.silent = clock() }
  }

  private func noteAnswer() {
    silence.noteAnswer()
    note { $0.silent = nil }
  }

  private enum Answer: ~Copyable {
    case reply(ServerReply)
    /// Why there is none, whether a node answered at all, and whether the request may have arrived.
    case fault(KeychainError.OpenBaoFault, isThere: Bool, mayHaveArrived: Bool)
  }

  /// Sends a request to one node.
  ///
  /// - Parameter start: when it was first tried.
  private func ask(
    _ request: Request, _ body: borrowing Secret?, _ header: borrowing Secret?, _ address: EndpointURL,
    from start: Int
  ) throws(KeychainError) -> Answer {
    guard let transport else { throw error(.noNetworkProgram) }
    var address = address
    var isRedirected = false
    let begin = SystemClock.awake
    while true {
      let reply: HTTPReply
      do throws(TransportFault) {
        reply = try transport.exchange(httpRequest(request, body, header, at: address))
      } catch {
        switch error {
        case .unreachable(let reason):
          let mayHaveArrived = !Self.isRefused(reason)
          return .fault(
            .unreachable(reason), isThere: isRedirected || mayHaveArrived, mayHaveArrived: mayHaveArrived)
        case .proxyAuthentication:
          return .fault(.unreachable("the proxy demands a login"), isThere: false, mayHaveArrived: false)
        case .unsafeConnection(let reason): throw self.error(.unsafeConnection(reason))
        case .tooLarge:
          throw self.error(.tooMuch(what: "bytes in an answer", limit: request.maximumReply))
        case .tooSlow(let milliseconds):
          return .fault(.noAnswer(milliseconds: milliseconds), isThere: isRedirected, mayHaveArrived: true)
        case .cancelled: throw .promptDismissed
        }
      }
      noteAnswer()
      if let index = reply.index, Self.isIndex(index) { note { $0.index = index } }
      let answer = ServerReply(status: reply.status, body: reply.body.copy())
      let waited = SystemClock.awake - begin
      switch reply.status {
      case 301, 302, 303, 307, 308:
        guard !isRedirected else { return .fault(.noActiveNode, isThere: true, mayHaveArrived: false) }
        address = try redirected(reply.location)
        isRedirected = true
      case 400 where answer.complaint() == .waitingForPrimary, 412,
        429 where reply.retryAfter == nil && answer.complaint() == .none:
        guard waited < patience.staleness else {
          return .fault(.noActiveNode, isThere: true, mayHaveArrived: false)
        }
        wait(20)
      case 429:
        let pause = max(1, reply.retryAfter ?? 1) * 1000
        guard waited + pause <= patience.limited else { throw error(.rateLimited(seconds: waited / 1000)) }
        wait(pause)
      case 413: throw .tooLarge(what: "the item", limit: ItemBounds.item)
      case 501: return .fault(.uninitialised, isThere: true, mayHaveArrived: false)
      case 503:
        let isNew = answer.complaint() == .uninitialised || isUninitialised(address)
        return .fault(isNew ? .uninitialised : .sealed, isThere: true, mayHaveArrived: false)
      case 500...: return .fault(.noActiveNode, isThere: true, mayHaveArrived: true)
      default: return .reply(answer)
      }
    }
  }

  /// Whether a node that takes no requests has never been initialised: a sealed one says the same of itself.
  private func isUninitialised(_ address: EndpointURL) -> Bool {
    guard let transport else { return false }
    var request = HTTPRequest(get: server.url("sys/health", at: address))
    request.headers = ["X-Vault-Request: true"]
    return (try? transport.exchange(request).status == 501) ?? false
  }

  private func httpRequest(
    _ request: Request, _ body: borrowing Secret?, _ header: borrowing Secret?, at address: EndpointURL
  ) -> HTTPRequest {
    var url = server.url(request.path, at: address)
    if let query = request.query { url = url.asking(query) }
    var made: HTTPRequest
    switch body {
    case .some(let body): made = HTTPRequest(post: body.copy(), to: url)
    case .none: made = HTTPRequest(request.method, url)
    }
    made.mediaType = "application/json"
    made.maximumReply = request.maximumReply
    made.timeout = silence.patience(isShort: !request.mayTakeLong, nodes: server.addresses.count)
    // A proxy can insist on it, against requests that pages make a browser send.
    made.headers = ["X-Vault-Request: true"]
    if !server.namespace.isEmpty { made.headers.append("X-Vault-Namespace: \(server.namespace)") }
    if let index = memory.index {
      made.headers += ["X-Vault-Index: \(index)", "X-Vault-Inconsistent: forward-active-node"]
    }
    switch header {
    case .some(let header): made.secretHeader = header.copy()
    case .none: break
    }
    return made
  }

  /// Where a redirect leads to, if it is one of the keychain's own nodes.
  private func redirected(_ location: String?) throws(KeychainError) -> EndpointURL {
    guard let location, let url = EndpointURL(ofAnyLength: location) else {
      throw error(.redirected(to: location.map { String($0.prefix(200)) } ?? "nowhere"))
    }
    guard let listed = server.addresses.first(where: { $0.hasSameOrigin(as: url) }) else {
      throw error(.redirected(to: url.origin))
    }
    return listed
  }

  /// Whether a value of the header can be sent back.
  private static func isIndex(_ text: String) -> Bool {
    1...1024 ~= text.utf8.count && text.utf8.allSatisfy { 0x21...0x7e ~= $0 }
  }

  /// Whether a connection was never made.
  private static func isRefused(_ reason: String) -> Bool {
    reason.hasPart("connect") || reason.hasPart("resolve")
  }
}
