import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

private let corp = "sparse+https://corp.example/index/"
private let hello = #"{"v":[1]}"# + "\n"
private let notFound = hello + #"{"Err":{"kind":"not-found"}}"# + "\n"
private let loggedIn = hello + #"{"Ok":{"kind":"login"}}"# + "\n"
private let loggedOut = hello + #"{"Ok":{"kind":"logout"}}"# + "\n"

private func request(_ kind: String, _ url: String = corp, _ more: String = "") -> String {
  #"{"v":1,"registry":{"index-url":"\#(url)","name":"corp"},"kind":"\#(kind)"\#(more)}"# + "\n"
}

private func login(_ token: String, _ url: String = corp, _ more: String = "") -> String {
  request("login", url, #","token":"\#(token)""# + more)
}

private func found(_ token: String, _ cache: String = #""session""#) -> String {
  hello + #"{"Ok":{"kind":"get","token":"\#(token)","cache":\#(cache),"operation_independent":true}}"# + "\n"
}

@Suite("Cargo's protocol", .timeLimit(.minutes(60)))
struct CargoProtocolTests {
  let cargo = ToolUnderTest("cargo")

  private func say(_ input: String, _ cargo: ToolUnderTest? = nil) -> String {
    let reply = (cargo ?? self.cargo).call("--cargo-plugin", input: input)
    expect(reply.status, is: 0)
    return reply.output
  }

  @Test("a token is answered as it was given until the logout", arguments: KeychainUnderTest.all)
  func roundTrip(kind: KeychainUnderTest) {
    let cargo = ToolUnderTest("cargo", kind)
    expect(say(request("get"), cargo), is: notFound)
    expect(say(login("Bearer s3cret"), cargo), is: loggedIn)
    expect(say(request("get", corp, #","operation":"read""#), cargo), is: found("Bearer s3cret"))
    expect(say(login("second"), cargo), is: loggedIn)
    expect(say(request("get", corp, #","operation":"some-later-one""#), cargo), is: found("second"))
    expect(say(request("logout"), cargo), is: loggedOut)
    expect(say(request("logout"), cargo), is: notFound)
    expect(say(request("get"), cargo), is: notFound)
  }

  @Test("one process answers line by line, to the end of the input")
  func manyLines() {
    let replies = say(login("t") + request("get") + request("logout") + request("get"))
    let expected = [loggedIn, found("t"), loggedOut, notFound].map { $0.dropFirst(hello.count) }.joined()
    expect(replies, is: hello + expected)
    expect(say(""), is: hello)
    expect(say(String(request("get").dropLast())), is: notFound)
  }

  @Test(
    "another index is another registry",
    arguments: [
      "https://corp.example/index/", "sparse+http://corp.example/index/",
      "sparse+https://corp.example:8443/index/",
      "sparse+https://corp.example/index/more/", "sparse+https://corp.example/",
      "sparse+https://other.example/index/",
      "https://github.com/rust-lang/crates.io-index",
    ])
  func keys(url: String) {
    expect(say(login("t")), is: loggedIn)
    expect(say(request("get", url)), is: notFound)
    expect(say(request("logout", url)), is: notFound)
    expect(say(login("u", url)), is: loggedIn)
    expect(say(request("get", url)), is: found("u"))
    expect(say(request("get")), is: found("t"))
  }

  @Test("what git uses at GitHub never goes to crates.io, whose index lies there")
  func besideGit() throws {
    let index = "https://github.com/rust-lang/crates.io-index"
    try cargo.add(InternetPassword(protocol: "https", server: "github.com", account: "g"), "gits")
    expect(say(request("get", index)), is: notFound)
    expect(say(request("logout", index)), is: notFound)
    expect(say(login("crates", index)), is: loggedIn)
    expect(say(request("get", index)), is: found("crates"))
    expect(say(request("logout", index)), is: loggedOut)
    try expect(cargo.fresh.keychain.items(matching: .all).count, is: 1)
  }

  @Test("an account that the configuration names has a token of its own")
  func accounts() {
    let (me, you) = (#","args":["--account","me"]"#, #","args":["--account=you"]"#)
    expect(say(login("mine", corp, me)), is: loggedIn)
    expect(say(login("yours", corp, you)), is: loggedIn)
    expect(say(request("get", corp, me)), is: found("mine"))
    expect(say(request("get", corp, you)), is: found("yours"))
    expect(say(request("logout", corp, you)), is: loggedOut)
    expect(say(request("get", corp, you)), is: notFound)
    expect(say(request("get")), is: found("mine"))
    expect(say(request("get", corp, #","args":["--frobnicate"]"#)).contains(#""kind":"other""#))
  }

  @Test("a token that expires says when, and isn't answered afterwards")
  func expiry() throws {
    let expiry = cargo.fresh.clock.now.seconds + 100
    let item = InternetPassword(
      protocol: "sparse+https", server: "corp.example", path: "index", securityDomain: "cargo")
    try cargo.fresh.keychain.add(Item(item), Credential(Secret("t"), expiry: expiry))
    expect(say(request("get")), is: found("t", #""expires","expiration":\#(expiry)"#))
    cargo.fresh.clock.advance(seconds: 100)
    expect(say(request("get")), is: notFound)
  }

  @Test("a login without a token asks a person, and without one says so")
  func asking() throws {
    let input = Array(request("login", corp, #","login-url":"https://corp.example/me","token":null"#).utf8)
    let call = try cargo.callInMemory(["--cargo-plugin"], bytes: input)
    call.typed = "typed"
    #expect(throws: Never.self) { try CargoProtocol.respond(to: call) }
    expect(call.asked, is: ["Token for the registry corp, which https://corp.example/me shows: "])
    expect(call.hasRemembered)
    expect(say(request("get")), is: found("typed"))
    expect(say(request("login")).contains(#"{"Err":{"kind":"other","message":"llavero: "#))
    expect(say(login("")).contains(#""message":"llavero: "#))
  }

  @Test("later kinds, URLs without a host and requests that are none have an answer of their own")
  func badInput() {
    func error(_ kind: String) -> String { hello + #"{"Err":{"kind":"\#(kind)"}}"# + "\n" }
    expect(say(request("rotate")), is: error("operation-not-supported"))
    expect(say(request("get", "file:///srv/index")), is: error("url-not-supported"))
    expect(say(request("get", "")), is: error("url-not-supported"))
    let whole = login("s3cret")
    for input in ["x\n", "\n", "[]\n", #"{"v":2,"registry":{"index-url":"\#(corp)"},"kind":"get"}"# + "\n"] {
      expect(say(input).contains(#""kind":"other""#), "\(input)")
    }
    for end in 1..<(whole.utf8.count - 2) {
      expect(say(String(whole.prefix(end))).contains(#""kind":"other""#))
    }
    // An invalid line doesn't keep the next one from being answered.
    expect(say("x\n" + request("get")).hasSuffix(String(notFound.dropFirst(hello.count))))
  }

  @Test("a keychain that can't be used is an error, and is no empty one")
  func failingKeychain() {
    for input in [request("get"), login("t"), request("logout")] {
      let reply = cargo.call(
        ["--cargo-plugin"], bytes: Array(input.utf8), failing: .locked(path: "/x"))
      expect(reply.status == 0 && reply.output.contains(#""kind":"other","message":"llavero: failed"#))
    }
  }

  @Test("a line without end is refused")
  func tooLong() {
    let reply = cargo.call(
      ["--cargo-plugin"], bytes: Array(repeating: 0x20, count: 3 << 20))
    expect(reply.status != 0)
  }

  @Test("without cargo's own argument it does nothing")
  func byHand() {
    expect(cargo.call().status, is: 64)
    expect(cargo.call("get", "--cargo-plugin").status, is: 64)
  }
}
