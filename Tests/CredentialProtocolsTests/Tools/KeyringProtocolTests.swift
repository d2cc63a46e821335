import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

private let done = ToolReply(status: 0, output: "")
private let notFound = ToolReply(status: 1, output: "")
private let refused = ToolReply(status: 2, output: "")
private let index = "https://pypi.corp.example/team/simple/"

private func said(_ output: String) -> ToolReply { ToolReply(status: 0, output: output + "\n") }

@Suite("Python's keyring", .timeLimit(.minutes(60)))
struct KeyringProtocolTests {
  let keyring = ToolUnderTest("keyring")

  /// The exact bytes of the output.
  private func bytes(_ arguments: String..., bytes: [UInt8] = []) throws -> [UInt8] {
    let call = try keyring.callInMemory(arguments, bytes: bytes)
    try expect(KeyringProtocol.respond(to: call), is: 0)
    expect(call.isDrained)
    return call.output
  }

  private func add(_ service: String, _ account: String?, _ secret: String, isDefault: Bool = false) throws {
    var item = Item(GenericPassword(service: ByteString(service), account: account.map { ByteString($0) }))
    item.isDefault = isDefault
    try keyring.fresh.keychain.add(item, Credential(password: secret))
    keyring.fresh.clock.advance(seconds: 1)
  }

  @Test("what is set is got until it is deleted", arguments: KeychainUnderTest.all)
  func roundTrip(kind: KeychainUnderTest) {
    let keyring = ToolUnderTest("keyring", kind)
    expect(keyring.call("get", "service", "alice"), is: notFound)
    expect(keyring.call("del", "service", "alice"), is: notFound)
    expect(keyring.call("set", "service", "alice", input: "s3cret\n"), is: done)
    expect(keyring.call("set", "service", "bob", input: "other"), is: done)
    expect(keyring.call("get", "service", "alice"), is: said("s3cret"))
    expect(keyring.call("get", "service", "carol"), is: notFound)
    expect(keyring.call("get", "services", "alice"), is: notFound)
    expect(keyring.call("--mode=creds", "get", "service", "alice"), is: said("alice\ns3cret"))
    expect(keyring.call("get", "service", "--mode", "creds"), is: said("bob\nother"))
    expect(
      keyring.call("--mode=creds", "--output=json", "get", "service"),
      is: said(#"{"username": "bob", "password": "other"}"#))
    expect(
      keyring.call("--output", "json", "get", "service", "alice"), is: said(#"{"password": "s3cret"}"#))
    expect(keyring.call("set", "service", "alice", input: "new\n"), is: done)
    expect(keyring.call("get", "service", "alice"), is: said("new"))
    expect(keyring.call("del", "service", "alice"), is: done)
    expect(keyring.call("get", "service", "alice"), is: notFound)
    expect(keyring.call("get", "service", "bob"), is: said("other"))
  }

  @Test("other programs that keep passwords by service and user name are served, and changed in place")
  func beside() throws {
    try add("gh:github.com", "alice", "one")
    expect(keyring.call("get", "gh:github.com", "alice"), is: said("one"))
    expect(keyring.call("set", "gh:github.com", "alice", input: "two\n"), is: done)
    try expect(keyring.fresh.keychain.items(matching: .all).count, is: 1)
    expect(keyring.call("get", "gh:github.com", "alice"), is: said("two"))
    expect(keyring.call("del", "gh:github.com", "alice"), is: done)
    try expect(keyring.fresh.keychain.items(matching: .all).isEmpty)
  }

  // MARK: Forms

  @Test(
    "JSON is written as Python writes it",
    arguments: [
      ("plain ~", #"plain ~"#), (#"quote " back \ slash /"#, #"quote \" back \\ slash /"#),
      ("\u{08}\t\n\u{0c}\r", #"\b\t\n\f\r"#), ("\u{1}\u{1f}\u{7f}", #"\u0001\u001f\u007f"#),
      ("é€\u{2028}", #"\u00e9\u20ac\u2028"#),
      ("\u{10000}🔑\u{10ffff}", #"\ud800\udc00\ud83d\udd11\udbff\udfff"#),
      ("\u{80}\u{7ff}\u{800}\u{ffff}", #"\u0080\u07ff\u0800\uffff"#), ("", ""),
    ])
  func json(secret: String, written: String) {
    expect(keyring.call("set", "s", "u", input: secret + "\n"), is: done)
    expect(keyring.call("--output=json", "get", "s", "u"), is: said(#"{"password": "\#(written)"}"#))
  }

  @Test("one line feed is taken from the end of what is set, and no more")
  func lastLineFeed() throws {
    for (given, kept) in [
      ("a", "a"), ("a\n", "a"), ("a\n\n", #"a\n"#), ("\na", #"\na"#), ("\n", ""), ("a\r\n", #"a\r"#),
    ] {
      expect(keyring.call("set", "s", "u", input: given), is: done)
      expect(keyring.call("--output=json", "get", "s", "u"), is: said(#"{"password": "\#(kept)"}"#))
    }
  }

  @Test("a password that lines can't carry is refused there, and is got as JSON")
  func lineBreaks() throws {
    for secret in ["two\nlines", "carriage\rreturn", "end\r", "nul\0byte"] {
      expect(keyring.call("set", "s", "u", input: secret + "\n"), is: done)
      expect(keyring.call("get", "s", "u"), is: refused)
      expect(keyring.call("get", "s", "--mode=creds"), is: refused)
      expect(keyring.call("--output=json", "get", "s", "u").status, is: 0)
    }
  }

  @Test("a password that is no text is got as it is, and not as JSON")
  func noText() throws {
    let secret: [UInt8] = [0xff, 0xfe, 0x20, 0xc3]
    try expect(bytes("set", "s", "u", bytes: secret + [0x0a]).isEmpty)
    try expect(bytes("get", "s", "u"), is: secret + [0x0a])
    try expect(bytes("get", "s", "--mode=creds"), is: Array("u\n".utf8) + secret + [0x0a])
    expect(keyring.call("--output=json", "get", "s", "u"), is: refused)
  }

  // MARK: Calls

  @Test(
    "a wrong call ends with 2 and says nothing that an old keyring says",
    arguments: [
      [], ["frobnicate"], ["get"], ["get", "s"], ["get", "--mode=password", "s"], ["get", "s", "u", "more"],
      ["get", "--mode=creds"], ["get", "--mode=creds", "s", "u", "more"], ["get", "s", "u", "--mode=other"],
      ["get", "s", "u", "--output=xml"], ["set"], ["set", "s"], ["set", "s", "u", "more"], ["del"],
      ["del", "s"],
      ["del", "s", "u", "more"], ["-b", "keyring.backends.null.Keyring", "get", "s", "u"], ["--disable"],
    ])
  func usage(arguments: [String]) throws {
    let call = try keyring.callInMemory(arguments, bytes: Array("s3cret\n".utf8))
    var error: KeychainError?
    do throws(KeychainError) {
      try expect(KeyringProtocol.respond(to: call), is: -1)
    } catch let thrown {
      error = thrown
    }
    let refusal = call.refusal(for: try #require(error))
    expect(KeyringProtocol.refuse(refusal, call), is: 2)
    expect(call.output.isEmpty && call.said == [refusal])
    expect(!"\(refusal)".contains("unrecognized") && !"\(refusal)".contains("s3cret"))
    if arguments.first == "set" { expect(call.isDrained) }
    try expect(keyring.fresh.keychain.items(matching: .all).isEmpty)
  }

  @Test("options stand anywhere, and everything after -- is an operand")
  func order() {
    expect(keyring.call("set", "--", "-s", "--mode", input: "p"), is: done)
    expect(keyring.call("get", "--output", "json", "--", "-s", "--mode"), is: said(#"{"password": "p"}"#))
    expect(keyring.call("--mode", "creds", "-p", "/x", "get", "--", "-s"), is: said("--mode\np"))
    expect(keyring.call("--keyring-path=/x", "del", "--", "-s", "--mode"), is: done)
  }

  @Test("at a terminal the password is asked for, and nothing is kept where nobody answers")
  func terminal() throws {
    let call = try keyring.callInMemory(["set", "https://h.example/", "alice"])
    call.typed = "typed"
    try expect(KeyringProtocol.respond(to: call), is: 0)
    expect(call.asked, is: ["Password for 'alice' in 'https://h.example/': "])
    expect(call.hasRemembered)
    expect(keyring.call("get", "https://h.example/", "alice"), is: said("typed"))
    // Without a terminal, the input must not be empty.
    expect(keyring.call("set", "s", "u"), is: refused)
    expect(keyring.call("get", "s", "u"), is: notFound)
  }

  @Test("what can't be kept is refused: no service, a line break in a name, too long a password")
  func bounds() throws {
    expect(keyring.call("set", "", "u", input: "p\n"), is: refused)
    expect(keyring.call("get", "", "u"), is: notFound)
    expect(keyring.call("set", "a\nb", "u", input: "p\n"), is: refused)
    expect(keyring.call("set", "s", "a\nb", input: "p\n"), is: refused)
    expect(keyring.call("set", "s", "", input: "p\n"), is: done)
    expect(keyring.call("get", "s", ""), is: said("p"))
    let call = try keyring.callInMemory(["set", "s", "u"], bytes: Array(repeating: 0x61, count: 10_000_000))
    #expect(throws: KeychainError.self) { try KeyringProtocol.respond(to: call) }
    expect(call.isDrained)
    expect(keyring.call("get", "s", "u"), is: notFound)
  }

  // MARK: URLs

  @Test("a URL is a name like any other for set and del: each spelling is one of its own")
  func spellings() throws {
    let spellings = [
      "https://h.example/a", "https://h.example/a/", "https://H.example/a", "https://h.example:443/a",
      "https://h.example/a?q", "https://u@h.example/a", "http://h.example/a", "https://h.example",
      "h.example",
      "h.example:443",
    ]
    for (number, url) in spellings.enumerated() {
      expect(keyring.call("set", url, "alice", input: "\(number)\n"), is: done)
    }
    for (number, url) in spellings.enumerated() {
      expect(keyring.call("get", url, "alice"), is: said("\(number)"))
    }
    for (number, url) in spellings.enumerated() {
      expect(keyring.call("del", url, "alice"), is: done)
      try expect(keyring.fresh.keychain.items(matching: .all).count, is: spellings.count - number - 1)
    }
  }

  @Test(
    "an index is answered by the nearest of what was set, then by keyring's and git's own items, then by uv's"
  )
  func nearest() throws {
    let places: [(String, () throws -> Void)] = [
      ("uv", { try add("uv:pypi.corp.example", "alice", "uv") }),
      (
        "git",
        {
          try keyring.add(
            InternetPassword(protocol: "https", server: "pypi.corp.example", account: "alice"), "git")
        }
      ),
      (
        "person",
        {
          try keyring.add(
            InternetPassword(
              protocol: "https", server: "pypi.corp.example", account: "alice", securityDomain: "keyring"),
            "person")
        }
      ),
      ("server", { try add("https://pypi.corp.example", "alice", "server") }),
      ("server/", { try add("https://pypi.corp.example/", "alice", "server/") }),
      ("team", { try add("https://pypi.corp.example/team", "alice", "team") }),
      ("no slash", { try add("https://pypi.corp.example/team/simple", "alice", "no slash") }),
      ("exact", { try add(index, "alice", "exact") }),
    ]
    expect(keyring.call("get", index, "alice"), is: notFound)
    for (name, add) in places {
      try add()
      expect(keyring.call("get", index, "alice"), is: said(name))
      expect(keyring.call("get", index, "--mode=creds"), is: said("alice\n\(name)"))
      expect(keyring.call("get", index, "bob"), is: notFound)
    }
  }

  @Test(
    "nothing answers for another scheme, port, host or path",
    arguments: [
      "http://pypi.corp.example/team/simple/", "https://pypi.corp.example:8443/team/simple/",
      "https://corp.example/team/simple/", "https://pypi.corp.example.evil/team/simple/",
      "https://pypi.corp.example/team/simples/", "https://pypi.corp.example/", "https://pypi.corp.example",
      "pypi.corp.example:8443", "corp.example", "file:///team/simple/", "https://", "://",
      "pypi.corp.example/team",
    ])
  func others(service: String) throws {
    expect(keyring.call("set", index, "alice", input: "p\n"), is: done)
    expect(keyring.call("get", service, "alice"), is: notFound)
    expect(keyring.call("get", service, "--mode=creds"), is: notFound)
  }

  @Test("a host alone, which names no scheme, is answered by what was kept for it alone")
  func hosts() throws {
    for (scheme, port) in [("https", nil), ("https", 8080), ("http", 8080)] as [(ByteString, UInt16?)] {
      try keyring.add(
        InternetPassword(protocol: scheme, server: "h.example", port: port, account: "alice"), "p")
    }
    try add("https://h.example/", "alice", "p")
    try add("uv:h.example", "alice", "p")
    for host in ["h.example", "h.example:8080", "H.example", "[::1]:8080"] {
      expect(keyring.call("get", host, "alice"), is: notFound)
      expect(keyring.call("get", host, "--mode=creds"), is: notFound)
      expect(keyring.call("set", host, "alice", input: "its own"), is: done)
      expect(keyring.call("get", host, "alice"), is: said("its own"))
    }
    expect(keyring.call("get", "http://h.example:8080/simple/", "alice"), is: said("p"))
    expect(keyring.call("get", "http://h.example/simple/", "alice"), is: notFound)
  }

  @Test("the user name in a URL is the one that is asked for")
  func userInURL() throws {
    try add("https://h.example/simple/", "alice", "one")
    try add("https://h.example/simple/", "bob", "two")
    expect(keyring.call("get", "https://alice@h.example/simple/", "--mode=creds"), is: said("alice\none"))
    expect(keyring.call("get", "https://alice@h.example/simple/x", "bob"), is: said("two"))
    expect(keyring.call("get", "https://carol@h.example/simple/", "--mode=creds"), is: notFound)
  }

  @Test("of several user names the default one is given, else that of the newest password")
  func several() throws {
    try add(index, "alice", "one")
    try add(index, "bob", "two")
    expect(keyring.call("get", index, "--mode=creds"), is: said("bob\ntwo"))
    try add(index, "carol", "three", isDefault: true)
    try add(index, "dave", "four")
    expect(keyring.call("get", index, "--mode=creds"), is: said("carol\nthree"))
    // Without a user name it can't be used to log in.
    try add("nameless", nil, "five")
    expect(keyring.call("get", "nameless", "--mode=creds"), is: notFound)
    expect(keyring.call("get", "nameless", ""), is: notFound)
  }

  @Test("another tool's login for the host, a token of git's and uv's list of logins are nothing for it")
  func notForIt() throws {
    try keyring.add(
      InternetPassword(protocol: "https", server: "h.example", account: "alice", securityDomain: "docker"),
      "p")
    let token = Item(InternetPassword(protocol: "https", server: "h.example", account: "alice"))
    try keyring.fresh.keychain.add(token, Credential(Secret("t"), authenticationScheme: "Bearer"))
    try add("uv:https://h.example", "_uv_", "[]")
    expect(keyring.call("get", "https://h.example/", "alice"), is: notFound)
    expect(keyring.call("get", "https://h.example/", "--mode=creds"), is: notFound)
    expect(keyring.call("get", "h.example", "--mode=creds"), is: notFound)
    expect(keyring.call("get", "uv:https://h.example", "_uv_"), is: said("[]"))
  }

  @Test("a path without end is no work without end")
  func depth() throws {
    try add("https://h.example", "alice", "root")
    let deep = "https://h.example/" + String(repeating: "a/", count: 20_000)
    expect(keyring.call("get", deep, "alice"), is: said("root"))
  }

  // MARK: Any names

  @Test(
    "whatever is set, in whatever order, is got byte for byte, and del takes that alone",
    arguments: KeychainUnderTest.all)
  func anything(kind: KeychainUnderTest) throws {
    let keyring = ToolUnderTest("keyring", kind)
    var generator = SeededGenerator(seed: 71)
    var model: [[ByteString]: ByteString] = [:]
    for _ in 0..<(kind.name == "secret service" ? rounds(40) : rounds(300)) {
      let names = [generator.service(), generator.name()]
      switch generator.number(in: 0..<4) {
      case 0, 1:
        let secret = generator.speakable(in: 0..<40)
        try expect(keyring.reply(to: ["set", "--"] + names, bytes: secret.bytes + [0x0a]).status, is: 0)
        model[names] = secret
      case 2:
        let expected: Int32 = model.removeValue(forKey: names) == nil ? 1 : 0
        try expect(keyring.reply(to: ["del", "--"] + names).status, is: expected)
      default: break
      }
      for (names, secret) in model.sorted(by: { $0.value < $1.value }).prefix(3) {
        let got = try keyring.reply(to: ["get", "--"] + names)
        expect(got.status == 0 && got.output == secret.bytes + [0x0a], "\(names)")
        let both = try keyring.reply(to: ["--mode=creds", "get", "--"] + names)
        expect(both.output, is: names[1].bytes + [0x0a] + secret.bytes + [0x0a], "\(names)")
      }
    }
    for (names, secret) in model {
      try expect(keyring.reply(to: ["get", "--"] + names).output, is: secret.bytes + [0x0a], "\(names)")
    }
    expect(!model.isEmpty)
    try expect(keyring.fresh.keychain.items(matching: .all).count, is: model.count)
  }
}

extension SeededGenerator {
  /// Bytes that a name, or an answer in lines, can contain.
  fileprivate mutating func speakable(in lengths: Range<Int>) -> ByteString {
    ByteString(bytes(number(in: lengths)).filter { $0 != 0 && $0 != 0x0a && $0 != 0x0d })
  }

  /// A user name, often one that has been used before.
  fileprivate mutating func name() -> ByteString {
    number(in: 0..<4) == 0
      ? speakable(in: 0..<6) : pick(["", "alice", "Alice", "__token__", "_uv_", "é", "-x", "--"])
  }

  /// A service, usually one that could be mistaken for another.
  fileprivate mutating func service() -> ByteString {
    if number(in: 0..<4) == 0 { return ByteString([0x21] + speakable(in: 0..<12).bytes) }
    let text =
      pick(["", "https://", "http://", "HTTPS://", "uv:https://", "keyring:"])
      + pick(["h", "H", "h:443", "h:80", "[::1]", "u@h", "poetry-repository-x"])
      + pick(["", "/", "/a", "/a/", "//a", "/a/b", "/a?b", "/%61"])
    return ByteString(text)
  }
}
