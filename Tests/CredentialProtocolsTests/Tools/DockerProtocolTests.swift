import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

/// The login that a client sends to be stored.
private func login(_ address: String, _ account: String, _ secret: String) -> String {
  #"{"ServerURL":"\#(address)","Username":"\#(account)","Secret":"\#(secret)"}"# + "\n"
}

private let done = ToolReply(status: 0, output: "")
private let notFound = ToolReply(status: 1, output: "credentials not found in native keychain\n")
private let hub = "https://index.docker.io/v1/"

private func found(_ address: String, _ account: String, _ secret: String) -> ToolReply {
  ToolReply(status: 0, output: login(address, account, secret))
}

@Suite("Docker's protocol", .timeLimit(.minutes(60)))
struct DockerProtocolTests {
  let docker = ToolUnderTest("docker")

  @Test("what is stored is answered until it is erased", arguments: KeychainUnderTest.all)
  func roundTrip(kind: KeychainUnderTest) {
    let docker = ToolUnderTest("docker", kind)
    expect(docker.call("get", input: "127.0.0.1:5999"), is: notFound)
    expect(docker.call("store", input: login("127.0.0.1:5999", "alice", "s3cret")), is: done)
    expect(docker.call("get", input: "127.0.0.1:5999"), is: found("127.0.0.1:5999", "alice", "s3cret"))
    expect(docker.call("list", input: "unused").output, is: #"{"127.0.0.1:5999":"alice"}"# + "\n")
    expect(docker.call("erase", input: "127.0.0.1:5999"), is: done)
    expect(docker.call("get", input: "127.0.0.1:5999"), is: notFound)
    expect(docker.call("erase", input: "127.0.0.1:5999"), is: done)
    expect(docker.call("list", input: "unused"), is: ToolReply(status: 0, output: "{}\n"))
  }

  @Test("a registry has one login: another user's replaces it", arguments: KeychainUnderTest.all)
  func oneLogin(kind: KeychainUnderTest) {
    let docker = ToolUnderTest("docker", kind)
    expect(docker.call("store", input: login("r.example", "alice", "one")), is: done)
    expect(docker.call("store", input: login("r.example", "bob", "two")), is: done)
    expect(docker.call("get", input: "r.example"), is: found("r.example", "bob", "two"))
    expect(docker.call("store", input: login("r.example", "bob", "three")), is: done)
    expect(docker.call("get", input: "r.example"), is: found("r.example", "bob", "three"))
    expect(docker.call("list").output, is: #"{"r.example":"bob"}"# + "\n")
  }

  @Test("storing what is there already writes nothing")
  func unchanged() {
    let docker = ToolUnderTest("docker", KeychainUnderTest.all[1])
    expect(docker.call("store", input: login("r.example", "alice", "one")), is: done)
    let before = docker.fresh.writes
    expect(docker.call("store", input: login("r.example", "alice", "one")), is: done)
    expect(docker.fresh.writes, is: before)
  }

  @Test("a login of docker's never touches git's, and git's serves where docker has none")
  func besideGit() throws {
    try docker.add(InternetPassword(protocol: "https", server: "r.example", port: 5000, account: "g"), "gits")
    expect(docker.call("get", input: "r.example:5000"), is: found("r.example:5000", "g", "gits"))
    expect(docker.call("get", input: "r.example"), is: notFound)
    expect(docker.call("list").output, is: "{}\n")
    expect(docker.call("erase", input: "r.example:5000"), is: done)
    expect(docker.call("get", input: "r.example:5000"), is: found("r.example:5000", "g", "gits"))
    expect(docker.call("store", input: login("r.example:5000", "g", "gits")), is: done)
    expect(docker.call("list").output, is: #"{"r.example:5000":"g"}"# + "\n")
    expect(docker.call("store", input: login("r.example:5000", "d", "dockers")), is: done)
    expect(docker.call("get", input: "r.example:5000"), is: found("r.example:5000", "d", "dockers"))
    let gits = try docker.fresh.keychain.find(.internet("r.example", port: 5000))
    expect(gits.map(\.key.account), is: ["g"])
    expect(docker.call("erase", input: "r.example:5000"), is: done)
    expect(docker.call("get", input: "r.example:5000"), is: found("r.example:5000", "g", "gits"))
  }

  @Test("an item that is for something else doesn't answer")
  func otherItems() throws {
    try docker.add(InternetPassword(protocol: "http", server: "h.example", account: "a"), "x")
    try docker.add(InternetPassword(protocol: "https", server: "n.example", account: nil), "x")
    try docker.add(
      InternetPassword(protocol: "https", server: "c.example", account: "a", securityDomain: "cargo"), "x")
    for server in ["h.example", "n.example", "c.example"] {
      expect(docker.call("get", input: server), is: notFound)
    }
  }

  @Test(
    "Docker Hub answers by each of its names",
    arguments: [
      hub, "https://index.docker.io/v1", "index.docker.io", "docker.io", "registry-1.docker.io",
      "registry.hub.docker.com",
    ])
  func hubNames(name: String) {
    expect(docker.call("store", input: login(hub, "alice", "s3cret")), is: done)
    expect(docker.call("get", input: name), is: found(name, "alice", "s3cret"))
    let other = ToolUnderTest("docker")
    expect(other.call("store", input: login(name, "alice", "s3cret")), is: done)
    expect(other.call("get", input: hub), is: found(hub, "alice", "s3cret"))
    expect(other.call("list").output, is: #"{"\#(name)":"alice"}"# + "\n")
  }

  @Test(
    "after the logout from one name of a registry no other one has a login",
    arguments: [
      (hub, "docker.io"), ("docker.io", hub), ("index.docker.io/v1/", "registry-1.docker.io"),
      ("https://docker.io", "index.docker.io"), ("registry.hub.docker.com", "https://index.docker.io/v2/"),
      ("https://r.example/v2/", "r.example"), ("r.example", "https://r.example"),
    ])
  func logoutByAnotherName(kept: String, named: String) {
    expect(docker.call("store", input: login(kept, "alice", "s3cret")), is: done)
    expect(docker.call("store", input: login("other.example", "bob", "kept")), is: done)
    if named != "r.example" { expect(docker.call("get", input: named), is: found(named, "alice", "s3cret")) }
    let answer = docker.call("get", input: named)
    expect(docker.call("erase", input: named), is: done)
    expect(docker.call("get", input: named), is: notFound)
    // What doesn't answer for the name isn't its own to delete.
    let isElsewhere = answer == notFound
    expect(docker.call("get", input: kept), is: isElsewhere ? found(kept, "alice", "s3cret") : notFound)
    expect(docker.call("get", input: "other.example"), is: found("other.example", "bob", "kept"))
  }

  @Test("who logs out is told of a login that still answers")
  func otherLogin() throws {
    try docker.add(InternetPassword(protocol: "https", server: "docker.io", account: "carol"), "gits")
    expect(docker.call("store", input: login("docker.io", "alice", "s3cret")), is: done)
    var call = try docker.callInMemory(["erase"], bytes: Array("docker.io".utf8))
    try expect(DockerProtocol.respond(to: call), is: 0)
    expect(
      call.said,
      is: [
        Failure(
          "docker still gets a login for docker.io, which isn't its own",
          hint: "'llavero delete https://docker.io --account carol' deletes it", status: .nothingMatched)
      ])
    expect(call.output.isEmpty)
    call = try docker.callInMemory(["erase"], bytes: Array("r.example".utf8))
    try expect(DockerProtocol.respond(to: call), is: 0)
    expect(call.said.isEmpty)
  }

  @Test("one logout by several names tells it once")
  func otherLoginOnce() throws {
    try docker.add(InternetPassword(protocol: "https", server: "r.example", account: "carol"), "gits")
    let docker28 = CallerInMemory("docker")
    func said(_ name: String, by caller: CallerInMemory) throws -> Int {
      let call = try docker.callInMemory(["erase"], bytes: Array(name.utf8))
      call.callingProgram = caller
      try expect(DockerProtocol.respond(to: call), is: 0)
      return call.said.count
    }
    let times = try ["r.example", "http://r.example", "https://r.example"].map { try said($0, by: docker28) }
    expect(times, is: [1, 0, 0])
    try expect(said("r.example", by: CallerInMemory("docker")), is: 1)
  }

  @Test("a password is never taken for a token of the device login, nor the other way round")
  func tokens() {
    expect(docker.call("store", input: login(hub, "alice", "s3cret")), is: done)
    for name in ["access-token", "refresh-token"] {
      expect(docker.call("get", input: hub + name), is: notFound)
      expect(docker.call("store", input: login(hub + name, "alice", name)), is: done)
      expect(docker.call("get", input: hub + name), is: found(hub + name, "alice", name))
    }
    expect(docker.call("erase", input: hub), is: done)
    expect(docker.call("get", input: hub), is: notFound)
    expect(docker.call("get", input: "docker.io"), is: notFound)
    expect(
      docker.call("get", input: hub + "refresh-token"),
      is: found(hub + "refresh-token", "alice", "refresh-token"))
  }

  @Test("a repository's name is no registry's: crane asks with both")
  func repositories() {
    expect(docker.call("store", input: login("r.example", "alice", "s3cret")), is: done)
    expect(docker.call("get", input: "r.example/team/app"), is: notFound)
    expect(docker.call("erase", input: "r.example/team/app"), is: done)
    expect(docker.call("get", input: "https://r.example/v2/").status, is: 0)
  }

  @Test("the logout of docker's CLI, which erases four times, erases once")
  func logout() {
    expect(docker.call("store", input: login("127.0.0.1:5999", "alice", "s3cret")), is: done)
    for address in ["127.0.0.1:5999", "127.0.0.1:5999", "http://127.0.0.1:5999", "https://127.0.0.1:5999"] {
      expect(docker.call("erase", input: address), is: done)
    }
    expect(docker.call("list").output, is: "{}\n")
  }

  @Test("an identity token, and every byte of a text, go through", arguments: ["<token>", "a b", "ä\\u00e9"])
  func verbatim(account: String) {
    let secret = #"\"\\\n\t\u0001\u202ezß"#
    expect(docker.call("store", input: login("r.example", account, secret)), is: done)
    let reply = docker.call("get", input: " r.example\r\n")
    expect(reply.status, is: 0)
    let other = ToolUnderTest("docker")
    expect(other.call("store", input: reply.output), is: done)
    expect(other.call("get", input: "r.example"), is: reply)
  }

  @Test("an empty secret is one, an empty user name or address isn't")
  func empty() {
    expect(docker.call("store", input: login("r.example", "alice", "")), is: done)
    expect(docker.call("get", input: "r.example"), is: found("r.example", "alice", ""))
    let noAccount = ToolReply(status: 1, output: "no credentials username\n")
    let noAddress = ToolReply(status: 1, output: "no credentials server URL\n")
    expect(docker.call("store", input: login("r.example", "", "x")), is: noAccount)
    expect(docker.call("store", input: login("", "alice", "x")), is: noAddress)
    expect(docker.call("store", input: "{}"), is: noAddress)
    expect(docker.call("get", input: ""), is: noAddress)
    expect(docker.call("erase", input: " \n"), is: noAddress)
  }

  @Test("what an account or a secret can't be in JSON is not answered as something else")
  func notText() throws {
    try docker.fresh.keychain.add(
      Item(InternetPassword(protocol: "https", server: "r.example", account: ByteString([0xff]))),
      Credential(password: "x"))
    let reply = docker.call("get", input: "r.example")
    expect(reply.status == 1 && !reply.output.contains("Secret"))
  }

  @Test("unknown members are ignored, wrong ones refused, and nothing is stored")
  func badInput() {
    let whole = login("r.example", "alice", "s3cret")
    for input in [
      "", "[]", "null", #"{"ServerURL":1,"Username":"a","Secret":"s"}"#, "{\"ServerURL\":\"\u{0}\"}",
      whole + "x",
      #"{"ServerURL":"r.example","Username":"a\nb","Secret":"s"}"#,
      #"{"ServerURL":"https://r.example:99999","Username":"a","Secret":"s"}"#,
    ] {
      expect(docker.call("store", input: input).status, is: 1, "\(input)")
    }
    for end in 1..<(whole.utf8.count - 2) {
      expect(docker.call("store", input: String(whole.prefix(end))).status, is: 1)
    }
    expect(docker.call("list").output, is: "{}\n")
    let more = #"{"x":{"y":[1,null]},"ServerURL":"r.example","Username":"alice","Secret":"s3cret"}"#
    expect(docker.call("store", input: more), is: done)
  }

  @Test("what GitHub's program has stored serves its very host, where there is nothing else")
  func gitHubs() throws {
    try docker.add(service: "gh:r.example", account: "g", "ghs")
    expect(docker.call("get", input: "r.example"), is: found("r.example", "g", "ghs"))
    for other in ["r.example:5000", "http://r.example", "sub.r.example", "r.example/team/app"] {
      expect(docker.call("get", input: other), is: notFound)
    }
    expect(docker.call("list").output, is: "{}\n")
    try docker.add(InternetPassword(protocol: "https", server: "r.example", account: "a"), "gits")
    expect(docker.call("get", input: "r.example"), is: found("r.example", "a", "gits"))
  }

  @Test("ten megabytes are read to their end and refused")
  func tooLong() throws {
    let call = try docker.callInMemory(["store"], bytes: Array(repeating: 0x20, count: 10 << 20))
    #expect(throws: KeychainError.request(.requestTooLong(limit: 1 << 20))) {
      try DockerProtocol.respond(to: call)
    }
    expect(call.isDrained)
  }

  @Test("a keychain that can't be used keeps no public image away, and a person is told")
  func failingGet() throws {
    let call = try docker.callInMemory(
      ["get"], bytes: Array("r.example".utf8), failing: .locked(path: "/x/vault.age"))
    try expect(DockerProtocol.respond(to: call), is: 1)
    expect(String(decoding: call.output, as: UTF8.self), is: "credentials not found in native keychain\n")
    expect(call.said.map(\.status), is: [.keychain])
  }

  @Test("a keychain that can't be used is told on standard output, and is no empty one")
  func failingKeychain() {
    for operation in ["list", "erase", "store"] {
      let reply = docker.call(
        [operation], bytes: Array(login("r.example", "a", "s").utf8),
        failing: .locked(path: "/x/vault.age"))
      expect(reply.status == 1 && reply.output.hasPrefix("llavero: "))
      expect(!reply.output.contains("not found"))
    }
  }

  @Test("the version, and operations that there aren't")
  func operations() {
    let version = ToolReply(status: 0, output: "llavero-test (llavero) 1.2.3\n")
    expect(docker.call("version"), is: version)
    expect(docker.call("--version"), is: version)
    for reply in [docker.call("push"), docker.call(), docker.call("get", "list")] {
      expect(reply.status == 1 && reply.output.hasPrefix("llavero: "))
    }
  }

  @Test("no input breaks it: it answers or refuses, and what it stores it answers again")
  func fuzz() {
    var generator = SeededGenerator(seed: 5)
    let parts = [
      "{", "}", "\"ServerURL\"", ":", ",", "\"Username\"", "\"Secret\"", "\"a\"", "\"r.example:1\"",
      "\\u0000", "\"",
      "\u{fffd}", "1", "null", "[", "\"https://[::1]:5/p/\"", "\\", " ",
    ]
    for _ in 0..<rounds(1000) {
      let count = Int.random(in: 0...14, using: &generator)
      let text = (0..<count).map { _ in parts.randomElement(using: &generator)! }.joined()
      for operation in ["store", "get", "erase"] {
        expect([0, 1].contains(docker.call(operation, input: text).status))
      }
    }
    expect(docker.call("list").status, is: 0)
  }
}
