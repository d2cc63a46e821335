import Bytes
import Expectations
import Properties
import Testing

@testable import SignIn

struct TokenReplyTests {
  @Test("what the fuzzer has found interesting")
  func corpus() throws {
    try expect(Corpus.failures(of: "sign-in-replies", SignInRepliesProperty.self), is: [])
  }

  private func parsed(_ reply: borrowing HTTPReply) throws(ReplyFault) -> String {
    switch try TokenReply.parse(reply) {
    case .tokens(let tokens):
      "\(shown(tokens.accessToken)) \(text(tokens.refreshToken) ?? "-") \(tokens.life.map { "\($0)" } ?? "-") \(tokens.scope ?? "-")"
    case .refusal(let refusal): "\(refusal.kind)"
    }
  }

  @Test(arguments: [
    (
      #"{"access_token":"a","refresh_token":"r","expires_in":60,"scope":"x y","token_type":"bearer"}"#,
      "a r 60 x y"
    ),
    (#"{"access_token":"a"}"#, "a - - -"),
    (#"{"access_token":"a","refresh_token":"","scopes":"repository"}"#, "a - - repository"),
    (#"{"access_token":"a","refresh_token":null,"token_type":"MAC"}"#, "a - - -"),
  ])
  func tokens(body: String, expected: String) throws {
    try expect(parsed(reply(body)), is: expected)
  }

  @Test(
    "a life that can't be is unknown",
    arguments: [
      "-1", "0", "\"-60\"", "\"soon\"", "\"0x3c\"", "\"\"", "true", "99999999999999999999", "315360001",
    ])
  func impossibleLives(written: String) throws {
    try expect(parsed(reply("{\"access_token\":\"a\",\"expires_in\":\(written)}")), is: "a - - -")
  }

  @Test(
    "a life may be text, or have a fraction",
    arguments: [
      ("\"60\"", 60), ("59.9", 59), ("\"59.9\"", 59), ("3600.0", 3600), ("1e3", 1000),
      ("\"3599.99999999\"", 3599),
    ] as [(String, Int64)])
  func lives(written: String, seconds: Int64) throws {
    let body = "{\"access_token\":\"a\",\"expires_in\":\(written)}"
    try expect(parsed(reply(body)), is: "a - \(seconds) -")
    let codes = """
      {"device_code":"d","user_code":"u","verification_uri":"https://git.example","expires_in":\(written),"interval":"7"}
      """
    switch try DeviceReply.parse(reply(codes)) {
    case .codes(let codes):
      expect(codes.life, is: Int(seconds))
      expect(codes.interval, is: 7)
    case .refusal: Issue.record("no codes")
    }
  }

  @Test("JSON behind a byte order mark is JSON")
  func mark() throws {
    try expect(parsed(reply("\u{feff}{\"access_token\":\"a\",\"expires_in\":5}")), is: "a - 5 -")
    #expect(throws: ReplyFault.notUnderstood(status: 200)) {
      try parsed(reply("{\u{feff}\"access_token\":\"a\"}"))
    }
  }

  @Test("a form that is called plain text is a form, and a sentence isn't")
  func plainText() throws {
    try expect(parsed(reply("access_token=a&expires_in=5", mediaType: "text/plain")), is: "a - 5 -")
    try expect(
      parsed(reply("error=bad_refresh_token", mediaType: "text/plain")), is: "invalidGrant")
    try expect(parsed(reply(#"{"access_token":"a="}"#, mediaType: "text/plain")), is: "a= - - -")
    for sentence in ["no = yes", "maintenance", ""] {
      #expect(throws: ReplyFault.notUnderstood(status: 200)) {
        try parsed(reply(sentence, mediaType: "text/plain"))
      }
    }
  }

  @Test("a form, as GitHub has it")
  func form() throws {
    let type = "application/x-www-form-urlencoded"
    try expect(
      parsed(reply("access_token=a%2bb&scope=repo%2Cgist&expires_in=5", mediaType: type)),
      is: "a+b - 5 repo,gist")
    try expect(
      parsed(reply("error=slow_down&interval=9", mediaType: type)), is: "slowDown(interval: Optional(9))")
    #expect(throws: ReplyFault.notUnderstood(status: 200)) {
      try parsed(reply("access_token=%", mediaType: type))
    }
  }

  @Test("an error counts whatever the status and whatever else there is", arguments: [200, 400, 401, 503])
  func errorsFirst(status: Int) throws {
    try expect(parsed(reply(#"{"access_token":"a","error":"access_denied"}"#, status: status)), is: "denied")
  }

  @Test(arguments: [
    ("authorization_pending", "pending"), ("access_denied", "denied"), ("authorization_declined", "denied"),
    ("expired_token", "codeExpired"), ("token_expired", "codeExpired"), ("invalid_grant", "invalidGrant"),
    ("bad_refresh_token", "invalidGrant"), ("invalid_client", "invalidClient"),
    ("incorrect_client_credentials", "invalidClient"), ("unauthorized_client", "invalidClient"),
    ("invalid_scope", "invalidScope"), ("unsupported_grant_type", "unsupported"),
    ("device_flow_disabled", "unsupported"), ("server_error", "temporary(after: nil)"), ("", "other"),
    ("x\u{1b}", "other"),
  ])
  func errors(code: String, kind: String) throws {
    let escaped = code.replacing("\u{1b}", with: "\\u001b")
    try expect(parsed(reply("{\"error\":\"\(escaped)\"}", status: 400)), is: kind)
  }

  @Test("a server in trouble may send any page")
  func trouble() throws {
    try expect(parsed(reply("<html>", status: 502, mediaType: "text/html")), is: "temporary(after: nil)")
    try expect(parsed(reply("{}", status: 429, retryAfter: 7)), is: "temporary(after: Optional(7))")
    try expect(parsed(reply("no", status: 404)), is: "unsupported")
  }

  @Test(arguments: [
    "", "[]", "{", "<html>", #"{"access_token":"a"} x"#, #"{"access_token":["a"]}"#, #"{"access_token":7}"#,
    #"{"access_token":""}"#, #"{"token_type":"bearer"}"#, #"{"access_token":"a\nb"}"#,
    #"{"access_token":"a\r"}"#,
    #"{"access_token":"a\u0000"}"#, #"{"access_token":"é"}"#, #"{"access_token":"a","refresh_token":"\n"}"#,
    #"{"access_token":"a","access_token":"b"}"#,
    #"{"access_token":"a","refresh_token":"b","refresh_token":"c"}"#,
    #"{"access_token":"a","access_\u0074oken":"b"}"#, #"{"error":"a","error":"b"}"#,
  ])
  func refused(body: String) {
    #expect(throws: ReplyFault.self) { try parsed(reply(body)) }
  }

  @Test("deep nesting is refused, not followed")
  func deep() {
    let body = #"{"access_token":"a","x":"# + String(repeating: "[", count: 10_000)
    #expect(throws: ReplyFault.notUnderstood(status: 200)) { try parsed(reply(body)) }
  }

  @Test("an unexpected status gives no token")
  func status() {
    #expect(throws: ReplyFault.unexpectedStatus(302)) {
      try parsed(reply(#"{"access_token":"a"}"#, status: 302))
    }
  }
}

struct DeviceReplyTests {
  private static let whole =
    #"{"device_code":"d","user_code":"ABCD-EFGH","verification_uri":"https://git.example/device","expires_in":900"#

  private func parsed(_ body: String, status: Int = 200) throws(ReplyFault) -> String {
    switch try DeviceReply.parse(reply(body, status: status)) {
    case .codes(let codes):
      "\(shown(codes.deviceCode)) \(codes.userCode) \(codes.verification.text) \(codes.life) \(codes.interval)"
    case .refusal(let refusal): "\(refusal.kind)"
    }
  }

  @Test func codes() throws {
    try expect(parsed(Self.whole + "}"), is: "d ABCD-EFGH https://git.example/device 900 5")
    try expect(parsed(Self.whole + #","interval":0}"#).hasSuffix(" 1"))
    try expect(parsed(Self.whole + #","interval":100000}"#).hasSuffix(" 300"))
    let google = Self.whole.replacing("verification_uri", with: "verification_url")
    try expect(parsed(google + "}"), is: "d ABCD-EFGH https://git.example/device 900 5")
  }

  @Test(arguments: [
    ("https://git.example/device", "http://git.example/device"),
    ("https://git.example/device", "javascript:x"),
    ("ABCD-EFGH", ""), ("ABCD-EFGH", "A B"), ("ABCD-EFGH", #"\u001b[2J"#), (#""device_code":"d","#, ""),
    ("900", "-1"),
    ("900", "\"soon\""),
  ])
  func refused(part: String, replacement: String) {
    #expect(throws: ReplyFault.self) { try parsed(Self.whole.replacing(part, with: replacement) + "}") }
  }

  @Test func refusals() throws {
    try expect(parsed(#"{"error":"device_flow_disabled"}"#), is: "unsupported")
    try expect(parsed("nothing", status: 404), is: "unsupported")
  }
}

struct ServerMetadataTests {
  private let issuer = EndpointURL("https://git.example/")

  private func metadata(_ body: String) throws -> ServerMetadata {
    try ServerMetadata(reply(body), of: try #require(issuer))
  }

  @Test func isRead() throws {
    let found = try metadata(
      #"{"issuer":"https://git.example","token_endpoint":"https://git.example/t","authorization_endpoint":"https://git.example/a","device_authorization_endpoint":"https://git.example/d","authorization_response_iss_parameter_supported":true,"scopes_supported":["a","b"]}"#
    )
    expect(found.tokenEndpoint?.text, is: "https://git.example/t")
    expect(found.deviceEndpoint?.text, is: "https://git.example/d")
    expect(found.promisesIssuer)
    expect(found.scopes, is: ["a", "b"])
  }

  @Test(arguments: [
    #"{"issuer":"https://evil.example","token_endpoint":"https://git.example/t"}"#,
    #"{"issuer":"https://git.example.evil.example","token_endpoint":"https://git.example/t"}"#,
    #"{"token_endpoint":"https://git.example/t"}"#, #"{"issuer":"https://git.example"}"#,
    #"{"issuer":"https://git.example","token_endpoint":"http://git.example/t"}"#,
    #"{"issuer":"https://git.example","token_endpoint":"https://a/t","authorization_endpoint":"http://b"}"#,
    #"{"issuer":"https://git.example","token_endpoint":"https://a/t","device_authorization_endpoint":"http://b"}"#,
    #"{"issuer":"https://git.example","token_endpoint":"https://git.example/t","token_endpoint":"https://evil.example/t"}"#,
  ])
  func isRefused(body: String) {
    #expect(throws: ReplyFault.self) { try metadata(body) }
  }

  @Test("the places of an issuer with a path (RFC 8414 section 3.1)")
  func places() throws {
    let issuer = try #require(EndpointURL("https://a.example/tenant"))
    expect(
      ServerMetadata.places(of: issuer).map(\.text),
      is: [
        "https://a.example/.well-known/oauth-authorization-server/tenant",
        "https://a.example/tenant/.well-known/openid-configuration",
      ])
  }
}
