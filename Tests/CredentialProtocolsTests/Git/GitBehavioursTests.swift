import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

/// What git demands of any helper (gitcredentials(7), git-credential(1)), one point after another, on every keychain.
@Suite("what git demands of a helper") struct GitBehavioursTests {
  @Test("git's demands", arguments: demands, KeychainUnderTest.all)
  func demand(dialogue: Dialogue, kind: KeychainUnderTest) throws {
    let hasRefreshToken = dialogue.lines.contains { $0.contains("oauth_refresh_token") }
    if hasRefreshToken && !kind.givesRefreshTokens { return }
    try Conversation(kind).hold(dialogue.lines)
  }

  private static let demands = Dialogue.all(
    """
    # 1: nothing stored, nothing answered
    get ->
    writes 0
    # 2, 3 and 4: what was stored is answered, and protocol and host must match
    store username=alice password=secret
    get -> username=alice password=secret
    get protocol=http ->
    get host=other.com ->
    get host=example.com:8443 ->
    get host=EXAMPLE.com:443 -> username=alice password=secret
    # 5: a given username must match
    store username=alice password=secret
    get username=bob ->
    get username=Alice ->
    get username=alice -> username=alice password=secret
    # 6: a given path must match
    store path=foo.git username=alice password=secret
    get path=bar.git ->
    get path=foo.git -> username=alice password=secret
    # 7: a second store for the same account replaces the password
    store username=alice password=old
    store username=alice password=new
    get -> username=alice password=new
    count 1
    # 8: after erase with that password, no answer
    store username=alice password=secret
    erase username=alice password=secret
    get ->
    count 0
    # 9 and 14: erase of a host without username forgets all its accounts
    store username=alice password=1
    store username=bob password=2
    store host=other.com username=carol password=3
    erase
    get ->
    get host=other.com -> username=carol password=3
    # 10: several accounts on one host, each found by its name
    store username=alice password=1
    store username=bob password=2
    store username=carol password=3
    get username=alice -> username=alice password=1
    get username=bob -> username=bob password=2
    get username=carol -> username=carol password=3
    get -> username=carol password=3
    # 11: erase with another password than the stored one changes nothing
    store username=alice password=new
    erase username=alice password=old
    erase username=alice password=
    erase password=old
    get -> username=alice password=new
    # 12: erase of one account leaves the other
    store username=alice password=1
    store username=bob password=2
    erase username=bob
    get -> username=alice password=1
    # 13: empty username and empty password are stored and answered as empty
    store username= password=
    get -> username= password=
    get username= -> username= password=
    get username=alice ->
    # 16: an expiry is kept, answered, and replaced with the password
    store username=alice password=1 password_expiry_utc=4000000000
    get -> username=alice password=1 password_expiry_utc=4000000000
    store username=alice password=2 password_expiry_utc=4000000001
    get -> username=alice password=2 password_expiry_utc=4000000001
    store username=alice password=3
    get -> username=alice password=3
    # 17: a refresh token is kept and answered, though Debian's git 2.39 drops it when it stores the login again
    store username=alice password=1 oauth_refresh_token=r=r
    get -> username=alice password=1 oauth_refresh_token=r=r
    store username=alice password=1
    get -> username=alice password=1 oauth_refresh_token=r=r
    # 18: authtype and credential are answered to a peer with the capability, and to no other
    store capability[]=authtype authtype=Bearer credential=token
    get capability[]=authtype -> capability[]=authtype authtype=Bearer credential=token
    get ->
    get capability[]=state ->
    # 19: the same with a username; another username gets nothing
    store capability[]=authtype username=alice authtype=Bearer credential=token
    get capability[]=authtype username=alice -> capability[]=authtype username=alice authtype=Bearer credential=token
    get capability[]=authtype username=bob ->
    get username=alice ->
    # 20: what is ephemeral is not stored, in neither form
    store capability[]=authtype authtype=Bearer credential=token ephemeral=true
    store capability[]=authtype username=alice password=1 ephemeral=1
    store username=alice password=1 ephemeral=yes
    count 0
    writes 0
    store username=alice password=1 ephemeral=false
    count 1
    # a password that takes the place of a refused one stays where that was; one that answers is left alone, and another's is where git says
    store username=alice path=acme password=former
    get path=acme/app.git -> username=alice password=former
    erase username=alice path=acme/app.git password=wrong
    refused
    erase username=alice path=acme/app.git password=former
    count 0
    store username=alice path=acme/app.git password=new
    get path=acme/other.git -> username=alice password=new
    get path=elsewhere.git ->
    store username=alice path=acme/app.git password=its-own
    get path=acme/other.git -> username=alice password=new
    count 2
    store username=bob path=acme/third.git password=bob's
    refused acme
    get username=bob path=acme/app.git ->
    # what has expired: account, expiry and refresh token without the password, whatever the capability
    store username=alice password=old password_expiry_utc={60} oauth_refresh_token=r
    wait 61
    get -> username=alice password_expiry_utc={60} oauth_refresh_token=r
    get username=alice -> username=alice password_expiry_utc={60} oauth_refresh_token=r
    get username=bob ->
    get path=acme/app.git -> username=alice password_expiry_utc={60} oauth_refresh_token=r
    get capability[]=authtype capability[]=state -> username=alice password_expiry_utc={60} oauth_refresh_token=r
    count 1
    # a login that git has stored after renewing takes the item's place: it passes the next helper's answer to all
    store username=alice password=old password_expiry_utc={60} oauth_refresh_token=r
    wait 61
    store username=alice password=new oauth_refresh_token=s password_expiry_utc={120}
    get -> username=alice password=new password_expiry_utc={120} oauth_refresh_token=s
    count 1
    # a refused token is only marked, so that it can be renewed
    store username=alice password=old oauth_refresh_token=r
    wait 61
    erase username=alice password=old oauth_refresh_token=r
    get -> username=alice password_expiry_utc={62} oauth_refresh_token=r
    wait 9
    erase username=alice password=old oauth_refresh_token=r
    get -> username=alice password_expiry_utc={62} oauth_refresh_token=r
    """)

  @Test("store writes nothing where the answer was the same", arguments: KeychainUnderTest.all)
  func unchanged(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    try git.hold("store username=alice password=x")
    let before = try git.keychain.everything()
    try git.hold(
      """
      store username=alice password=x
      store host=example.com:443 path=acme/app.git username=alice password=x
      """)
    try expect(git.fresh.reopened.everything(), is: before)
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

  @Test(
    "21: what was stored is answered until the time limit, which a use doesn't extend",
    arguments: KeychainUnderTest.all)
  func timeout(kind: KeychainUnderTest) throws {
    let git = Conversation(kind)
    git.timeout = 10
    try git.hold(
      """
      store username=alice password=1
      get -> username=alice password=1 password_expiry_utc={10}
      store username=alice password=1 password_expiry_utc={10}
      at 9
      get -> username=alice password=1 password_expiry_utc={10}
      at 10
      get ->
      """)
  }
}
