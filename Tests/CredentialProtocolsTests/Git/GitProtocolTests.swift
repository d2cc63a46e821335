import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

@Suite("git's protocol") struct GitProtocolTests {
  private let git = Conversation()

  @Test("capability names what the helper has")
  func capability() throws {
    try expect(git.perform(.capability, []), is: "version 0\ncapability authtype\ncapability state\n")
  }

  @Test(
    "a question that names too little is refused, and never means everything",
    arguments: ["get", "store", "erase"])
  func tooBroad(name: String) throws {
    try git.store("protocol=https", "host=example.com", "username=alice", "password=x")
    let operation = try #require(GitCredentialProtocol.Operation(rawValue: name))
    for (lines, fault) in [
      ([], .noProtocol), (["host=example.com"], .noProtocol),
      (["protocol=", "host=example.com"], .noProtocol),
      (["protocol=https"], .noServer), (["protocol=https", "host="], .noServer),
      (["protocol=https", "host=", "path=", "username=alice", "password=x"], .noServer),
      (["url=https://"], .noServer),
    ] as [([String], KeychainError.QueryFault)] {
      #expect(throws: ProtocolError.keychain(.queryTooBroad(fault)), "\(lines)") {
        try git.perform(operation, joined(lines))
      }
    }
    try expect(git.count(), is: 1)
  }

  @Test("state names the item that answered, to a peer with the capability alone")
  func state() throws {
    try git.store("protocol=https", "host=example.com", "username=alice", "password=x")
    let item = try #require(try git.keychain.items(matching: .all).first)
    let name = try #require(item.reference).bytes
    try expect(
      git.get("capability[]=state", "protocol=https", "host=example.com"),
      is: "capability[]=state\nusername=alice\npassword=x\nstate[]=llavero:\(name)\n")
    try expect(git.get("protocol=https", "host=example.com"), is: "username=alice\npassword=x\n")
    try expect(
      git.get("capability[]=authtype", "capability[]=state", "protocol=https", "host=example.com"),
      is: "capability[]=authtype\ncapability[]=state\nusername=alice\npassword=x\nstate[]=llavero:\(name)\n")
  }

  @Test("where tokens have a name for all, that answers for any other name, after the name itself")
  func nameForAll() throws {
    let git = Conversation()
    let place = ["protocol=https", "host=example.com"]
    try git.store(place[0], place[1], "username=oauth2", "password=token")
    try expect(git.get(place[0], place[1], "username=alice"), is: "")
    git.nameForAll = "oauth2"
    try expect(git.get(place[0], place[1], "username=alice"), is: "username=oauth2\npassword=token\n")
    try expect(git.get(place[0], "host=example.org", "username=alice"), is: "")
    try git.store(place[0], place[1], "username=alice", "password=her own")
    try expect(git.get(place[0], place[1], "username=alice"), is: "username=alice\npassword=her own\n")
    git.nameForAll = "other"
    try expect(git.get(place[0], place[1], "username=bob"), is: "")
  }

  @Test(
    "a password that takes the place of a refused one stays where that was, if nothing answers",
    arguments: KeychainUnderTest.all)
  func replaced(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    let login = ["protocol=https", "host=example.com", "username=alice"]
    try git.store(login[0], login[1], login[2], "path=acme", "password=former")
    try expect(
      git.get(login[0], login[1], "path=acme/app.git"), is: "username=alice\npassword=former\n")
    // A wrong password that was never stored says nothing of that one.
    try git.erase(login[0], login[1], login[2], "path=acme/app.git", "password=wrong")
    expect(git.refused.isEmpty)
    try git.erase(login[0], login[1], login[2], "path=acme/app.git", "password=former")
    try expect(git.count(), is: 0)
    try git.store(login[0], login[1], login[2], "path=acme/app.git", "password=new")
    try expect(git.get(login[0], login[1], "path=acme/other.git"), is: "username=alice\npassword=new\n")
    try expect(git.get(login[0], login[1], "path=elsewhere.git"), is: "")
    // There is one now, which another password doesn't touch.
    try git.store(login[0], login[1], login[2], "path=acme/app.git", "password=its own")
    try expect(git.get(login[0], login[1], "path=acme/other.git"), is: "username=alice\npassword=new\n")
    try expect(git.count(), is: 2)
    // Another's is where git says.
    try git.store(login[0], login[1], "username=bob", "path=acme/third.git", "password=bob's")
    expect(git.refused.map(\.path), is: ["acme"])
    try expect(git.get(login[0], login[1], "username=bob", "path=acme/app.git"), is: "")
  }

  @Test("a login of the whole server that was refused leaves nothing to remember")
  func refusedServer() throws {
    let git = Conversation()
    let login = ["protocol=https", "host=example.com", "username=alice"]
    try git.store(login[0], login[1], login[2], "password=former")
    try git.erase(login[0], login[1], login[2], "path=acme/app.git", "password=former")
    expect(git.refused.isEmpty)
    try expect(git.count(), is: 0)
  }

  @Test("erase with a state forgets just the item that had answered")
  func eraseWithState() throws {
    for name in ["alice", "bob", "carol"] {
      try git.store("protocol=https", "host=example.com", "username=\(name)", "password=same")
    }
    let answer = try git.get("capability[]=state", "protocol=https", "host=example.com", "username=bob")
    let state = try #require(answer.split(separator: "\n").first { $0.hasPrefix("state[]=") })
    try git.erase("capability[]=state", "protocol=https", "host=example.com", "password=same", String(state))
    expect(Set(try git.keychain.items(matching: .all).map(\.key.account)), is: ["alice", "carol"])
    // The item is gone; nothing else may be erased by its state alone.
    try git.erase("capability[]=state", "protocol=https", "host=example.com", "password=else", String(state))
    try expect(git.count(), is: 2)
  }

  @Test("what is erased without being named is told")
  func unnamedErasure() throws {
    let proxy = ["protocol=http", "host=proxy.example:3128"]
    for name in ["alice", "bob"] { try git.store(proxy[0], proxy[1], "username=\(name)", "password=same") }
    try git.erase(proxy[0], "host=other.example:3128")
    try git.erase(proxy[0], proxy[1], "username=carol")
    try git.erase(proxy[0], proxy[1], "password=another")
    expect(git.unnamed, is: [])
    try git.erase(proxy[0], proxy[1])
    expect(git.unnamed, is: [2])
    try git.store(proxy[0], proxy[1], "username=alice", "password=same")
    try git.erase(proxy[0], proxy[1], "username=alice")
    try git.store(proxy[0], proxy[1], "username=alice", "password=same")
    try git.erase(proxy[0], proxy[1], "password=same")
    expect(git.unnamed, is: [2])
  }

  @Test("a peer with authtype gets a password where there is one")
  func passwordForAuthtype() throws {
    try git.store("protocol=https", "host=example.com", "username=alice", "password=x")
    try expect(
      git.get("capability[]=authtype", "protocol=https", "host=example.com"),
      is: "capability[]=authtype\nusername=alice\npassword=x\n")
  }

  @Test("a peer without authtype gets the older password, not the newer credential")
  func olderPassword() throws {
    try git.store("protocol=https", "host=example.com", "username=alice", "password=x")
    try git.store(
      "capability[]=authtype", "protocol=https", "host=example.com", "username=bot", "authtype=Bearer",
      "credential=t")
    try expect(git.get("protocol=https", "host=example.com"), is: "username=alice\npassword=x\n")
    try expect(
      git.get("capability[]=authtype", "protocol=https", "host=example.com").contains("credential=t\n"))
  }

  @Test("a credential from a peer that did not announce the capability does not count")
  func noCapability() throws {
    try git.store("protocol=https", "host=example.com", "authtype=Bearer", "credential=t")
    try expect(git.count(), is: 0)
    try git.store(
      "protocol=https", "host=example.com", "username=a", "password=x", "authtype=Bearer", "credential=t")
    try expect(git.get("protocol=https", "host=example.com"), is: "username=a\npassword=x\n")
  }

  @Test("a credential needs an authtype")
  func noAuthtype() throws {
    try git.store("capability[]=authtype", "protocol=https", "host=example.com", "credential=t")
    try git.store("capability[]=authtype", "protocol=https", "host=example.com", "authtype=", "credential=t")
    try git.store("capability[]=authtype", "protocol=https", "host=example.com", "authtype=Bearer")
    try expect(git.count(), is: 0)
  }

  @Test("a credential is erased by its value")
  func eraseCredential() throws {
    try git.store(
      "capability[]=authtype", "protocol=https", "host=example.com", "authtype=Bearer", "credential=new",
      "oauth_refresh_token=r", "password_expiry_utc=4000000000")
    try git.erase(
      "capability[]=authtype", "protocol=https", "host=example.com", "authtype=Bearer", "credential=old")
    try expect(
      git.get("capability[]=authtype", "protocol=https", "host=example.com"),
      is:
        "capability[]=authtype\nauthtype=Bearer\ncredential=new\npassword_expiry_utc=4000000000\noauth_refresh_token=r\n"
    )
    try git.erase(
      "capability[]=authtype", "protocol=https", "host=example.com", "authtype=Bearer", "credential=new")
    try expect(git.count(), is: 0)
  }

  @Test("a password is stored without a username, and not without a password")
  func halves() throws {
    try git.store("protocol=https", "host=example.com", "username=alice")
    try expect(git.count(), is: 0)
    try git.store("protocol=https", "host=example.com", "password=x")
    try expect(git.get("protocol=https", "host=example.com"), is: "password=x\n")
  }

  @Test("an expiry of 0 is none, as git reads it")
  func noExpiry() throws {
    try git.store("protocol=https", "host=example.com", "username=a", "password=x", "password_expiry_utc=0")
    try expect(git.get("protocol=https", "host=example.com"), is: "username=a\npassword=x\n")
  }

  @Test("what has expired is neither stored nor answered")
  func expired() throws {
    let now = git.fresh.clock.now.seconds
    try git.store(
      "protocol=https", "host=example.com", "username=a", "password=x", "password_expiry_utc=\(now)")
    try git.store("protocol=https", "host=example.com", "username=a", "password=x", "password_expiry_utc=1")
    try expect(git.count(), is: 0)
    try git.store(
      "protocol=https", "host=example.com", "username=a", "password=x", "password_expiry_utc=\(now + 9)")
    try expect(git.get("protocol=https", "host=example.com") != "")
    git.fresh.clock.advance(seconds: 9)
    try expect(git.get("protocol=https", "host=example.com"), is: "")
  }

  @Test("an expired store does not change what is there")
  func expiredStore() throws {
    try git.store("protocol=https", "host=example.com", "username=a", "password=good")
    try git.store("protocol=https", "host=example.com", "username=a", "password=bad", "password_expiry_utc=1")
    try expect(git.get("protocol=https", "host=example.com"), is: "username=a\npassword=good\n")
  }

  @Test("an earlier expiry than the time limit counts")
  func timeoutAndExpiry() throws {
    git.timeout = 100
    let now = git.fresh.clock.now.seconds
    try git.store(
      "protocol=https", "host=a.com", "username=a", "password=x", "password_expiry_utc=\(now + 50)")
    try git.store(
      "protocol=https", "host=b.com", "username=a", "password=x", "password_expiry_utc=\(now + 500)")
    try expect(git.get("protocol=https", "host=a.com").hasSuffix("password_expiry_utc=\(now + 50)\n"))
    try expect(git.get("protocol=https", "host=b.com").hasSuffix("password_expiry_utc=\(now + 101)\n"))
  }

  @Test("user and password of a URL are stored as if given by themselves")
  func userinfo() throws {
    try git.store("url=https://al%40ice:s%20ecret@example.com/acme/app.git")
    try expect(
      git.get("protocol=https", "host=example.com", "path=acme/app.git"),
      is: "username=al@ice\npassword=s ecret\n")
    try expect(
      git.get("url=https://al%40ice@example.com/acme/app.git"), is: "username=al@ice\npassword=s ecret\n")
    try expect(git.get("url=https://bob@example.com/acme/app.git"), is: "")
    try git.erase("url=https://al%40ice:other@example.com/acme/app.git")
    try expect(git.count(), is: 1)
    try git.erase("url=https://al%40ice:s%20ecret@example.com/acme/app.git")
    try expect(git.count(), is: 0)
  }

  @Test("the passphrase of a certificate belongs to its path")
  func certificate() throws {
    try git.store("protocol=cert", "host=", "path=home/ann/key.pem", "username=", "password=phrase")
    try expect(git.get("protocol=cert", "path=home/ann/key.pem"), is: "username=\npassword=phrase\n")
    try expect(
      git.get("protocol=cert", "host=", "path=home/ann/key.pem", "username="),
      is: "username=\npassword=phrase\n")
    try expect(git.get("url=cert:///home/ann/key.pem"), is: "username=\npassword=phrase\n")
    try expect(git.get("protocol=cert", "path=home/ann/other.pem"), is: "")
    try expect(git.get("protocol=cert", "path=home/ann/key.pem/x"), is: "")
    try expect(git.get("protocol=cert", "host=home", "path=home/ann/key.pem"), is: "")
    try git.erase("protocol=cert", "path=home/ann/key.pem", "username=", "password=phrase")
    try expect(git.count(), is: 0)
  }

  @Test("an IPv6 host is the same with and without its port")
  func ipv6() throws {
    try git.store("protocol=https", "host=[2001:DB8::1]", "username=a", "password=x")
    try expect(git.get("protocol=https", "host=[2001:db8::1]:443"), is: "username=a\npassword=x\n")
    try expect(git.get("protocol=https", "host=[2001:db8::1]:8443"), is: "")
    try expect(git.get("protocol=https", "host=[2001:db8::2]"), is: "")
  }

  @Test("bytes that are not UTF-8 are stored and answered as they are")
  func foreign() throws {
    let lines = Array("protocol=https\nhost=example.com\n".utf8)
    let answer = Array("username=".utf8) + [0xff, 0xe9, 0x0a] + Array("password=".utf8) + [0xc3, 0x28, 0x0a]
    _ = try git.perform(.store, lines + answer)
    let reply = try GitCredentialProtocol().perform(
      .get, try makeRequest(lines), on: git.keychain, at: git.fresh.clock.now)
    let revealed = reply.revealed
    expect(revealed, is: answer)
  }

  @Test("git gets what no tool keeps for itself")
  func domains() throws {
    try git.keychain.add(.internet(account: "a", domain: "docker"), "x")
    try expect(git.get("protocol=https", "host=example.com"), is: "")
    try git.erase("protocol=https", "host=example.com")
    try expect(git.count(), is: 1)
  }

  @Test("store writes nothing where the answer was the same", arguments: KeychainUnderTest.all)
  func unchanged(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.store("protocol=https", "host=example.com", "username=alice", "password=x")
    let before = try git.keychain.everything()
    try git.store("protocol=https", "host=example.com", "username=alice", "password=x")
    try git.store(
      "protocol=https", "host=example.com:443", "path=acme/app.git", "username=alice", "password=x")
    try expect(git.fresh.reopened.everything(), is: before)
  }

  @Test("what the keychain throws is passed on")
  func keychainErrors() throws {
    let account = String(repeating: "a", count: 65_535)
    #expect(throws: ProtocolError.keychain(.unusableAttribute(name: "account", .tooLong(limit: 65_534)))) {
      try git.store("protocol=https", "host=example.com", "username=\(account)", "password=x")
    }
  }
}
