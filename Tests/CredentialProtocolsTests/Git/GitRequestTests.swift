import CredentialProtocols
import Expectations
import Keychain
import Properties
import TestSupport
import Testing

@Suite("a request of git") struct GitRequestTests {
  @Test("what the fuzzer has found says one thing, and is answered by what it stored")
  func corpus() throws {
    try expect(Corpus.failures(of: "git-request", GitRequestProperty.self), is: [])
  }

  @Test("every key is understood")
  func everyKey() throws {
    let request = try RevealedRequest(
      "capability[]=authtype", "capability[]=state", "protocol=https", "host=example.com:8443",
      "path=acme/app.git",
      "username=alice", "password=p", "password_expiry_utc=1795249800", "oauth_refresh_token=r",
      "authtype=Bearer",
      "credential=c", "ephemeral=1", "state[]=llavero:id", "continue=1", "wwwauth[]=Basic realm=\"x\"",
      "quit=0")
    let expected = RevealedRequest(
      capabilities: [.authtype, .state], protocol: "https", server: "example.com", port: 8443,
      path: "acme/app.git", username: "alice", password: "p", expiry: 1_795_249_800, refreshToken: "r",
      authtype: "Bearer", credential: "c", isEphemeral: true, answered: "id")
    expect(request, is: expected)
  }

  @Test("an empty request names nothing")
  func empty() throws {
    try expect(RevealedRequest(parsing: []), is: RevealedRequest())
  }

  @Test("empty is a value")
  func emptyValues() throws {
    let request = try RevealedRequest(
      "username=", "password=", "oauth_refresh_token=", "path=", "host=", "protocol=")
    expect(
      request,
      is: RevealedRequest(protocol: "", server: "", path: "", username: "", password: "", refreshToken: ""))
  }

  @Test("a value is all that stands behind the first '='")
  func equalsSigns() throws {
    try expect(RevealedRequest("password==a=b= ").password, is: "=a=b= ")
    try expect(RevealedRequest("username= alice ").username, is: " alice ")
  }

  @Test("bytes that are not UTF-8 are kept")
  func foreign() throws {
    let request = try RevealedRequest(
      parsing: Array("username=".utf8) + [0xff, 0x0a] + Array("password=".utf8) + [0xc3, 0x28, 0x0a])
    expect(request.username, is: attribute([0xff]))
    expect(request.password, is: attribute([0xc3, 0x28]))
  }

  @Test("of a key that comes twice the last value counts")
  func duplicates() throws {
    let request = try RevealedRequest(
      "protocol=http", "host=a:1", "username=a", "password=long password", "protocol=https", "host=b",
      "username=b",
      "password=p")
    expect(request, is: RevealedRequest(protocol: "https", server: "b", username: "b", password: "p"))
  }

  @Test("unknown keys, capabilities and states are dropped")
  func unknown() throws {
    let request = try RevealedRequest(
      "capability[]=future", "capability=authtype", "Protocol=https", " host=example.com",
      "host =example.com",
      "state[]=other:id", "state[]=llavero", "state[]=llavero:", "state[]=llavero+:id",
      "state[]=llavero+x:id",
      "state[]=llavero-1:id", "state[]=llavero+1:", "state[]=llavero+-1:id", "state[]=llaveros:id",
      "state=llavero:id", "wwwauth[]=x", "=value",
      "new[]=1",
      "password_expiry=1")
    expect(request, is: RevealedRequest())
  }

  @Test("an empty value resets an array")
  func reset() throws {
    try expect(RevealedRequest("capability[]=authtype", "capability[]=").capabilities, is: [])
    try expect(
      RevealedRequest("capability[]=state", "capability[]=", "capability[]=authtype").capabilities,
      is: .authtype)
    try expect(
      RevealedRequest("state[]=llavero+7:@team:a:b"), is: RevealedRequest(answered: "@team:a:b", continued: 7)
    )
    try expect(RevealedRequest("state[]=llavero:a", "state[]=").answered, is: nil)
    try expect(RevealedRequest("state[]=", "state[]=llavero:a", "state[]=other:b").answered, is: "a")
  }

  @Test("a line without '=' is refused", arguments: [("x", 1), ("a=b\nhost", 2), ("a=b\nc=d\n ", 3)])
  func noEqualsSign(text: String, line: Int) {
    #expect(throws: KeychainError.request(.lineWithoutEqualsSign(line: line))) {
      try RevealedRequest(parsing: Array("\(text)\n".utf8))
    }
  }

  @Test(
    "a NUL is refused, be it in a value that nobody reads",
    arguments: ["host=ex\0ample", "a\0=b", "new=\0", "\0"])
  func nul(line: String) {
    #expect(throws: KeychainError.request(.lineWithNUL(line: 2))) {
      try RevealedRequest("protocol=https", line)
    }
  }

  @Test(
    "a carriage return is refused",
    arguments: [
      "protocol", "host", "path", "username", "password", "oauth_refresh_token", "authtype", "credential",
    ])
  func carriageReturn(key: String) {
    for value in ["a\r", "\r", "a\rb"] {
      #expect(throws: KeychainError.request(.carriageReturn(key: key))) {
        try RevealedRequest("\(key)=\(value)")
      }
    }
  }

  @Test("a carriage return in what nobody reads is data")
  func dataCarriageReturn() throws {
    try expect(RevealedRequest("wwwauth[]=Basic\r", "new=\r", "host=a").server, is: "a")
  }

  @Test(
    "booleans are read as git's configuration reads them",
    arguments: [
      ("true", true), ("TRUE", true), ("yes", true), ("on", true), ("1", true), ("2", true), ("false", false),
      ("no", false),
      ("Off", false), ("0", false), ("00", false), ("", false),
    ])
  func booleans(value: String, expected: Bool) throws {
    try expect(RevealedRequest("ephemeral=\(value)").isEphemeral, is: expected)
  }

  @Test("other booleans are refused", arguments: ["maybe", "tru", "y", " true", "true ", "1x", "é"])
  func badBooleans(value: String) {
    #expect(throws: KeychainError.request(.unusableValue(key: "ephemeral"))) {
      try RevealedRequest("ephemeral=\(value)")
    }
  }

  @Test(
    "numbers are decimal",
    arguments: [("0", nil), ("1", 1), ("0010", 10), ("999999999999999999", 999_999_999_999_999_999)])
  func numbers(value: String, expected: Int64?) throws {
    try expect(RevealedRequest("password_expiry_utc=\(value)").expiry, is: expected)
  }

  @Test(
    "other numbers are refused",
    arguments: ["", "-1", "+1", " 1", "1 ", "1.0", "0x10", "1e3", "soon", "99999999999999999999", "１"])
  func badNumbers(value: String) {
    #expect(throws: KeychainError.request(.unusableValue(key: "password_expiry_utc"))) {
      try RevealedRequest("password_expiry_utc=\(value)")
    }
  }
}
