import Bytes
import Expectations
import Testing

@testable import SignIn

struct TokenExchangeTests {
  private func exchange(_ change: (inout TokenExchange) -> Void = { _ in }) throws -> TokenExchange {
    var exchange = TokenExchange(
      .file("/run/token"), at: try #require(EndpointURL("https://git.example/token")))
    change(&exchange)
    return exchange
  }

  @Test("the request has what RFC 8693 section 2.1 names, and only that")
  func request() throws {
    let transport = ScriptedTransport([.reply(status: 200, #"{"access_token":"new","expires_in":300}"#)])
    let minted = try exchange {
      $0.audience = "a b"
      $0.scope = "read"
      $0.clientID = "job"
    }.token(for: Secret("ey.j.s"), at: 1000, over: transport)
    expect(shown(minted.token), is: "new")
    expect(minted.expiry, is: 1300)
    expect(
      transport.requests,
      is: [
        "https://git.example/token grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"
          + "&subject_token=ey.j.s&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt"
          + "&audience=a%20b&scope=read&client_id=job"
      ])
    expect(transport.authorizations, is: [nil])
  }

  @Test("a life that isn't said is unknown")
  func unknownLife() throws {
    let transport = ScriptedTransport([.reply(status: 200, #"{"access_token":"new","token_type":"N_A"}"#)])
    try expect(exchange().token(for: Secret("x"), at: 1000, over: transport).expiry, is: nil)
  }

  @Test(
    "what is no token is none", arguments: [(400, #"{"error":"invalid_target"}"#), (200, "{}"), (200, "<p>")])
  func refused(status: Int, body: String) throws {
    let transport = ScriptedTransport([.reply(status: status, body)])
    #expect(throws: SignInFault.self) {
      _ = try exchange().token(for: Secret("x"), at: 1000, over: transport)
    }
  }

  @Test("it comes back as it was kept", arguments: [TokenExchange.Source.file("/a b"), .variable("JOB")])
  func isKept(source: TokenExchange.Source) throws {
    let kept = try exchange {
      $0.source = source
      $0.audience = "https://a.example"
    }
    let read = try kept.encoded.withUnsafeBytes { try TokenExchange(json: $0) }
    expect(read.source, is: source)
    expect(shown(read.encoded), is: shown(kept.encoded))
  }

  @Test(
    "what is no exchange is refused",
    arguments: [
      "{}", #"{"token_endpoint":"https://a.example"}"#, #"{"subject_token_file":"/x"}"#,
      #"{"subject_token_file":"/x","token_endpoint":"http://a.example"}"#,
    ])
  func isNone(text: String) {
    #expect(throws: (any Error).self) { _ = try Secret(text).withUnsafeBytes { try TokenExchange(json: $0) } }
  }
}
