import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

@Suite("git's protocol") struct GitProtocolTests {
  private let git = Conversation()

  @Test("what a request means", arguments: dialogues)
  func meaning(dialogue: Dialogue) throws { try git.hold(dialogue.lines) }

  private static let dialogues = Dialogue.all(
    """
    # a login of the whole server that was refused leaves nothing to remember
    store username=alice password=former
    erase username=alice path=acme/app.git password=former
    refused
    count 0
    # erase with a state forgets just the item that had answered, and nothing else once that is gone
    store username=alice password=same
    store username=bob password=same
    store username=carol password=same
    get capability[]=state username=bob -> capability[]=state username=bob password=same {state}
    erase capability[]=state password=same {state}
    get username=alice -> username=alice password=same
    get username=bob ->
    get username=carol -> username=carol password=same
    erase capability[]=state password=else {state}
    count 2
    # what is erased without being named is told
    store protocol=http host=proxy.example:3128 username=alice password=same
    store protocol=http host=proxy.example:3128 username=bob password=same
    erase protocol=http host=other.example:3128
    erase protocol=http host=proxy.example:3128 username=carol
    erase protocol=http host=proxy.example:3128 password=another
    unnamed
    erase protocol=http host=proxy.example:3128
    unnamed 2
    store protocol=http host=proxy.example:3128 username=alice password=same
    erase protocol=http host=proxy.example:3128 username=alice
    count 0
    store protocol=http host=proxy.example:3128 username=alice password=same
    erase protocol=http host=proxy.example:3128 password=same
    count 0
    unnamed 2
    # a peer with authtype gets a password where there is one
    store username=alice password=x
    get capability[]=authtype -> capability[]=authtype username=alice password=x
    # a peer without authtype gets the older password, not the newer credential
    store username=alice password=x
    store capability[]=authtype username=bot authtype=Bearer credential=t
    get -> username=alice password=x
    get capability[]=authtype -> capability[]=authtype username=bot authtype=Bearer credential=t
    # a credential from a peer that did not announce the capability does not count
    store authtype=Bearer credential=t
    count 0
    store username=a password=x authtype=Bearer credential=t
    get -> username=a password=x
    # a credential needs an authtype, and the other way round
    store capability[]=authtype credential=t
    store capability[]=authtype authtype= credential=t
    store capability[]=authtype authtype=Bearer
    count 0
    # a credential is erased by its value
    store capability[]=authtype authtype=Bearer credential=new oauth_refresh_token=r password_expiry_utc={9999}
    erase capability[]=authtype authtype=Bearer credential=old
    get ->
    get capability[]=authtype -> capability[]=authtype authtype=Bearer credential=new password_expiry_utc={9999} oauth_refresh_token=r
    erase capability[]=authtype authtype=Bearer credential=new
    count 0
    # a password is stored without a username, and not without a password
    store username=alice
    count 0
    store password=x
    get -> password=x
    # an expiry of 0 is none, as git reads it
    store username=a password=x password_expiry_utc=0
    get -> username=a password=x
    # what has expired is neither stored nor answered
    store username=a password=x password_expiry_utc={0}
    store username=a password=x password_expiry_utc=1
    count 0
    store username=a password=x password_expiry_utc={9}
    get -> username=a password=x password_expiry_utc={9}
    at 9
    get ->
    # an expired store does not change what is there
    store username=a password=good
    store username=a password=bad password_expiry_utc=1
    get -> username=a password=good
    # user and password of a URL are stored as if given by themselves
    store url=https://al%40ice:s%20ecret@example.com/acme/app.git
    get path=acme/app.git -> username=al@ice password=s ecret
    get url=https://al%40ice@example.com/acme/app.git -> username=al@ice password=s ecret
    get url=https://bob@example.com/acme/app.git ->
    erase url=https://al%40ice:other@example.com/acme/app.git
    count 1
    erase url=https://al%40ice:s%20ecret@example.com/acme/app.git
    count 0
    # the passphrase of a certificate belongs to its path
    store protocol=cert host= path=home/ann/key.pem username= password=phrase
    get protocol=cert path=home/ann/key.pem -> username= password=phrase
    get protocol=cert host= path=home/ann/key.pem username= -> username= password=phrase
    get url=cert:///home/ann/key.pem -> username= password=phrase
    get protocol=cert path=home/ann/other.pem ->
    get protocol=cert path=home/ann/key.pem/x ->
    get protocol=cert host=home path=home/ann/key.pem ->
    erase protocol=cert path=home/ann/key.pem username= password=phrase
    count 0
    # an IPv6 host is the same with and without its port
    store host=[2001:DB8::1] username=a password=x
    get host=[2001:db8::1]:443 -> username=a password=x
    get host=[2001:db8::1]:8443 ->
    get host=[2001:db8::2] ->
    """)

  @Test("capability names what the helper has")
  func capability() throws {
    try expect(git.perform(.capability, []), is: "version 0\ncapability authtype\ncapability state\n")
  }

  @Test(
    "a question that names too little is refused, and never means everything",
    arguments: ["get", "store", "erase"])
  func tooBroad(name: String) throws {
    try git.hold("store username=alice password=x")
    let operation = try #require(GitCredentialProtocol.Operation(rawValue: name))
    for (lines, fault) in [
      ([], .noProtocol), (["host=example.com"], .noProtocol),
      (["protocol=", "host=example.com"], .noProtocol),
      (["protocol=https"], .noServer), (["protocol=https", "host="], .noServer),
      (["protocol=https", "host=", "path=", "username=alice", "password=x"], .noServer),
      (["url=https://"], .noServer),
    ] as [([String], KeychainError.QueryFault)] {
      #expect(throws: KeychainError.queryTooBroad(fault), "\(lines)") {
        try git.perform(operation, joined(lines))
      }
    }
    try expect(git.count(), is: 1)
  }

  @Test("state names the item that answered, to a peer with the capability alone")
  func state() throws {
    try git.hold(
      """
      store username=alice password=x
      get capability[]=state -> capability[]=state username=alice password=x {state}
      get -> username=alice password=x
      get capability[]=authtype capability[]=state -> capability[]=authtype capability[]=state username=alice password=x {state}
      """)
    let item = try #require(try git.keychain.items(matching: .all).first)
    expect(git.lastState, is: "state[]=llavero:\(try #require(item.reference).bytes)")
  }

  @Test("where tokens have a name for all, that answers for any other name, after the name itself")
  func nameForAll() throws {
    try git.hold(
      """
      store username=oauth2 password=token
      get username=alice ->
      """)
    git.nameForAll = "oauth2"
    try git.hold(
      """
      get username=alice -> username=oauth2 password=token
      get host=example.org username=alice ->
      store username=alice password=her-own
      get username=alice -> username=alice password=her-own
      """)
    git.nameForAll = "other"
    try git.hold("get username=bob ->")
  }

  @Test("of an expiry and the time limit the earlier counts")
  func timeoutAndExpiry() throws {
    git.timeout = 100
    try git.hold(
      """
      store host=a.com username=a password=x password_expiry_utc={50}
      store host=b.com username=a password=x password_expiry_utc={500}
      get host=a.com -> username=a password=x password_expiry_utc={50}
      get host=b.com -> username=a password=x password_expiry_utc={101}
      """)
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
    try git.hold(
      """
      get ->
      erase
      count 1
      """)
  }

  @Test("what the keychain throws is passed on")
  func keychainErrors() throws {
    let account = String(repeating: "a", count: 65_535)
    #expect(throws: KeychainError.unusableAttribute(name: "account", .tooLong(limit: 65_534))) {
      try git.store("protocol=https", "host=example.com", "username=\(account)", "password=x")
    }
  }

  // What git's lines can't carry.

  @Test(
    "an answer that would be more than its line is refused",
    arguments: ["a\nhost=victim", "a\r", "a\0b", "\n"])
  func unspeakable(secret: String) throws {
    try git.keychain.add(.internet(account: "alice"), secret)
    #expect(throws: KeychainError.request(.unspeakableAnswer(key: "password"))) {
      try git.get("protocol=https", "host=example.com")
    }
    // Whether the password is answered with it or has expired.
    for (host, expiry) in [("b.com", nil), ("c.com", 1)] as [(ByteString, Int64?)] {
      try git.keychain.add(.internet(host), .text("x", expiry: expiry, refreshToken: secret))
      #expect(throws: KeychainError.request(.unspeakableAnswer(key: "oauth_refresh_token"))) {
        try git.get("protocol=https", "host=\(host)")
      }
    }
    try git.keychain.add(.internet("d.com"), Credential.text(secret, scheme: "Bearer"))
    #expect(throws: KeychainError.request(.unspeakableAnswer(key: "credential"))) {
      try git.get("capability[]=authtype", "protocol=https", "host=d.com")
    }
  }

  @Test("the longest lines are answered, and one byte more is refused")
  func longest() throws {
    let room = 65_535 - "password=\n".utf8.count
    try git.keychain.add(.internet("a.com"), String(repeating: "x", count: room))
    try expect(git.get("protocol=https", "host=a.com").utf8.count, is: 65_535)
    try git.keychain.add(.internet("b.com"), String(repeating: "x", count: room + 1))
    #expect(throws: KeychainError.request(.unspeakableAnswer(key: "password"))) {
      try git.get("protocol=https", "host=b.com")
    }
    let account = attribute([UInt8](repeating: 0x61, count: 65_534))
    try git.keychain.add(.internet("c.com", account: account), "x")
    #expect(throws: KeychainError.request(.unspeakableAnswer(key: "username"))) {
      try git.get("protocol=https", "host=c.com")
    }
  }
}
