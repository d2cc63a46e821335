import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

/// What git demands of any helper (gitcredentials(7), git-credential(1)), one point after another, on every keychain.
@Suite("what git demands of a helper") struct GitBehavioursTests {
  @Test("1: nothing stored, nothing answered", arguments: KeychainUnderTest.all)
  func nothing(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try expect(git.get("protocol=https", "host=example.com"), is: "")
    expect(git.fresh.writes ?? 0, is: 0)
  }

  @Test("2: what was stored is answered", arguments: KeychainUnderTest.all)
  func stored(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store("protocol=https", "host=example.com", "username=alice", "password=secret")
    try expect(git.get("protocol=https", "host=example.com"), is: "username=alice\npassword=secret\n")
  }

  @Test("3 and 4: protocol and host must match", arguments: KeychainUnderTest.all)
  func place(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store("protocol=https", "host=example.com", "username=alice", "password=secret")
    try expect(git.get("protocol=http", "host=example.com"), is: "")
    try expect(git.get("protocol=https", "host=other.com"), is: "")
    try expect(git.get("protocol=https", "host=example.com:8443"), is: "")
    try expect(git.get("protocol=https", "host=EXAMPLE.com:443") != "")
  }

  @Test("5: a given username must match", arguments: KeychainUnderTest.all)
  func username(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store("protocol=https", "host=example.com", "username=alice", "password=secret")
    try expect(git.get("protocol=https", "host=example.com", "username=bob"), is: "")
    try expect(git.get("protocol=https", "host=example.com", "username=Alice"), is: "")
    try expect(
      git.get("protocol=https", "host=example.com", "username=alice"), is: "username=alice\npassword=secret\n"
    )
  }

  @Test("6: a given path must match", arguments: KeychainUnderTest.all)
  func path(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store("protocol=https", "host=example.com", "path=foo.git", "username=alice", "password=secret")
    try expect(git.get("protocol=https", "host=example.com", "path=bar.git"), is: "")
    try expect(
      git.get("protocol=https", "host=example.com", "path=foo.git"), is: "username=alice\npassword=secret\n"
    )
  }

  @Test("7: a second store for the same account replaces the password", arguments: KeychainUnderTest.all)
  func replaced(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store("protocol=https", "host=example.com", "username=alice", "password=old")
    try git.store("protocol=https", "host=example.com", "username=alice", "password=new")
    try expect(git.get("protocol=https", "host=example.com"), is: "username=alice\npassword=new\n")
    try expect(git.count(), is: 1)
  }

  @Test("8: after erase with that password, no answer", arguments: KeychainUnderTest.all)
  func erased(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store("protocol=https", "host=example.com", "username=alice", "password=secret")
    try git.erase("protocol=https", "host=example.com", "username=alice", "password=secret")
    try expect(git.get("protocol=https", "host=example.com"), is: "")
    try expect(git.count(), is: 0)
  }

  @Test(
    "9 and 14: erase of a host without username forgets all its accounts", arguments: KeychainUnderTest.all)
  func erasedHost(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store("protocol=https", "host=example.com", "username=alice", "password=1")
    try git.store("protocol=https", "host=example.com", "username=bob", "password=2")
    try git.store("protocol=https", "host=other.com", "username=carol", "password=3")
    try git.erase("protocol=https", "host=example.com")
    try expect(git.get("protocol=https", "host=example.com"), is: "")
    try expect(git.get("protocol=https", "host=other.com"), is: "username=carol\npassword=3\n")
  }

  @Test("10: several accounts on one host, each found by its name", arguments: KeychainUnderTest.all)
  func accounts(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    for (name, password) in [("alice", "1"), ("bob", "2"), ("carol", "3")] {
      try git.store("protocol=https", "host=example.com", "username=\(name)", "password=\(password)")
    }
    for (name, password) in [("alice", "1"), ("bob", "2"), ("carol", "3")] {
      try expect(
        git.get("protocol=https", "host=example.com", "username=\(name)"),
        is: "username=\(name)\npassword=\(password)\n")
    }
    try expect(git.get("protocol=https", "host=example.com"), is: "username=carol\npassword=3\n")
  }

  @Test(
    "11: erase with another password than the stored one changes nothing", arguments: KeychainUnderTest.all)
  func newerPassword(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store("protocol=https", "host=example.com", "username=alice", "password=new")
    try git.erase("protocol=https", "host=example.com", "username=alice", "password=old")
    try git.erase("protocol=https", "host=example.com", "username=alice", "password=")
    try git.erase("protocol=https", "host=example.com", "password=old")
    try expect(git.get("protocol=https", "host=example.com"), is: "username=alice\npassword=new\n")
  }

  @Test("12: erase of one account leaves the other", arguments: KeychainUnderTest.all)
  func oneAccount(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store("protocol=https", "host=example.com", "username=alice", "password=1")
    try git.store("protocol=https", "host=example.com", "username=bob", "password=2")
    try git.erase("protocol=https", "host=example.com", "username=bob")
    try expect(git.get("protocol=https", "host=example.com"), is: "username=alice\npassword=1\n")
  }

  @Test(
    "13: empty username and empty password are stored and answered as empty", arguments: KeychainUnderTest.all
  )
  func empty(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store("protocol=https", "host=example.com", "username=", "password=")
    try expect(git.get("protocol=https", "host=example.com"), is: "username=\npassword=\n")
    try expect(git.get("protocol=https", "host=example.com", "username="), is: "username=\npassword=\n")
    try expect(git.get("protocol=https", "host=example.com", "username=alice"), is: "")
  }

  @Test(
    "15: a long header line that ends like a host answers nothing", arguments: KeychainUnderTest.all,
    [1_000, 1_023, 1_024, 4_095, 4_096, 8_192, 65_000])
  func longHeader(kind: KeychainUnderTest, length: Int) throws {
    let git = Conversation(kind)
    try git.store("protocol=https", "host=victim.example.com", "username=alice", "password=secret")
    let filling = String(repeating: "a", count: length - "wwwauth[]=".utf8.count)
    try expect(
      git.get("protocol=https", "host=evil.example.com", "wwwauth[]=\(filling)host=victim.example.com"),
      is: "")
  }

  @Test("16: an expiry is kept, answered, and replaced with the password", arguments: KeychainUnderTest.all)
  func expiry(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store(
      "protocol=https", "host=example.com", "username=alice", "password=1", "password_expiry_utc=4000000000")
    try expect(
      git.get("protocol=https", "host=example.com"),
      is: "username=alice\npassword=1\npassword_expiry_utc=4000000000\n")
    try git.store(
      "protocol=https", "host=example.com", "username=alice", "password=2", "password_expiry_utc=4000000001")
    try expect(
      git.get("protocol=https", "host=example.com"),
      is: "username=alice\npassword=2\npassword_expiry_utc=4000000001\n")
    try git.store("protocol=https", "host=example.com", "username=alice", "password=3")
    try expect(git.get("protocol=https", "host=example.com"), is: "username=alice\npassword=3\n")
  }

  @Test("17: a refresh token is kept and answered", arguments: KeychainUnderTest.givingRefreshTokens)
  func refreshToken(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store(
      "protocol=https", "host=example.com", "username=alice", "password=1", "oauth_refresh_token=r=r")
    let answer = "username=alice\npassword=1\noauth_refresh_token=r=r\n"
    try expect(git.get("protocol=https", "host=example.com"), is: answer)
    // Debian's git 2.39 drops it when it stores the login again.
    try git.store("protocol=https", "host=example.com", "username=alice", "password=1")
    try expect(git.get("protocol=https", "host=example.com"), is: answer)
  }

  @Test(
    "18: authtype and credential are answered to a peer with the capability, and to no other",
    arguments: KeychainUnderTest.all)
  func authtype(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store(
      "capability[]=authtype", "protocol=https", "host=example.com", "authtype=Bearer", "credential=token")
    try expect(
      git.get("capability[]=authtype", "protocol=https", "host=example.com"),
      is: "capability[]=authtype\nauthtype=Bearer\ncredential=token\n")
    try expect(git.get("protocol=https", "host=example.com"), is: "")
    try expect(git.get("capability[]=state", "protocol=https", "host=example.com"), is: "")
  }

  @Test("19: the same with a username; another username gets nothing", arguments: KeychainUnderTest.all)
  func authtypeWithUsername(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store(
      "capability[]=authtype", "protocol=https", "host=example.com", "username=alice", "authtype=Bearer",
      "credential=token")
    try expect(
      git.get("capability[]=authtype", "protocol=https", "host=example.com", "username=alice"),
      is: "capability[]=authtype\nusername=alice\nauthtype=Bearer\ncredential=token\n")
    try expect(git.get("capability[]=authtype", "protocol=https", "host=example.com", "username=bob"), is: "")
    try expect(git.get("protocol=https", "host=example.com", "username=alice"), is: "")
  }

  @Test("20: what is ephemeral is not stored, in neither form", arguments: KeychainUnderTest.all)
  func ephemeral(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store(
      "capability[]=authtype", "protocol=https", "host=example.com", "authtype=Bearer", "credential=token",
      "ephemeral=true")
    try git.store(
      "capability[]=authtype", "protocol=https", "host=example.com", "username=alice", "password=1",
      "ephemeral=1")
    try git.store("protocol=https", "host=example.com", "username=alice", "password=1", "ephemeral=yes")
    try expect(git.count(), is: 0)
    expect(git.fresh.writes ?? 0, is: 0)
    try git.store("protocol=https", "host=example.com", "username=alice", "password=1", "ephemeral=false")
    try expect(git.count(), is: 1)
  }

  @Test(
    "21: with a time limit, what was stored is no longer answered after it", arguments: KeychainUnderTest.all)
  func timeout(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    git.timeout = 10
    let expiry = git.fresh.clock.now.seconds + 10
    try git.store("protocol=https", "host=example.com", "username=alice", "password=1")
    try expect(
      git.get("protocol=https", "host=example.com"),
      is: "username=alice\npassword=1\npassword_expiry_utc=\(expiry)\n")
    // Git stores the login again after each use, which must not extend the expiry.
    try git.store(
      "protocol=https", "host=example.com", "username=alice", "password=1", "password_expiry_utc=\(expiry)")
    git.fresh.clock.now = Timestamp(seconds: expiry - 1)
    try expect(git.get("protocol=https", "host=example.com") != "")
    git.fresh.clock.now = Timestamp(seconds: expiry)
    try expect(git.get("protocol=https", "host=example.com"), is: "")
  }
}
