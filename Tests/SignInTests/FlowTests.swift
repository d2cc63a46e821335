import Bytes
import Expectations
import Testing

@testable import SignIn

/// A person who sees a code, and a clock that only waiting moves.
private final class PersonWithClock: SignInPerson {
  private(set) var code: String?
  private(set) var waits: [Int] = []
  var now = 0
  var leavesAfter = Int.max

  func show(code: String, at address: EndpointURL, complete: EndpointURL?, seconds: Int) { self.code = code }

  func wait(milliseconds: Int, left seconds: Int) throws(SignInFault) {
    waits.append(milliseconds / 1000)
    now += milliseconds
    if waits.count >= leavesAfter { throw .cancelled }
  }
}

struct DeviceFlowTests {
  private static let codes = ScriptedTransport.Step.reply(
    status: 200,
    #"{"device_code":"d&d","user_code":"ABCD","verification_uri":"https://git.example/device","expires_in":100,"interval":5}"#
  )
  private static let pending = ScriptedTransport.Step.reply(
    status: 400, #"{"error":"authorization_pending"}"#)
  private static let tokens = ScriptedTransport.Step.reply(status: 200, #"{"access_token":"t"}"#)

  private func run(
    _ steps: [ScriptedTransport.Step], _ person: PersonWithClock
  ) throws -> (token: String?, requests: [String]) {
    let transport = ScriptedTransport(steps)
    let flow = DeviceFlow(over: transport, with: person, clock: { person.now })
    let client = try client { $0.scope = "x y" }
    let tokens = try flow.run(client)
    return (shown(tokens.accessToken), transport.requests)
  }

  @Test func signsIn() throws {
    let person = PersonWithClock()
    let (token, requests) = try run([Self.codes, Self.pending, Self.tokens], person)
    expect(token, is: "t")
    expect(person.code, is: "ABCD")
    expect(person.waits, is: [5, 5])
    expect(requests[0], is: "https://git.example/device scope=x%20y&client_id=a%20b")
    expect(
      requests[2],
      is:
        "https://git.example/token grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=d%26d&client_id=a%20b"
    )
  }

  @Test("slower for good after slow_down, and by as much as the server says")
  func slowsDown() throws {
    let person = PersonWithClock()
    let slow = ScriptedTransport.Step.reply(status: 400, #"{"error":"slow_down"}"#)
    let slower = ScriptedTransport.Step.reply(status: 400, #"{"error":"slow_down","interval":30}"#)
    _ = try run([Self.codes, slow, Self.pending, slower, Self.tokens], person)
    expect(person.waits, is: [5, 10, 10, 30])
  }

  @Test("a network that is away for a moment ends nothing")
  func waitsForNetwork() throws {
    let person = PersonWithClock()
    let away = ScriptedTransport.Step.fault(.unreachable("x"))
    _ = try run(
      [Self.codes, away, away, .reply(status: 503, "<html>"), Self.pending, Self.tokens], person)
    expect(person.waits, is: [5, 10, 20, 40, 5])
  }

  @Test func endsInTime() throws {
    let person = PersonWithClock()
    #expect(throws: SignInFault.tooLate) {
      try run([Self.codes] + Array(repeating: Self.pending, count: 100), person)
    }
    expect(person.now, is: 100_000)
  }

  @Test func isCancelled() throws {
    let person = PersonWithClock()
    person.leavesAfter = 2
    #expect(throws: SignInFault.cancelled) { try run([Self.codes, Self.pending, Self.tokens], person) }
  }

  @Test(arguments: ["access_denied", "invalid_client", "unknown"])
  func stops(error: String) throws {
    #expect(throws: SignInFault.self) {
      try run([Self.codes, .reply(status: 400, "{\"error\":\"\(error)\"}"), Self.tokens], PersonWithClock())
    }
  }
}

struct TokenEndpointTests {
  @Test("a secret goes into a header, encoded first, and nowhere else (RFC 6749 section 2.3.1)")
  func header() throws {
    let transport = ScriptedTransport([.reply(status: 200, #"{"access_token":"t"}"#)])
    let client = try client { $0.clientSecret = Secret("p:ä") }
    _ = try client.refresh(Secret("r+"), over: transport)
    expect(transport.requests, is: ["https://git.example/token grant_type=refresh_token&refresh_token=r%2B"])
    expect(transport.authorizations, is: ["a%20b:p%3A%C3%A4"])
  }

  @Test("or into the body")
  func body() throws {
    let transport = ScriptedTransport([.reply(status: 200, #"{"access_token":"t"}"#)])
    let client = try client {
      $0.clientSecret = Secret("p")
      $0.authentication = .body
    }
    _ = try client.refresh(Secret("r"), over: transport)
    expect(
      transport.requests,
      is: [
        "https://git.example/token grant_type=refresh_token&refresh_token=r&client_id=a%20b&client_secret=p"
      ])
    expect(transport.authorizations, is: [nil])
  }

  @Test("one way only: a code works once")
  func once() throws {
    let transport = ScriptedTransport([
      .reply(status: 401, #"{"error":"invalid_client"}"#), .reply(status: 200, #"{"access_token":"t"}"#),
    ])
    let client = try client { $0.clientSecret = Secret("p") }
    do throws(SignInFault) {
      _ = try client.refresh(Secret("r"), over: transport)
      Issue.record("a refusal is no token")
    } catch {
      expect(transport.requests.count, is: 1)
    }
    expect(transport.requests.count, is: 1)
  }
}

struct AuthorizationRequestTests {
  /// The parameters of the address that the browser opens.
  private func parameters(_ request: borrowing AuthorizationRequest) throws -> [String: String] {
    var found: [String: String] = [:]
    let query = Secret(String(request.url.drop { $0 != "?" }.dropFirst()))
    try query.withUnsafeBytes { (bytes) throws(FormReader.Malformed) in
      try FormReader.parameters(of: bytes) { (name, value) throws(FormReader.Malformed) in
        found["\(name)"] = shown(value)
      }
    }
    return found
  }

  private func outcome(_ request: borrowing AuthorizationRequest, _ query: String) throws(SignInFault)
    -> String
  {
    let query = Secret(query)
    let returned = try query.withUnsafeBytes { (bytes) throws(SignInFault) in try request.check(bytes) }
    switch consume returned {
    case .code(let code): return "code " + shown(code)
    case .refusal(let refusal): return "\(refusal.kind)"
    case .foreign: return "foreign"
    }
  }

  @Test func asks() throws {
    let request = try AuthorizationRequest(try client { $0.scope = "x y" }, port: 99)
    let found = try parameters(request)
    expect(request.url.hasPrefix("https://git.example/authorize?response_type=code&client_id=a%20b&"))
    expect(found["redirect_uri"], is: "http://127.0.0.1:99")
    expect(found["scope"], is: "x y")
    expect(found["code_challenge_method"], is: "S256")
    expect(found["code_challenge"]?.count, is: 43)
    expect(found["state"]?.count, is: 22)
    let other = try AuthorizationRequest(try client(), port: 99)
    try expect(parameters(other)["state"] != found["state"])
    try expect(parameters(other)["code_challenge"] != found["code_challenge"])
  }

  @Test("the state comes first, then the issuer, then the rest")
  func checks() throws {
    let request = try AuthorizationRequest(try client { $0.issuer = "https://git.example" }, port: 99)
    let state = try #require(try parameters(request)["state"])
    try expect(outcome(request, "code=c%2B&state=\(state)"), is: "code c+")
    try expect(outcome(request, "code=c&state=\(state)&iss=https%3A%2F%2Fgit.example"), is: "code c")
    for query in [
      "", "code=c", "code=c&state=", "code=c&state=\(state)x", "code=c&code=d&state=\(state)",
      "code=%&state=\(state)",
      "state=\(state)", "code=&state=\(state)", "error=access_denied", "error=access_denied&state=x",
    ] {
      try expect(outcome(request, query), is: "foreign", "\(query)")
    }
    try expect(outcome(request, "error=access_denied&state=\(state)"), is: "denied")
    for issuer in ["https://evil.example", "https://git.example/", "HTTPS://git.example", ""] {
      #expect(throws: SignInFault.wrongIssuer, "\(issuer)") {
        try outcome(request, "code=c&state=\(state)&iss=\(issuer)")
      }
    }
  }

  @Test("a promised issuer has to be there (RFC 9207 section 2.4)")
  func promisedIssuer() throws {
    let request = try AuthorizationRequest(
      try client {
        $0.issuer = "https://git.example"
        $0.promisesIssuer = true
      }, port: 99)
    let state = try #require(try parameters(request)["state"])
    #expect(throws: SignInFault.wrongIssuer) { try outcome(request, "code=c&state=\(state)") }
    try expect(outcome(request, "code=c&state=\(state)&iss=https%3A%2F%2Fgit.example"), is: "code c")
  }

  @Test("how the code comes back is asked for where it isn't the usual way")
  func responseMode() throws {
    let usual = try AuthorizationRequest(try client(), port: 99)
    try expect(parameters(usual)["response_mode"], is: nil)
    let form = try AuthorizationRequest(try client(), port: 99, mode: .formPost)
    try expect(parameters(form)["response_mode"], is: "form_post")
  }

  @Test("the challenge of RFC 7636 appendix B")
  func challenge() {
    let key = ProofKey(verifier: Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    expect(key.challenge, is: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }
}

struct ReturnRequestTests {
  private func outcome(_ text: String, isForm: Bool = false) -> String {
    let outcome = Array(text.utf8).withUnsafeBytes {
      ReturnRequest.parse($0, hosts: ["127.0.0.1:9", "localhost:9"], isForm: isForm)
    }
    switch outcome {
    case .request(let request):
      return "\(request.path) \(String(decoding: request.parameters, as: UTF8.self))"
    case .incomplete: return "incomplete"
    case .refused(let status): return "\(status)"
    }
  }

  @Test func isRead() {
    expect(outcome("GET /cb?a=b&c HTTP/1.1\r\nHost: 127.0.0.1:9\r\nX: y\r\n\r\n"), is: "/cb a=b&c")
    expect(outcome("GET / HTTP/1.0\nhost:localhost:9\n\n"), is: "/ ")
    expect(outcome("GET /?a=b?c HTTP/1.1\r\nHost: LOCALHOST:9\r\n\r\n"), is: "/ a=b?c")
  }

  @Test(arguments: ["", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: 127.0.0.1:9\r\n"])
  func incomplete(text: String) {
    expect(outcome(text), is: "incomplete")
  }

  @Test(arguments: [
    ("POST / HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\r\n", "405"),
    ("HEAD / HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\r\n", "405"),
    ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "400"),
    ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "400"),
    ("GET / HTTP/1.1\r\n\r\n", "400"),
    ("GET / HTTP/1.1\r\nHost: 127.0.0.1:9\r\nHost: 127.0.0.1:9\r\n\r\n", "400"),
    ("GET http://127.0.0.1:9/ HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\r\n", "400"), ("GET /\r\n\r\n", "400"),
    ("\u{16}\u{3}\u{1}\n\n", "400"), ("GET / HTTP/2\r\nHost: 127.0.0.1:9\r\n\r\n", "400"),
    ("GET /\u{e9} HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\r\n", "400"),
    ("GET /" + String(repeating: "a", count: 40_000), "431"),
  ])
  func refused(text: String, status: String) {
    expect(outcome(text), is: status)
  }

  /// A request whose browser sends a form, with these lines between `Host` and the body.
  private static func form(_ lines: String, _ body: String) -> String {
    "POST /cb?code=no HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\(lines)\r\n\r\n\(body)"
  }

  private static let formType = "Content-Type: application/x-www-form-urlencoded"

  @Test("a form comes in the body, whatever is in the address")
  func isForm() {
    expect(
      outcome(Self.form("\(Self.formType)\r\nContent-Length: 6", "code=1"), isForm: true), is: "/cb code=1")
    expect(
      outcome(Self.form("\(Self.formType);charset=UTF-8\r\ncontent-length:3", "a=1\r\n"), isForm: true),
      is: "/cb a=1")
    expect(outcome(Self.form("\(Self.formType)\r\nContent-Length: 0", ""), isForm: true), is: "/cb ")
    expect(
      outcome(Self.form("\(Self.formType)\r\nContent-Length: 7", "code=1"), isForm: true), is: "incomplete")
  }

  @Test(
    "what is no form is refused",
    arguments: [
      ("GET /?code=1 HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\r\n", "405"),
      (form(formType, "code=1"), "411"),
      (form("\(formType)\r\nContent-Length: 6\r\nContent-Length: 6", "code=1"), "411"),
      (form("\(formType)\r\nContent-Length: -6", "code=1"), "411"),
      (form("\(formType)\r\nContent-Length: 6\r\nTransfer-Encoding: chunked", "code=1"), "411"),
      (form("\(formType)\r\nContent-Length: 40000", ""), "413"),
      (form("Content-Type: text/plain\r\nContent-Length: 6", "code=1"), "415"),
      (form("Content-Length: 6", "code=1"), "415"),
    ])
  func isNoForm(text: String, status: String) {
    expect(outcome(text, isForm: true), is: status)
  }
}
