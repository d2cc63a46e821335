import Bytes
import Expectations
import Keychain
import SignIn
import TestSupport
import Testing

@testable import OpenBao

/// Replies that come one after the other, and the requests for them: for what can't be provoked with a real server.
private final class ScriptedServer: Transport {
  enum Step {
    case reply(Int, String, retryAfter: Int? = nil, location: String? = nil, index: String? = nil)
    case fault(TransportFault)
    /// What was sent last, as it is read from the store in a version.
    case sent(version: Int)
  }

  private var steps: [Step]
  private(set) var requests: [String] = []
  private(set) var tokens: [String] = []
  private(set) var headers: [[String]] = []
  /// The record that was sent last.
  private var record = ""

  init(_ steps: [Step]) { self.steps = steps }

  func exchange(_ request: borrowing HTTPRequest) throws(TransportFault) -> HTTPReply {
    requests.append("\(request.method.rawValue) \(request.url.text)")
    headers.append(request.headers)
    switch request.secretHeader {
    case .some(let header): tokens.append(shown(header))
    case .none: tokens.append("")
    }
    switch request.body {
    case .some(let body):
      // After it, the body ends.
      let text = shown(body)
      if let begin = text.firstRange(of: #","data":"#) {
        record = String(text[begin.upperBound...].dropLast())
      }
    case .none: break
    }
    guard !steps.isEmpty else { throw .unreachable("nothing is left") }
    switch steps.removeFirst() {
    case .fault(let fault): throw fault
    case .sent(let version):
      return HTTPReply(
        status: 200,
        body: Secret(
          #"{"data":{"data":\#(record),"metadata":{"version":\#(version),"#
            + #""created_time":"2026-11-25T13:00:00.5Z","deletion_time":"","destroyed":false}}}"#))
    case .reply(let status, let body, let retryAfter, let location, let index):
      var reply = HTTPReply(status: status, retryAfter: retryAfter, body: Secret(body))
      reply.location = location
      reply.index = index
      return reply
    }
  }
}

/// A server that answers each request by its method and its URL.
private final class AnsweringServer: Transport {
  private let answer: (HTTPRequest.Method, String) -> (Int, String)
  private(set) var methods: [HTTPRequest.Method] = []

  init(_ answer: @escaping (HTTPRequest.Method, String) -> (Int, String)) { self.answer = answer }

  func exchange(_ request: borrowing HTTPRequest) throws(TransportFault) -> HTTPReply {
    methods.append(request.method)
    let (status, body) = answer(request.method, request.url.text)
    return HTTPReply(status: status, body: Secret(body))
  }
}

private final class Credentials: LoginCredentials {
  var held: [String]
  private(set) var kept: [String] = []
  private(set) var renewals: [Int64?] = []
  /// What each was kept in place of.
  private(set) var formers: [String?] = []
  private(set) var forgotten = 0
  var renewal: Int64?
  var expiry: Int64?
  /// What the tokens were got for, if that passes.
  var passing: String?

  init(_ held: [String] = ["s.one"]) { self.held = held }

  func token() -> HeldToken? {
    held.first.map { HeldToken(Secret($0), expiry: expiry, renewal: renewal) }
  }

  func keep(_ token: borrowing HeldToken, after former: borrowing Secret?) {
    kept.append(shown(token.value))
    renewals.append(token.renewal)
    switch former {
    case .some(let former): formers.append(shown(former))
    case .none: formers.append(nil)
    }
  }
  func forget(_ token: borrowing Secret) { forgotten += 1 }
  func account(for method: LoginMethod) -> ByteString? { method.account }
  func secret(for method: LoginMethod) -> Secret? { Secret("needed") }
  func passingSecret() -> Secret? { passing.map { Secret($0) } }
}

private final class KeptMemory: ServerMemoryStore {
  private(set) var kept = ServerMemory()

  func memory() -> ServerMemory { kept }
  func keep(_ memory: ServerMemory) { kept = memory }
}

/// Knows some tokens, and notes whose the others are.
private final class Holders: TokenHolderNoting {
  var known: [String] = []
  private(set) var noted: [String] = []

  func knows(_ token: borrowing Secret) -> Bool { known.contains(shown(token)) }
  func note(_ holder: ByteString?, of token: borrowing Secret) {
    noted.append("\(shown(token)): \(holder ?? "nobody knows")")
  }
  func note(_ login: borrowing Secret) { noted.append("by \(shown(login))") }
}

struct SessionTests {
  private static let denied = ScriptedServer.Step.reply(403, #"{"errors":["permission denied"]}"#)
  private static let first = "https://one.example:8200"
  private static let second = "https://two.example:8200"
  private static let alice = "https://one.example:8200/v1/m/data/https/h/443/-/a/-/-"

  /// A session that isn't patient with changes and reads, unless its patience is given.
  private func session(
    _ server: some Transport, _ addresses: [String] = [first], by method: LoginMethod = .token(name: nil),
    _ credentials: Credentials = Credentials(), memory: any ServerMemoryStore = ForgetfulStore(),
    patience: OpenBaoSession.Patience? = nil, isInsistent: Bool = false, at seconds: Int64 = 1000,
    holders: Holders? = nil, waits: @escaping (Int) -> Void = { _ in }
  ) throws -> OpenBaoSession {
    var hasty = OpenBaoSession.Patience()
    (hasty.changes, hasty.reads, hasty.staleness) = (0, 0, 50)
    let session = OpenBaoSession(
      with: OpenBaoServer(try addresses.map { try #require(EndpointURL($0)) }, mount: "m"), over: server,
      by: method, credentials, memory: memory, isInsistent: isInsistent, patience: patience ?? hasty,
      clock: { Timestamp(seconds: seconds) }, wait: waits)
    session.holders = holders
    return session
  }

  private func read(_ session: OpenBaoSession) throws(KeychainError) {
    _ = try session.send(.init(method: .get, path: "m/data/x"))
  }

  /// What comes of a read with these steps.
  private func fault(
    _ steps: [ScriptedServer.Step], _ addresses: [String] = [first]
  ) throws -> OpenBaoFault.Reason? {
    let session = try session(ScriptedServer(steps), addresses)
    do {
      try read(session)
      return nil
    } catch {
      guard let fault = error.fault(OpenBaoFault.self) else { throw error }
      expect(fault.server, is: Self.first)
      return fault.reason
    }
  }

  @Test("the token goes to the keychain's own nodes alone, and as a header")
  func header() throws {
    let server = ScriptedServer([.reply(200, "{}")])
    try read(session(server))
    expect(server.requests, is: ["GET https://one.example:8200/v1/m/data/x"])
    expect(server.tokens, is: ["X-Vault-Token: s.one"])
  }

  @Test(
    "a redirect to a stranger, to http or to nowhere isn't followed",
    arguments: [
      "https://evil.example:8200/v1/m/data/x", "http://two.example:8200/", "nowhere", "https://one.example/",
    ])
  func strangers(location: String) throws {
    let server = ScriptedServer([.reply(307, "", location: location), .reply(200, "{}")])
    let session = try session(server, [Self.first, Self.second])
    #expect(throws: KeychainError.self) { try read(session) }
    expect(server.requests.count, is: 1)
  }

  @Test("a redirect to a listed node is followed once")
  func redirect() throws {
    let location = Self.second + "/v1/m/data/other"
    let server = ScriptedServer([.reply(307, "", location: location), .reply(200, "{}")])
    try read(session(server, [Self.first, Self.second]))
    // To the path that was asked for, whatever the server says.
    expect(server.requests.last, is: "GET https://two.example:8200/v1/m/data/x")
    let turning = Array(repeating: ScriptedServer.Step.reply(307, "", location: location), count: 20)
    try expect(fault(turning, [Self.first, Self.second]), is: .noActiveNode)
  }

  @Test("a node that can't be reached, fails or is sealed is passed over")
  func failover() throws {
    let failures: [ScriptedServer.Step] = [
      .fault(.unreachable("Failed to connect")), .fault(.tooSlow(milliseconds: 1)), .reply(500, ""),
      .reply(502, ""),
      .reply(504, ""),
    ]
    for failure in failures {
      let server = ScriptedServer([failure, .reply(200, "{}")])
      try read(session(server, [Self.first, Self.second]))
      expect(server.requests.last, is: "GET https://two.example:8200/v1/m/data/x")
    }
  }

  @Test("each status has its outcome")
  func outcomes() throws {
    let sealed = #"{"errors":["Vault is sealed"]}"#
    try expect(fault([.reply(503, sealed), .reply(503, "")]), is: .sealed)
    try expect(fault([.reply(503, sealed), .reply(501, "")]), is: .uninitialised)
    try expect(fault([.reply(501, "")]), is: .uninitialised)
    try expect(fault([.fault(.unsafeConnection("x"))]), is: .unsafeConnection("x"))
    try expect(fault([.fault(.unreachable("x")), .fault(.unreachable("x"))]), is: .unreachable("x"))
    try expect(
      fault([.fault(.tooSlow(milliseconds: 5)), .fault(.tooSlow(milliseconds: 5))]),
      is: .noAnswer(milliseconds: 5))
    for status in [500, 502, 504] {
      try expect(fault([.reply(status, ""), .reply(status, "")]), is: .failed(status: status))
    }
    let standby = #"{"errors":["local node not active but active cluster node not found"]}"#
    try expect(fault([.reply(500, standby), .reply(500, standby)]), is: .noActiveNode)
    try expect(
      fault([.reply(429, #"{"errors":["request path: rate limit quota exceeded"]}"#, retryAfter: 60)]),
      is: .rateLimited(seconds: 0))
    try expect(
      fault([.reply(307, "", location: "https://e.example/")]), is: .redirected(to: "https://e.example"))
    try expect(
      fault([Self.denied, Self.denied, Self.denied]), is: .tokenRefused(url: Self.first, account: nil))
    try expect(fault([Self.denied, .reply(200, "{}")]), is: nil)
    // A token without the policy `default` may not look itself up, and another one may see nothing of the mount.
    try expect(fault([Self.denied, Self.denied, .reply(200, "{}")]), is: nil)
    // What something else says in the server's place says nothing of what is there, or of the token.
    for status in [200, 400, 403, 404, 405] {
      for body in ["", "<html></html>", "[]", #"{"message":"no Route matched"}"#, #"{"errors":"no"}"#]
      where status != 200 || !body.hasPrefix("{") {
        try expect(fault([.reply(status, body)]), is: .notUnderstood(status: status), "\(status) \(body)")
      }
    }
    try expect(fault([.reply(404, #"{"errors":[]}"#)]), is: nil)
    try expect(fault([.reply(404, #"{"data":{"data":null,"metadata":{"version":2}}}"#)]), is: nil)
    try expect(fault([.reply(204, "")]), is: nil)
    #expect(throws: KeychainError.promptDismissed) { try fault([.fault(.cancelled)]) }
    #expect(throws: KeychainError.tooLarge(what: "the item", limit: ItemBounds.item)) {
      try fault([.reply(413, "")])
    }
    let raft =
      #"{"errors":["1 error occurred:\n\t* put failed due to value being too large; got 156 bytes, max 1048576 bytes\n\n"]}"#
    #expect(throws: KeychainError.tooLarge(what: "the item as the server stores it", limit: 1_048_576)) {
      try fault([.reply(500, raft)])
    }
  }

  @Test("a server that has requests wait is waited for as it says")
  func limited() throws {
    let server = ScriptedServer([.reply(429, #"{"errors":["quota"]}"#, retryAfter: 3), .reply(200, "{}")])
    var waited: [Int] = []
    try read(session(server, waits: { waited.append($0) }))
    expect(waited, is: [3000])
  }

  @Test("a standby that hasn't heard of the last write is asked again, with the index")
  func stale() throws {
    let server = ScriptedServer([
      .reply(200, "{}", index: "abc"), .reply(412, ""), .reply(429, #"{"errors":[]}"#),
      .reply(400, #"{"errors":["Waiting for the primary to upgrade"]}"#),
      .reply(200, "{}", index: "bad value"),
      .reply(200, "{}"),
    ])
    let session = try session(server)
    for _ in 1...3 { try read(session) }
    let wanted = ["X-Vault-Index: abc", "X-Vault-Inconsistent: forward-active-node"]
    expect(server.headers[0], is: ["X-Vault-Request: true"])
    for headers in server.headers.dropFirst() { expect(Array(headers.suffix(2)), is: wanted) }
    expect(session.memory.index, is: "abc")
  }

  /// What comes of a read at a time, with what earlier sessions have kept.
  private func fault(
    _ server: ScriptedServer, _ store: KeptMemory, at seconds: Int64, isInsistent: Bool = false
  ) throws -> OpenBaoFault.Reason? {
    let session = try session(
      server, memory: store, patience: .init(), isInsistent: isInsistent, at: seconds)
    do throws(KeychainError) {
      try read(session)
      return nil
    } catch {
      return error.ofOpenBao
    }
  }

  @Test("a server that was silent isn't asked again for a while, unless somebody insists")
  func silence() throws {
    let store = KeptMemory()
    let silent = ScriptedServer([.fault(.tooSlow(milliseconds: 5)), .reply(200, "{}")])
    try expect(fault(silent, store, at: 1000), is: .noAnswer(milliseconds: 5))
    expect(silent.requests.count == 1 && store.kept.silent == Timestamp(seconds: 1000))
    let next = ScriptedServer([.reply(200, "{}")])
    try expect(fault(next, store, at: 1012), is: .silent(seconds: 12))
    expect(next.requests.isEmpty)
    // An insisting one meets it anew, and a clock that was put back is no reason to wait.
    try expect(
      fault(ScriptedServer([.fault(.tooSlow(milliseconds: 5))]), store, at: 1020, isInsistent: true),
      is: .noAnswer(milliseconds: 5))
    try expect(fault(next, store, at: 1049), is: .silent(seconds: 29))
    try expect(fault(ScriptedServer([.reply(200, "{}")]), store, at: 1019), is: nil)
    expect(store.kept.silent, is: nil)
    // What fails at once is tried again at once.
    try expect(fault(ScriptedServer([]), store, at: 1060), is: .unreachable("nothing is left"))
    expect(store.kept.silent, is: nil)
  }

  @Test("a server that wouldn't scan folders isn't asked to for a day")
  func scans() throws {
    let store = KeptMemory()
    /// How the folder of a host is listed in a session at a time.
    func methods(at seconds: Int64, _ steps: ScriptedServer.Step...) throws -> [String] {
      let server = ScriptedServer(steps)
      let session = try session(server, memory: store, patience: .init(), at: seconds)
      try expect(OpenBaoKeychain(session).items(matching: .internet("h")).isEmpty)
      return server.requests.map { String($0.prefix { $0 != " " }) }
    }
    let unsupported = ScriptedServer.Step.reply(405, #"{"errors":[]}"#)
    let empty = ScriptedServer.Step.reply(404, #"{"errors":[]}"#)
    let mounts = ScriptedServer.Step.reply(200, Self.mounts)
    try expect(methods(at: 1000, unsupported, empty, mounts), is: ["SCAN", "LIST", "GET"])
    try expect(methods(at: 1001, empty), is: ["LIST"])
    try expect(methods(at: 87_000, empty), is: ["LIST"])
    try expect(methods(at: 87_401, unsupported, empty), is: ["SCAN", "LIST"])
    try expect(methods(at: 87_402, empty), is: ["LIST"])
    // A clock that was put back keeps nobody from asking.
    try expect(methods(at: 50_000, empty), is: ["SCAN"])
    try expect(methods(at: 50_001, empty), is: ["SCAN"])
  }

  @Test("it is asked once whose token it is, and of one that a login gives it is known")
  func holders() throws {
    let lookup =
      #"{"data":{"entity_id":"e","accessor":"a","policies":["b","default"],"identity_policies":["a"]}}"#
    let holders = Holders()
    let given = ScriptedServer([.reply(200, lookup), .reply(200, "{}"), .reply(200, "{}")])
    let first = try session(given, holders: holders)
    for _ in 1...2 { try read(first) }
    expect(given.requests.map { $0.hasSuffix("lookup-self") }, is: [true, false, false])
    expect(holders.noted, is: ["s.one: e a,b,default"])
    holders.known = ["s.one"]
    let known = ScriptedServer([.reply(200, "{}")])
    try read(session(known, holders: holders))
    expect(known.requests.count == 1 && holders.noted.count == 1)
    // The same login says the same of itself; nobody knows of a token that may not look itself up.
    let reply =
      #"{"auth":{"client_token":"s.two","lease_duration":100,"entity_id":"e","policies":["a","b","default"]}}"#
    let login = ScriptedServer([.reply(200, reply), .reply(200, "{}")])
    try read(
      session(
        login, by: .userPassword(mount: "userpass", name: "x"), Credentials([]), holders: holders))
    let unknown = ScriptedServer([Self.denied, .reply(200, "{}")])
    try read(session(unknown, [Self.first], Credentials(["s.three"]), holders: holders))
    expect(holders.noted.dropFirst(), is: ["s.two: e a,b,default", "s.three: nobody knows"])
  }

  @Test("what a job's token was got for is noted after whose it is", arguments: [[], ["s.one"]])
  func jobs(held: [String]) throws {
    let holders = Holders()
    holders.known = ["s.one"]
    let reply = #"{"auth":{"client_token":"s.two","lease_duration":100,"entity_id":"e","policies":["a"]}}"#
    let steps: [ScriptedServer.Step] = held.isEmpty ? [.reply(200, reply)] : []
    let credentials = Credentials(held)
    credentials.passing = "jwt"
    let server = ScriptedServer(steps + [.reply(200, "{}")])
    try read(session(server, by: .jwt(mount: "jwt", role: "ci"), credentials, holders: holders))
    expect(holders.noted, is: held.isEmpty ? ["s.two: e a", "by jwt"] : ["by jwt"])
  }

  private static let login = #"{"auth":{"client_token":"s.two","lease_duration":100,"renewable":true}}"#

  @Test("a token that the server no longer knows is replaced by a login, once")
  func relogin() throws {
    let credentials = Credentials()
    let server = ScriptedServer([
      Self.denied, Self.denied, Self.denied, .reply(200, Self.login), .reply(200, "{}"),
    ])
    let method = LoginMethod.userPassword(mount: "people", name: "alice")
    try read(session(server, by: method, credentials))
    expect(
      server.requests,
      is: [
        "GET \(Self.first)/v1/m/data/x", "GET \(Self.first)/v1/sys/internal/ui/mounts/m",
        "GET \(Self.first)/v1/auth/token/lookup-self",
        "POST \(Self.first)/v1/auth/people/login/alice", "GET \(Self.first)/v1/m/data/x",
      ])
    // A login sends no token.
    let tokens = ["s.one", "s.one", "s.one", "", "s.two"]
    expect(server.tokens, is: tokens.map { $0.isEmpty ? "" : "X-Vault-Token: " + $0 })
    expect(credentials.kept == ["s.two"] && credentials.forgotten == 1)
    expect(credentials.formers, is: [nil])
  }

  @Test("a token of a person's is never forgotten or replaced")
  func givenToken() throws {
    let credentials = Credentials()
    let server = ScriptedServer([Self.denied, Self.denied, Self.denied])
    let session = try session(server, [Self.first], credentials)
    #expect(throws: KeychainError.openBao(server: Self.first, .tokenRefused(url: Self.first, account: nil))) {
      try read(session)
    }
    expect(credentials.forgotten == 0 && credentials.kept.isEmpty)
  }

  @Test("a token is renewed when half its life is over, and used on if that fails")
  func renewal() throws {
    // What the server has said no to isn't asked for again. What it couldn't answer is, but not while somebody waits.
    let steps: [(reply: ScriptedServer.Step, token: String, renewals: [Int64?])] = [
      (.reply(200, Self.login), "s.two", [1050]), (.reply(500, ""), "s.one", []),
      (Self.denied, "s.one", [nil]),
    ]
    for (reply, token, renewals) in steps {
      let credentials = Credentials()
      credentials.renewal = 1000
      credentials.expiry = 1100
      let server = ScriptedServer([reply, .reply(200, "{}"), .reply(200, "{}"), .reply(200, "{}")])
      try read(session(server, by: .jwt(mount: "jwt", role: "r"), credentials))
      expect(
        server.requests, is: ["POST \(Self.first)/v1/auth/token/renew-self", "GET \(Self.first)/v1/m/data/x"])
      expect(server.tokens.last, is: "X-Vault-Token: " + token)
      expect(credentials.kept == renewals.map { _ in token } && credentials.renewals == renewals)
      // Nobody's new login gives way to it.
      expect(credentials.formers, is: renewals.map { _ in "s.one" })
    }
  }

  @Test("an expired token isn't used")
  func expired() throws {
    let credentials = Credentials()
    credentials.expiry = 1000
    let server = ScriptedServer([.reply(200, Self.login), .reply(200, "{}")])
    try read(session(server, by: .appRole(mount: "approle", role: "r"), credentials))
    expect(server.requests.first, is: "POST \(Self.first)/v1/auth/approle/login")
  }

  @Test("a token that doesn't fit into a header is none", arguments: ["", "a b", "a\nX: y", "é"])
  func unusableToken(text: String) throws {
    let session = try session(ScriptedServer([]), [Self.first], Credentials([text]))
    #expect(
      throws: KeychainError.openBao(
        server: Self.first, .noLogin(needed: "token", url: Self.first, account: "token"))
    ) {
      try read(session)
    }
  }

  // MARK: Lost writes

  private static let mounts = #"{"data":{"type":"kv","options":{"version":"2"}}}"#
  private static let wrongVersion =
    #"{"errors":["check-and-set parameter did not match the current version"]}"#

  private func read(_ secret: String, version: Int, created: String = "2026-11-25T13:00:00.000Z") -> String {
    #"{"data":{"data":{"class":"internet","protocol":"https","server":"h","account":"a","secret":"\#(secret)","created":"\#(created)"},"#
      + #""metadata":{"version":\#(version),"created_time":"2026-11-25T13:00:00.5Z","deletion_time":"","destroyed":false}}}"#
  }

  private func keychain(_ steps: [ScriptedServer.Step]) throws -> (OpenBaoKeychain, ScriptedServer) {
    let server = ScriptedServer(steps)
    var patience = OpenBaoSession.Patience()
    patience.changes = 1
    let session = try session(server, patience: patience)
    let date = try #require(Timestamp(rfc3339: "2026-11-25T13:00:00.000Z".utf8))
    return (OpenBaoKeychain(session, clock: { date }), server)
  }

  /// libcurl sends a request once more by itself, where the server has ended a connection that was used before.
  @Test(
    "a write whose reply was lost, or that was sent once more unseen, is found to have arrived",
    arguments: [true, false])
  func lostReply(isSeen: Bool) throws {
    let loss: [ScriptedServer.Step] = isSeen ? [.fault(.tooSlow(milliseconds: 1))] : []
    let (keychain, server) = try keychain(
      [.reply(404, #"{"errors":[]}"#), .reply(200, Self.mounts)] + loss
        + [.reply(400, Self.wrongVersion), .sent(version: 1)])
    let added = try keychain.add(.internet("h", account: "a"), Credential(password: "s"))
    expect(added.modificationDate?.milliseconds, is: added.creationDate.map { $0.milliseconds + 500 })
    expect(server.requests.filter { $0.hasPrefix("POST") }.count, is: isSeen ? 2 : 1)
  }

  @Test("so is the note that an item has moved")
  func repeatedMove() throws {
    let date = #""created_time":"2026-11-25T13:00:00.5Z","deletion_time":"","destroyed":false"#
    let written = #"{"data":{"version":1,\#(date)}}"#
    let note = #"{"data":{"data":{"moved":"https/h/443/-/b/-/-"},"metadata":{"version":2,\#(date)}}}"#
    let (keychain, server) = try keychain([
      .reply(200, #"{"data":{"keys":["a/-/-"]}}"#), .reply(200, read("s", version: 1)),
      .reply(200, read("s", version: 1)), .reply(404, #"{"errors":[]}"#), .reply(200, Self.mounts),
      .reply(200, written), .reply(400, Self.wrongVersion), .reply(200, note),
    ])
    var item = try #require(try keychain.items(matching: .internet("h")).first)
    item.key = Item.internet("h", account: "b").key
    try keychain.update(item)
    expect(server.requests.filter { $0.hasPrefix("POST") }.count, is: 2)
  }

  @Test("a write that somebody else was faster with is not taken for one's own")
  func lostRace() throws {
    // Of two that write the very same, as of two that count up, each has to know whether it was the one.
    for other in [read("other", version: 1), read("s", version: 1)] {
      let (keychain, _) = try keychain([
        .reply(404, #"{"errors":[]}"#), .reply(200, Self.mounts), .fault(.tooSlow(milliseconds: 1)),
        .reply(400, Self.wrongVersion), .reply(200, other), .reply(200, other), .reply(200, other),
      ])
      #expect(throws: KeychainError.duplicateItem) {
        try keychain.add(.internet("h", account: "a"), Credential(password: "s"))
      }
    }
  }

  @Test("a change that others are always faster with is given up in time, with its path")
  func contested() throws {
    let record = read("s", version: 1)
    let server = AnsweringServer { method, url in
      switch method {
      case .scan: (200, #"{"data":{"keys":["a/-/-"]}}"#)
      case .post: (400, Self.wrongVersion)
      default: (200, url.hasSuffix("/mounts/m") ? Self.mounts : record)
      }
    }
    var patience = OpenBaoSession.Patience()
    patience.contests = 100
    let keychain = OpenBaoKeychain(try session(server, patience: patience))
    let item = try #require(try keychain.items(matching: .internet("h")).first)
    #expect(
      throws: KeychainError.openBao(server: Self.first, .changed(path: "https/h/443/-/a/-/-"))
    ) { try keychain.update(item, Credential(password: "t")) }
    // By then it has been tried for 500 milliseconds, if each wait is half of the longest.
    let writes = server.methods.count { $0 == .post }
    expect(2...20 ~= writes, "\(writes) writes")
  }

  @Test("an item that was deleted for good and added again is another one")
  func recreated() throws {
    let (keychain, _) = try keychain([
      .reply(200, #"{"data":{"keys":["a/-/-"]}}"#), .reply(200, read("s", version: 1)),
      .reply(200, read("t", version: 1, created: "2026-11-25T14:00:00.000Z")),
    ])
    let item = try #require(try keychain.items(matching: .internet("h")).first)
    _ = try keychain.credential(of: item)
    #expect(throws: KeychainError.itemNotFound) { _ = try keychain.credential(of: item) }
  }

  // MARK: Bounds

  @Test(
    "a server whose folders have no end is not read to it", arguments: [(1, 1000, 32), (1000, 2, 10_000)])
  func endless(folders: Int, depth: Int, limit: Int) throws {
    let keys = (0..<folders).map { #""f\#($0)/""# }.joined(separator: ",")
    let server = AnsweringServer { method, url in
      if method == .scan { return (405, #"{"errors":[]}"#) }
      let isDeep = url.split(separator: "/").count { $0.hasPrefix("f") } >= depth
      return (200, #"{"data":{"keys":[\#(isDeep ? "\"x\"" : keys)]}}"#)
    }
    let keychain = OpenBaoKeychain(try session(server, patience: .init()))
    let what = folders == 1 ? "folders below one another" : "folders"
    #expect(throws: KeychainError.openBao(server: Self.first, .tooMuch(what: what, limit: limit))) {
      try keychain.items(matching: .all)
    }
    expect(server.methods.count <= limit + 3)
  }
}
