import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

private let nothing = ToolReply(status: 0, output: "")
private let unusable = ToolReply(status: 2, output: "")
private let refused = "HTTP/1.1 401 Unauthorized\nWww-Authenticate: Basic realm=x\n\n"
private let aliceHeader = "Basic YWxpY2U6czNjcmV0"

private func found(_ header: String, at prefixes: String...) -> ToolReply {
  ToolReply(
    status: 0,
    output: prefixes.map { $0 + "\n" }.joined() + "\nAuthorization: \(header)\n\n")
}

@Suite("The go command's GOAUTH", .timeLimit(.minutes(60)))
struct GoAuthProtocolTests {
  let goauth = ToolUnderTest("goauth")

  private func ask(_ url: String) -> ToolReply { goauth.call(url, input: refused) }

  private func alice(_ server: String = "go.example", _ path: String? = nil) -> InternetPassword {
    InternetPassword(
      protocol: "https", server: ByteString(server), account: "alice", path: path.map { ByteString($0) })
  }

  @Test("a login is answered with the place that it is for", arguments: KeychainUnderTest.all)
  func roundTrip(kind: KeychainUnderTest) throws {
    let goauth = ToolUnderTest("goauth", kind)
    expect(goauth.call("https://go.example/m/@v/list", input: refused), is: nothing)
    try goauth.add(alice(), "s3cret")
    expect(
      goauth.call("https://go.example/m/@v/list", input: refused),
      is: found(aliceHeader, at: "https://go.example"))
  }

  @Test(
    "the prefix is the item's path, spelled as go spells it, without a slash at its end",
    arguments: [
      ("", "https://go.example", "https://go.example"),
      ("", "https://go.example/", "https://go.example"),
      ("", "https://GO.example:443/x/", "https://GO.example:443"),
      ("team", "https://go.example/team/m/@v/list", "https://go.example/team"),
      ("team", "https://go.example/team", "https://go.example/team"),
      ("team/m", "https://go.example/team/m/", "https://go.example/team/m"),
      ("team/m x", "https://go.example/team/m%20x/@v/v1.info", "https://go.example/team/m%20x"),
      ("team/!a", "https://go.example/team/%21a/b", "https://go.example/team/%21a"),
      ("team", "https://go.example/team/m?go-get=1", "https://go.example/team"),
      ("", "https://go.example?go-get=1", "https://go.example\nhttps://go.example?go-get=1"),
      (
        "team/m", "https://go.example/team/m?go-get=1",
        "https://go.example/team/m\nhttps://go.example/team/m?go-get=1"
      ),
    ])
  func prefixes(path: String, url: String, prefix: String) throws {
    try goauth.add(alice("go.example", path), "s3cret")
    expect(ask(url), is: found(aliceHeader, at: prefix))
  }

  @Test("the longest path wins, and none beside it answers")
  func paths() throws {
    try goauth.add(alice("go.example", "team"), "s3cret")
    try goauth.add(InternetPassword(protocol: "https", server: "go.example", path: "team/m"), "tok")
    expect(ask("https://go.example/team/m/@v/list"), is: found("Bearer tok", at: "https://go.example/team/m"))
    expect(ask("https://go.example/team/n"), is: found(aliceHeader, at: "https://go.example/team"))
    expect(ask("https://go.example/teams/n"), is: nothing)
  }

  @Test(
    "how an item is sent is said by its account, and else by its authentication type",
    arguments: [
      (nil, nil, "Bearer s3cret"), ("<token>", nil, "Bearer s3cret"), ("x-bearer", nil, "Bearer s3cret"),
      ("alice", nil, aliceHeader), ("", nil, "Basic OnMzY3JldA=="), ("alice", "bearer", "Bearer s3cret"),
      ("alice", "Raw", "s3cret"), (nil, "basic", "Basic OnMzY3JldA=="), ("alice", "ntlm", aliceHeader),
    ] as [(String?, String?, String)])
  func schemes(account: String?, type: String?, header: String) throws {
    try goauth.add(
      InternetPassword(
        protocol: "https", server: "go.example", account: account.map { ByteString($0) },
        authenticationType: type.map { ByteString($0) }), "s3cret")
    expect(ask("https://go.example/m"), is: found(header, at: "https://go.example"))
  }

  @Test("a credential that was made for a scheme goes as it is")
  func readyMade() throws {
    try goauth.fresh.keychain.add(
      Item(alice()), Credential(Secret("s3cret"), authenticationScheme: "Bearer"))
    expect(ask("https://go.example/m"), is: found("Bearer s3cret", at: "https://go.example"))
    try goauth.fresh.keychain.add(
      Item(alice("odd.example")), Credential(Secret("s3cret"), authenticationScheme: "X: y"))
    expect(ask("https://odd.example/m"), is: unusable)
  }

  @Test("go's own item goes before git's, and other tools' and hosts' don't answer")
  func others() throws {
    try goauth.add(alice(), "s3cret")
    try goauth.add(
      InternetPassword(protocol: "https", server: "go.example", account: "d", securityDomain: "docker"), "x")
    expect(ask("https://go.example/m"), is: found(aliceHeader, at: "https://go.example"))
    try goauth.add(InternetPassword(protocol: "https", server: "go.example", securityDomain: "goauth"), "own")
    expect(ask("https://go.example/m"), is: found("Bearer own", at: "https://go.example"))
    for url in ["https://example/m", "https://a.go.example/m", "https://go.example:8443/m"] {
      expect(ask(url), is: nothing)
    }
    try goauth.add(InternetPassword(protocol: "http", server: "plain.example", account: "a"), "x")
    expect(ask("http://plain.example/m"), is: nothing)
    expect(ask("https://plain.example/m"), is: nothing)
  }

  @Test("what GitHub's own program has for its host serves the whole of it")
  func gh() throws {
    try goauth.add(service: "gh:github.com", account: "alice", "s3cret")
    expect(ask("https://github.com/alice/m?go-get=1"), is: found(aliceHeader, at: "https://github.com"))
  }

  @Test("an account in the URL is the only one that answers")
  func account() throws {
    try goauth.add(alice(), "s3cret")
    expect(ask("https://bob@go.example/m"), is: nothing)
    expect(ask("https://alice@go.example/m"), is: found(aliceHeader, at: "https://alice@go.example"))
  }

  @Test("before the first fetch nothing is said")
  func first() throws {
    try goauth.add(alice(), "s3cret")
    expect(goauth.call(), is: nothing)
  }

  @Test(
    "what a header can't carry is refused",
    arguments: [
      (nil, "a\nb"), (nil, "a\rb"), (nil, "a\u{0}b"), (nil, ""), (nil, " a"), (nil, "a "), ("alice", "a\nb"),
      ("alice", "a\u{7f}"), ("a:b", "x"), ("a\tb", "x"),
    ] as [(String?, String)])
  func unspeakable(account: String?, secret: String) throws {
    try goauth.add(
      InternetPassword(protocol: "https", server: "go.example", account: account.map { ByteString($0) }),
      secret)
    expect(ask("https://go.example/m"), is: unusable)
  }

  @Test("what Basic can carry it does: no password at all, other letters, and bytes that are no text")
  func basic() throws {
    try goauth.add(alice("a.example"), "")
    expect(ask("https://a.example/"), is: found("Basic YWxpY2U6", at: "https://a.example"))
    try goauth.fresh.keychain.add(
      Item(alice("b.example")), Credential(Secret(copying: ByteString([0xff, 0x3a]))))
    expect(ask("https://b.example/"), is: found("Basic YWxpY2U6/zo=", at: "https://b.example"))
    try goauth.fresh.keychain.add(
      Item(InternetPassword(protocol: "https", server: "c.example")),
      Credential(Secret(copying: ByteString([0xff]))))
    expect(ask("https://c.example/"), is: unusable)
  }

  @Test(
    "what is no URL is refused",
    arguments: ["m", "https://", "https://h:x/", "https://h/a b", "https://h/?a\nb", "https://h/%zz"])
  func badURLs(url: String) {
    let reply = ask(url)
    expect(reply.status != 0 && reply.output.isEmpty)
    expect(goauth.call("https://a.example", "https://b.example").status, is: 64)
  }

  @Test("the server's answer is read to its end, whatever is in it")
  func input() throws {
    for size in [0, 100, 10 << 20] {
      let call = try goauth.callInMemory(
        ["https://go.example/m"], bytes: Array(repeating: 0x0a, count: size))
      if size > 1 << 20 {
        #expect(throws: KeychainError.request(.requestTooLong(limit: 1 << 20))) {
          try GoAuthProtocol.respond(to: call)
        }
      } else {
        #expect(throws: Never.self) { try GoAuthProtocol.respond(to: call) }
      }
      expect(call.isDrained)
    }
  }

  @Test("whatever the URL is, what is answered is a part of it, on the item's host")
  func fuzz() throws {
    try goauth.add(alice("go.example", "a/b"), "s3cret")
    try goauth.add(alice(), "s3cret")
    var generator = SeededGenerator(seed: 7)
    let parts = [
      "https://", "go.example", "go.example", ":443", ":8443", "/", "/", "a", "b", "%61", "%2F", "?", "#",
      "@", "x=/y",
      "..", "\u{e9}", "%", "alice@",
    ]
    for _ in 0..<rounds(3000) {
      let count = Int.random(in: 0...9, using: &generator)
      let url =
        "https://go.example" + (0..<count).map { _ in parts.randomElement(using: &generator)! }.joined()
      let reply = ask(url)
      if reply.status != 0 || reply.output.isEmpty { continue }
      let prefixes = reply.output.prefix { $0 != "A" }.split(separator: "\n")
      expect(!prefixes.isEmpty)
      for prefix in prefixes {
        expect(url.hasPrefix(prefix), "\(url)")
        let place = try Place.parse(ByteString(prefix)).place
        expect(place.protocol == "https" && place.server == "go.example" && place.port == nil, "\(url)")
      }
    }
  }
}
