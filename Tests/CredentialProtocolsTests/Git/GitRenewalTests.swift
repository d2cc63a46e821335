import CredentialProtocols
import Expectations
import Keychain
import KeychainTesting
import TestSupport
import Testing

@Suite("what has expired, told to git") struct GitRenewalTests {
  private let git = Conversation()
  private let renewer = Renewer()

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

  /// Lets the keychain renew, if a login is given with that.
  private func renews(with credential: @escaping () -> Credential?) throws {
    try #require(git.keychain as? InMemoryKeychain).renewer = renewer
    renewer.outcome = { item in
      guard let credential = credential() else { return .failed }
      return .renewed(Answer(item: item, credential: credential))
    }
  }

  @Test("what becomes of it", arguments: dialogues)
  func course(dialogue: Dialogue) throws { try git.hold(dialogue.lines) }

  private static let dialogues = Dialogue.all(
    """
    # a password that somebody else gave and the server refused leaves the refresh token
    store username=alice password=old password_expiry_utc={1} oauth_refresh_token=r
    wait 9
    erase username=alice password=typed oauth_refresh_token=r
    get -> username=alice password_expiry_utc={1} oauth_refresh_token=r
    # a fresh token that is refused goes with its refresh token: the next one would be refused likewise
    store username=alice password=old oauth_refresh_token=r
    wait 50
    erase username=alice password=old
    count 0
    # without a refresh token nothing, so that other helpers may answer with another account
    store username=alice password=old password_expiry_utc={1}
    wait 9
    get ->
    get username=alice ->
    # another account that is valid answers, and is not mixed with the expired one
    store username=bob password=valid
    wait 1
    store username=alice password=old oauth_refresh_token=r password_expiry_utc={3}
    wait 9
    get -> username=bob password=valid
    get username=alice -> username=alice password_expiry_utc={3} oauth_refresh_token=r
    # in the very second of the expiry git would keep it for the next helper's password
    store username=a password=p password_expiry_utc={60} oauth_refresh_token=r
    at 59
    get -> username=a password=p password_expiry_utc={60} oauth_refresh_token=r
    at 60
    get -> username=a oauth_refresh_token=r
    at 61
    get -> username=a password_expiry_utc={60} oauth_refresh_token=r
    # of a ready-made credential neither the credential nor its scheme, and only to who could take it
    store capability[]=authtype username=bot authtype=Bearer credential=t password_expiry_utc={1} oauth_refresh_token=r
    wait 9
    get capability[]=authtype -> username=bot password_expiry_utc={1} oauth_refresh_token=r
    get ->
    """)

  @Test("a secret that was renewed since is not stored again, with its refresh token or without")
  func former() throws {
    renewer.former = "old"
    try renews { nil }
    try git.hold(
      """
      store username=alice password=new oauth_refresh_token=s
      store username=alice password=old
      get -> username=alice password=new oauth_refresh_token=s
      store username=alice password=old oauth_refresh_token=r
      get -> username=alice password=new oauth_refresh_token=s
      store username=alice password=old oauth_refresh_token=s
      get -> username=alice password=new oauth_refresh_token=s
      store username=alice password=theirs oauth_refresh_token=t
      get -> username=alice password=theirs oauth_refresh_token=t
      """)
  }

  @Test("a keychain renews what has expired or soon will, and nothing else")
  func renewing() throws {
    try renews { nil }
    try git.hold(
      """
      store username=alice password=old password_expiry_utc={100} oauth_refresh_token=r
      get -> username=alice password=old password_expiry_utc={100} oauth_refresh_token=r
      """)
    expect(renewer.renewed, is: 0)
    // Within a minute of its end: it is still good if there is no other.
    try git.hold(
      """
      at 40
      get -> username=alice password=old password_expiry_utc={100} oauth_refresh_token=r
      """)
    expect(renewer.renewed, is: 1)
    try renews { Credential(password: "new") }
    try git.hold(
      """
      get -> username=alice password=new
      at 101
      get -> username=alice password=new
      """)
    // No network: the next helper gets the refresh token.
    try renews { nil }
    try git.hold("get -> username=alice password_expiry_utc={100} oauth_refresh_token=r")
    // Refused: nobody gets it.
    renewer.outcome = { _ in .ended }
    try git.hold("get ->")
  }

  @Test(
    "the best one is renewed though a worse one is valid, which answers only where there is no new secret")
  func best() throws {
    try renews { Credential(password: "new") }
    try git.hold(
      """
      store username=bob password=valid
      wait 1
      store username=alice password=old password_expiry_utc={3} oauth_refresh_token=r
      wait 9
      get -> username=alice password=new
      """)
    expect(renewer.renewed, is: 1)
    let explanation = try git.keychain.explain(.internet(), at: .now)
    expect(explanation.renewed?.key.account, is: "alice")
    expect(explanation.winner?.key.account, is: "bob")
    for outcome in [{ _ in .failed }, { _ in .ended }] as [(Item) -> RenewalOutcome] {
      renewer.outcome = outcome
      try git.hold("get -> username=bob password=valid")
    }
  }

  @Test("git may ask again where a server refuses what can be renewed, and gets a new one then")
  func continued() throws {
    // Nothing renews it: another question would have the same answer.
    try git.hold(
      """
      store username=alice password=old oauth_refresh_token=r
      get capability[]=state -> capability[]=state username=alice password=old oauth_refresh_token=r {state}
      """)
    try renews { .text("new", refreshToken: "s") }
    // Within a minute, somebody else may have renewed it. If it is refused again, git erases it.
    try git.hold(
      """
      get -> username=alice password=old oauth_refresh_token=r
      get capability[]=state -> capability[]=state username=alice password=old oauth_refresh_token=r {state} continue=1
      """)
    let state = git.lastState
    try git.hold(
      """
      get capability[]=state \(state) -> capability[]=state username=alice password=old oauth_refresh_token=r {state}
      """)
    expect(renewer.renewed, is: 0)
    try git.hold(
      """
      wait 60
      get capability[]=state \(state) -> capability[]=state username=alice password=new oauth_refresh_token=s {state}
      """)
    expect(renewer.renewed, is: 1)
    // No network: as without.
    try renews { nil }
    try git.hold(
      """
      get capability[]=state \(state) -> username=alice password_expiry_utc={65} oauth_refresh_token=r
      count 1
      """)
  }

  @Test("who asks by 'git credential' is not told to ask again, and a further question is no refusal")
  func notGit() throws {
    try renews { .text("new", refreshToken: "s") }
    git.isGit = false
    // git-lfs 3.8 has the state in its next question, refused or not.
    try git.hold(
      """
      store username=alice password=old oauth_refresh_token=r
      get capability[]=state -> capability[]=state username=alice password=old oauth_refresh_token=r {state}
      wait 61
      get capability[]=state {state} -> capability[]=state username=alice password=old oauth_refresh_token=r {state}
      """)
    expect(renewer.renewed, is: 0)
    // It says so of what was refused.
    try git.hold(
      """
      erase username=alice password=old capability[]=state {state}
      get capability[]=state {state} -> capability[]=state username=alice password=new oauth_refresh_token=s {state}
      """)
    expect(renewer.renewed, is: 1)
  }

  @Test("what was renewed since git got its answer was not refused")
  func renewedSince() throws {
    try renews { nil }
    try git.hold(
      """
      store username=alice password=old oauth_refresh_token=r
      get capability[]=state -> capability[]=state username=alice password=old oauth_refresh_token=r {state} continue=1
      """)
    expect(git.lastState.hasPrefix("state[]=llavero+"))
    let former = git.lastState
    try git.hold(
      """
      wait 61
      store username=alice password=new oauth_refresh_token=s
      wait 61
      get capability[]=state \(former) -> capability[]=state username=alice password=new oauth_refresh_token=s {state}
      """)
    expect(renewer.renewed, is: 0)
  }

  @Test("a state changes nothing of passwords, of other items and for a git without the capability")
  func stateOfOthers() throws {
    try renews { nil }
    try git.hold(
      """
      store username=alice password=token oauth_refresh_token=r
      store username=bob password=typed
      wait 61
      get capability[]=state username=alice -> capability[]=state username=alice password=token oauth_refresh_token=r {state} continue=1
      """)
    let alice = git.lastState
    try git.hold(
      """
      get capability[]=state username=bob -> capability[]=state username=bob password=typed {state}
      get capability[]=state username=bob {state} -> capability[]=state username=bob password=typed {state}
      get capability[]=state username=bob \(alice) -> capability[]=state username=bob password=typed {state}
      get username=alice \(alice) -> username=alice password=token oauth_refresh_token=r
      get capability[]=state host=example.org \(alice) ->
      get capability[]=state username=alice -> capability[]=state username=alice password=token oauth_refresh_token=r {state} continue=1
      """)
    expect(renewer.renewed, is: 0)
  }

  @Test("an expiry before 1970, or at its beginning, is none to git")
  func early() throws {
    for (host, expiry) in [("a.com", 0), ("b.com", -5)] as [(ByteString, Int64)] {
      try git.keychain.add(.internet(host), .text("p", expiry: expiry, refreshToken: "r"))
      try expect(git.get("protocol=https", "host=\(host)"), is: "oauth_refresh_token=r\n")
    }
  }

  @Test(
    "after the time limit the refresh token is no longer given either; what only that ended is not renewed")
  func timeLimit() throws {
    git.timeout = 100
    try git.hold(
      """
      store username=a password=p password_expiry_utc={50} oauth_refresh_token=r
      at 99
      get -> username=a password_expiry_utc={50} oauth_refresh_token=r
      at 100
      get ->
      at 1000
      store username=a password=q oauth_refresh_token=r
      at 1099
      get -> username=a password=q password_expiry_utc={1100} oauth_refresh_token=r
      at 1100
      get ->
      """)
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
