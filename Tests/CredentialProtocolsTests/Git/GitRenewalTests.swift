import CredentialProtocols
import Expectations
import Keychain
import KeychainTesting
import TestSupport
import Testing

@Suite("what has expired, told to git") struct GitRenewalTests {
  private let place = ["protocol=https", "host=example.com"]

  private func store(
    _ git: Conversation, _ lines: String..., capabilities: [String] = []
  ) throws {
    try expect(git.perform(.store, joined(capabilities + place + lines)), is: "")
  }

  @Test(
    "account, expiry and refresh token, without the password",
    arguments: KeychainUnderTest.givingRefreshTokens)
  func expired(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    let expiry = git.fresh.clock.now.seconds + 60
    try store(
      git, "username=alice", "password=old", "password_expiry_utc=\(expiry)", "oauth_refresh_token=r")
    git.fresh.clock.advance(seconds: 61)
    let lines = "username=alice\npassword_expiry_utc=\(expiry)\noauth_refresh_token=r\n"
    try expect(git.perform(.get, joined(place)), is: lines)
    try expect(git.perform(.get, joined(place + ["username=alice"])), is: lines)
    try expect(git.perform(.get, joined(place + ["username=bob"])), is: "")
    try expect(git.perform(.get, joined(place + ["path=acme/app.git"])), is: lines)
    // No part of it depends on a capability.
    try expect(git.perform(.get, joined(["capability[]=authtype", "capability[]=state"] + place)), is: lines)
    try expect(git.count(), is: 1)
  }

  @Test(
    "a login that git has stored after renewing takes the item's place",
    arguments: KeychainUnderTest.givingRefreshTokens)
  func renewed(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    let expiry = git.fresh.clock.now.seconds + 60
    try store(
      git, "username=alice", "password=old", "password_expiry_utc=\(expiry)", "oauth_refresh_token=r")
    git.fresh.clock.advance(seconds: 61)
    // Git passes the next helper's answer to every helper of the chain.
    try store(
      git, "username=alice", "password=new", "oauth_refresh_token=s", "password_expiry_utc=\(expiry + 60)")
    try expect(
      git.perform(.get, joined(place)),
      is: "username=alice\npassword=new\npassword_expiry_utc=\(expiry + 60)\noauth_refresh_token=s\n")
    try expect(git.count(), is: 1)
  }

  @Test("a password that somebody else gave and the server refused leaves the refresh token")
  func refused() throws {
    let git = Conversation()
    let expiry = git.fresh.clock.now.seconds + 1
    try store(
      git, "username=alice", "password=old", "password_expiry_utc=\(expiry)", "oauth_refresh_token=r")
    git.fresh.clock.advance(seconds: 9)
    _ = try git.perform(
      .erase, joined(place + ["username=alice", "password=typed", "oauth_refresh_token=r"]))
    try expect(git.perform(.get, joined(place)).contains("oauth_refresh_token=r\n"))
  }

  @Test(
    "a refused token is only marked, so that it can be renewed",
    arguments: KeychainUnderTest.givingRefreshTokens)
  func refusedToken(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try store(git, "username=alice", "password=old", "oauth_refresh_token=r")
    git.fresh.clock.advance(seconds: 61)
    let refused = joined(place + ["username=alice", "password=old", "oauth_refresh_token=r"])
    for _ in 0..<2 {
      _ = try git.perform(.erase, refused)
      let answer = try git.perform(.get, joined(place))
      expect(answer.hasSuffix("oauth_refresh_token=r\n") && !answer.contains("password="))
      git.fresh.clock.advance(seconds: 9)
    }
  }

  @Test("a fresh token that is refused goes with its refresh token: the next one would be refused likewise")
  func refusedFreshToken() throws {
    let git = Conversation()
    try store(git, "username=alice", "password=old", "oauth_refresh_token=r")
    git.fresh.clock.advance(seconds: 50)
    _ = try git.perform(.erase, joined(place + ["username=alice", "password=old"]))
    try expect(git.count(), is: 0)
  }

  /// Gives each keychain a new secret.
  private final class Renewer: SecretRenewing {
    private(set) var renewed = 0
    var former: ByteString?
    var outcome: (Item) -> RenewalOutcome = { _ in .failed }

    func renew(
      _ item: Item, _ credential: borrowing Credential, in keychain: any KeychainStore, at now: Timestamp
    ) throws(KeychainError) -> RenewalOutcome {
      renewed += 1
      return outcome(item)
    }

    func hasReplaced(_ secret: borrowing Secret, of item: Item) -> Bool { former?.bytes == secret.revealed }
  }

  @Test("a secret that was renewed since is not stored again, with its refresh token or without")
  func former() throws {
    let git = Conversation()
    let renewer = Renewer()
    renewer.former = "old"
    try #require(git.keychain as? InMemoryKeychain).renewer = renewer
    try store(git, "username=alice", "password=new", "oauth_refresh_token=s")
    for rest in [[], ["oauth_refresh_token=r"], ["oauth_refresh_token=s"]] {
      _ = try git.perform(.store, joined(place + ["username=alice", "password=old"] + rest))
      try expect(
        git.perform(.get, joined(place)), is: "username=alice\npassword=new\noauth_refresh_token=s\n")
    }
    try store(git, "username=alice", "password=theirs", "oauth_refresh_token=t")
    try expect(
      git.perform(.get, joined(place)), is: "username=alice\npassword=theirs\noauth_refresh_token=t\n")
  }

  @Test("a keychain renews what has expired or soon will, and nothing else")
  func renewing() throws {
    let git = Conversation()
    let renewer = Renewer()
    let keychain = try #require(git.keychain as? InMemoryKeychain)
    keychain.renewer = renewer
    func answer() throws -> String {
      let text = Secret(copying: ByteString(joined(place)))
      let request = try text.withUnsafeBytes { try GitRequest(parsing: $0) }
      let reply = try GitCredentialProtocol().perform(.get, request, on: keychain, at: git.fresh.clock.now)
      return reply.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
    let expiry = git.fresh.clock.now.seconds + 100
    try store(git, "username=alice", "password=old", "password_expiry_utc=\(expiry)", "oauth_refresh_token=r")
    try expect(answer().contains("password=old\n"))
    expect(renewer.renewed, is: 0)
    // Within a minute of its end: it is still good if there is no other.
    git.fresh.clock.advance(seconds: 41)
    try expect(answer().contains("password=old\n"))
    expect(renewer.renewed, is: 1)
    renewer.outcome = { .renewed(Answer(item: $0, credential: Credential(password: "new"))) }
    try expect(answer(), is: "username=alice\npassword=new\n")
    git.fresh.clock.advance(seconds: 60)
    try expect(answer(), is: "username=alice\npassword=new\n")
    // No network: the next helper gets the refresh token.
    renewer.outcome = { _ in .failed }
    try expect(answer().hasSuffix("oauth_refresh_token=r\n"))
    // Refused: nobody gets it.
    renewer.outcome = { _ in .ended }
    try expect(answer(), is: "")
  }

  @Test("git may ask again where a server refuses what can be renewed, and gets a new one then")
  func continued() throws {
    let git = Conversation()
    let renewer = Renewer()
    let keychain = try #require(git.keychain as? InMemoryKeychain)
    let knowing = ["capability[]=authtype", "capability[]=state"] + place
    func get(_ lines: String...) throws -> [Substring] {
      try git.perform(.get, joined(knowing + lines)).split(separator: "\n")
    }
    try store(git, "username=alice", "password=old", "oauth_refresh_token=r")
    // Nothing renews it: another question would have the same answer.
    expect(!(try get().contains("continue=1")))
    keychain.renewer = renewer
    renewer.outcome = { .renewed(Answer(item: $0, credential: .text("new", refreshToken: "s"))) }
    let first = try get()
    expect(first.contains("password=old") && first.contains("continue=1"))
    try expect(!git.perform(.get, joined(place)).contains("continue"))
    let state = String(try #require(first.first { $0.hasPrefix("state[]=") }))

    // Within a minute, somebody else may have renewed it. If it is refused again, git erases it.
    var second = try get("username=alice", "oauth_refresh_token=r", state)
    expect(second.contains("password=old") && !second.contains("continue=1"))
    git.fresh.clock.advance(seconds: 60)
    expect(renewer.renewed, is: 0)
    second = try get("username=alice", "oauth_refresh_token=r", state)
    expect(second.contains("password=new") && !second.contains("continue=1"))
    expect(renewer.renewed, is: 1)

    // No network: as without.
    renewer.outcome = { _ in .failed }
    second = try get("username=alice", "oauth_refresh_token=r", state)
    expect(second.last == "oauth_refresh_token=r" && !second.contains { $0.hasPrefix("password=") })
    try expect(git.count(), is: 1)
  }

  @Test("who asks by 'git credential' is not told to ask again, and a further question is no refusal")
  func notGit() throws {
    let git = Conversation()
    let keychain = try #require(git.keychain as? InMemoryKeychain)
    let renewer = Renewer()
    keychain.renewer = renewer
    renewer.outcome = { .renewed(Answer(item: $0, credential: .text("new", refreshToken: "s"))) }
    let knowing = ["capability[]=authtype", "capability[]=state"] + place
    try store(git, "username=alice", "password=old", "oauth_refresh_token=r")
    git.isGit = false
    let first = try git.perform(.get, joined(knowing)).split(separator: "\n").map(String.init)
    expect(first.contains("password=old") && !first.contains { $0.hasPrefix("continue") })
    let state = try #require(first.first { $0.hasPrefix("state[]=") })
    git.fresh.clock.advance(seconds: 61)
    // git-lfs 3.8 has it in its next question, refused or not.
    try expect(git.perform(.get, joined(knowing + [state])).contains("password=old\n"))
    expect(renewer.renewed, is: 0)
    // It says so of what was refused.
    try git.erase(place[0], place[1], "username=alice", "password=old", "capability[]=state", state)
    try expect(git.perform(.get, joined(knowing + [state])).contains("password=new\n"))
    expect(renewer.renewed, is: 1)
  }

  @Test("what was renewed since git got its answer was not refused")
  func renewedSince() throws {
    let git = Conversation()
    let keychain = try #require(git.keychain as? InMemoryKeychain)
    let renewer = Renewer()
    keychain.renewer = renewer
    let knowing = ["capability[]=state"] + place
    try store(git, "username=alice", "password=old", "oauth_refresh_token=r")
    let first = try git.perform(.get, joined(knowing)).split(separator: "\n").map(String.init)
    let state = try #require(first.first { $0.hasPrefix("state[]=llavero+") })
    git.fresh.clock.advance(seconds: 61)
    try store(git, "username=alice", "password=new", "oauth_refresh_token=s")
    git.fresh.clock.advance(seconds: 61)
    try expect(git.perform(.get, joined(knowing + [state])).contains("password=new\n"))
    expect(renewer.renewed, is: 0)
  }

  @Test("a state changes nothing of passwords, of other items and for a git without the capability")
  func stateOfOthers() throws {
    let git = Conversation()
    let keychain = try #require(git.keychain as? InMemoryKeychain)
    let renewer = Renewer()
    keychain.renewer = renewer
    try store(git, "username=alice", "password=token", "oauth_refresh_token=r")
    try store(git, "username=bob", "password=typed")
    git.fresh.clock.advance(seconds: 61)
    let knowing = ["capability[]=state"] + place
    func state(_ account: String) throws -> String {
      let answer = try git.perform(.get, joined(knowing + ["username=\(account)"]))
      expect(answer.contains("continue=1"), is: account == "alice")
      return String(try #require(answer.split(separator: "\n").first { $0.hasPrefix("state[]=") }))
    }
    let (alice, bob) = (try state("alice"), try state("bob"))
    try expect(git.perform(.get, joined(knowing + ["username=bob", bob])).contains("password=typed\n"))
    try expect(git.perform(.get, joined(knowing + ["username=bob", alice])).contains("password=typed\n"))
    try expect(git.perform(.get, joined(place + ["username=alice", alice])).contains("password=token\n"))
    let elsewhere = ["capability[]=state", "protocol=https", "host=example.org", alice]
    try expect(git.perform(.get, joined(elsewhere)), is: "")
    try expect(git.perform(.get, joined(knowing + ["username=alice"])).contains("password=token\n"))
    expect(renewer.renewed, is: 0)
  }

  @Test("without a refresh token nothing, so that other helpers may answer with another account")
  func nothingToRenew() throws {
    let git = Conversation()
    try store(
      git, "username=alice", "password=old", "password_expiry_utc=\(git.fresh.clock.now.seconds + 1)")
    git.fresh.clock.advance(seconds: 9)
    try expect(git.perform(.get, joined(place)), is: "")
    try expect(git.perform(.get, joined(place + ["username=alice"])), is: "")
  }

  @Test("another account that is valid answers, and is not mixed with the expired one")
  func anotherAccount() throws {
    let git = Conversation()
    try store(git, "username=bob", "password=valid")
    git.fresh.clock.advance(seconds: 1)
    try store(
      git, "username=alice", "password=old", "oauth_refresh_token=r",
      "password_expiry_utc=\(git.fresh.clock.now.seconds + 1)")
    git.fresh.clock.advance(seconds: 9)
    try expect(git.perform(.get, joined(place)), is: "username=bob\npassword=valid\n")
    try expect(
      git.perform(.get, joined(place + ["username=alice"])).hasSuffix("oauth_refresh_token=r\n"))
  }

  @Test("in the very second of the expiry git would keep it for the next helper's password")
  func boundary() throws {
    let git = Conversation()
    let expiry = git.fresh.clock.now.seconds + 60
    try store(git, "username=a", "password=p", "password_expiry_utc=\(expiry)", "oauth_refresh_token=r")
    func answer(at second: Int64) throws -> String {
      git.fresh.clock.now = Timestamp(seconds: second)
      return try git.perform(.get, joined(place))
    }
    try expect(answer(at: expiry - 1).contains("password=p\n"))
    try expect(answer(at: expiry), is: "username=a\noauth_refresh_token=r\n")
    try expect(
      answer(at: expiry + 1), is: "username=a\npassword_expiry_utc=\(expiry)\noauth_refresh_token=r\n")
  }

  @Test("an expiry before 1970, or at its beginning, is none to git")
  func early() throws {
    let git = Conversation()
    for (host, expiry) in [("a.com", 0), ("b.com", -5)] as [(ByteString, Int64)] {
      try git.keychain.add(.internet(host), .text("p", expiry: expiry, refreshToken: "r"))
      try expect(git.get("protocol=https", "host=\(host)"), is: "oauth_refresh_token=r\n")
    }
  }

  @Test("of a ready-made credential neither the credential nor its scheme, and only to who could take it")
  func readyMade() throws {
    let git = Conversation()
    let expiry = git.fresh.clock.now.seconds + 1
    try store(
      git, "username=bot", "authtype=Bearer", "credential=t", "password_expiry_utc=\(expiry)",
      "oauth_refresh_token=r", capabilities: ["capability[]=authtype"])
    git.fresh.clock.advance(seconds: 9)
    try expect(
      git.perform(.get, joined(["capability[]=authtype"] + place)),
      is: "username=bot\npassword_expiry_utc=\(expiry)\noauth_refresh_token=r\n")
    try expect(git.perform(.get, joined(place)), is: "")
  }

  @Test("after the time limit the refresh token is no longer given either")
  func timeLimit() throws {
    let git = Conversation()
    git.timeout = 100
    let start = git.fresh.clock.now.seconds
    func answer(at second: Int64) throws -> String {
      git.fresh.clock.now = Timestamp(seconds: second)
      return try git.perform(.get, joined(place))
    }
    try store(
      git, "username=a", "password=p", "password_expiry_utc=\(start + 50)", "oauth_refresh_token=r")
    try expect(answer(at: start + 99).hasSuffix("oauth_refresh_token=r\n"))
    try expect(answer(at: start + 100), is: "")
    // An item ended only by the time limit is not renewed.
    git.fresh.clock.now = Timestamp(seconds: start + 1000)
    try store(git, "username=a", "password=q", "oauth_refresh_token=r")
    try expect(answer(at: start + 1099).contains("password=q\n"))
    try expect(answer(at: start + 1100), is: "")
  }

  @Test(
    "a refresh token that would be more than its line is refused", arguments: ["a\nhost=b", "a\r", "a\0"])
  func unspeakable(token: String) throws {
    let git = Conversation()
    try git.keychain.add(.internet(), .text("p", expiry: 1, refreshToken: token))
    #expect(throws: ProtocolError.unspeakableAnswer(key: "oauth_refresh_token")) {
      try git.perform(.get, joined(place))
    }
  }

  @Test(
    "other tools get nothing",
    arguments: [
      ("docker", ["get"], "example.com"), ("docker", ["list"], ""),
      ("terraform", ["get", "example.com"], ""),
      ("goauth", ["https://example.com"], ""), ("bazel", ["get"], #"{"uri":"https://example.com"}"#),
      ("keyring", ["--mode", "creds", "get", "https://example.com"], ""), ("netrc", [], ""),
    ] as [(String, [String], String)])
  func otherTools(name: String, arguments: [String], input: String) throws {
    let tool = ToolUnderTest(name)
    for domain in [nil, ByteString(name)] {
      try tool.fresh.keychain.add(
        .internet(account: "alice", domain: domain), .text("s3cret", expiry: 1, refreshToken: "refr3sh"))
    }
    let output = tool.call(arguments, bytes: Array(input.utf8)).output
    expect(!output.contains("s3cret") && !output.contains("refr3sh"))
  }
}
