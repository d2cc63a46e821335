import Expectations
import Foundation
import Keychain
import Security
import TestSupport
import Testing

/// One keychain for all programs: the functions find what git and other tools have stored, and the reverse.
@Suite struct OtherProgramsItemsTests {
  private static func internet(_ more: [String: Any]) -> [String: Any] {
    [kSecClass: kSecClassInternetPassword].merging(more) { $1 }
  }

  @Test(arguments: KeychainUnderTest.exact)
  func `what git stored is found by Apple's codes`(kind: KeychainUnderTest) throws {
    let fresh = kind.make()
    let calls = Calls(fresh.keychain)
    try fresh.keychain.add(
      Item(InternetPassword(protocol: "https", server: "github.com", account: "alice")),
      Credential(password: "rosebud"))
    let query = Self.internet([kSecAttrServer: "github.com", kSecAttrProtocol: kSecAttrProtocolHTTPS])
    expect(calls.password(query), is: "rosebud")
    expect(calls.password(Self.internet([kSecAttrPort: 443])), is: "rosebud")
    expect(calls.password(Self.internet([kSecAttrPort: 0])), is: "rosebud")
    expect(calls.status(Self.internet([kSecAttrPort: 8443])), is: errSecItemNotFound)
    expect(calls.password(Self.internet([kSecAttrProtocol: 0x6874_7073])), is: "rosebud")
    expect(calls.password(Self.internet([kSecAttrProtocol: "https"])), is: "rosebud")
    expect(calls.status(Self.internet([kSecAttrProtocol: kSecAttrProtocolHTTP])), is: errSecItemNotFound)
    let found = try #require(calls.attributes(query))
    expect(found[kSecAttrProtocol] as? String, is: kSecAttrProtocolHTTPS)
    expect(found[kSecAttrAuthenticationType] as? String, is: kSecAttrAuthenticationTypeDefault)
    expect(found[kSecAttrPort] as? Int, is: 0)
    expect(found[kSecAttrPath] as? String, is: "")
    expect(found[kSecAttrAccount] as? String, is: "alice")
    expect(found[kSecAttrCreationDate] is Date)
  }

  @Test(arguments: [
    ("https", "htps"), ("ssh", "ssh "), ("imaps", "imps"), ("git", "git "), ("sftp", "sftp"),
    ("svn+ssh", "svn+ssh"), ("x", "x   "),
  ])
  func `each scheme comes as its code, or as itself where no code is its own`(scheme: String, code: String)
    throws
  {
    let calls = Calls()
    try calls.store.add(
      Item(InternetPassword(protocol: ByteString(scheme), server: "s")), Credential(password: "p"))
    expect(calls.attributes(Self.internet([:]))?[kSecAttrProtocol] as? String, is: code)
    expect(calls.status(Self.internet([kSecAttrProtocol: code])), is: errSecSuccess)
    expect(calls.status(Self.internet([kSecAttrProtocol: scheme])), is: errSecSuccess)
  }

  @Test(arguments: KeychainUnderTest.exact)
  func `git is answered with what was added by Apple's codes`(kind: KeychainUnderTest) throws {
    let fresh = kind.make()
    let added = Calls(fresh.keychain).add(
      Self.internet([
        kSecAttrServer: "github.com", kSecAttrAccount: "alice", kSecAttrProtocol: kSecAttrProtocolHTTPS,
        kSecAttrAuthenticationType: kSecAttrAuthenticationTypeDefault, kSecValueData: Data("rosebud".utf8),
      ]))
    expect(added, is: errSecSuccess)
    let query = try InternetPasswordQuery(protocol: "https", server: "github.com")
    let item = try #require(try fresh.keychain.find(.internetPassword(query)).first)
    expect(
      item.key,
      is: .internetPassword(InternetPassword(protocol: "https", server: "github.com", account: "alice")))
    let same = try fresh.keychain.credential(of: item).secret.isEqual(to: Secret("rosebud"))
    expect(same)
  }

  @Test func `port 0 finds what has no port of its own`() throws {
    let calls = Calls()
    for (account, port) in [("none", nil), ("usual", 443), ("other", 8443)] as [(String, UInt16?)] {
      let server = "\(account).example"
      try calls.store.add(
        Item(InternetPassword(protocol: "https", server: ByteString(server), port: port)),
        Credential(password: "p"))
    }
    for (server, status) in [
      ("none.example", errSecSuccess), ("usual.example", errSecSuccess),
      ("other.example", errSecItemNotFound),
    ] {
      expect(calls.status(Self.internet([kSecAttrServer: server, kSecAttrPort: 0])), is: status, "\(server)")
    }
  }

  @Test func `a creator is the same code for every program`() throws {
    let calls = Calls()
    var item = Item(GenericPassword(service: "s"))
    item.creator = "git"
    try calls.store.add(item, Credential(password: "p"))
    let query: [String: Any] = [kSecClass: kSecClassGenericPassword]
    expect(calls.attributes(query)?[kSecAttrCreator] as? UInt32, is: 0x6769_7420)
    expect(calls.status(query.merging([kSecAttrCreator: "git "]) { $1 }), is: errSecSuccess)
    expect(calls.update(query, [kSecAttrCreator: 5]), is: errSecSuccess)
    expect(calls.attributes(query)?[kSecAttrCreator] as? Int, is: 5)
    expect(calls.status(query.merging([kSecAttrCreator: 5]) { $1 }), is: errSecSuccess)
    expect(calls.status(query.merging([kSecAttrCreator: "git "]) { $1 }), is: errSecItemNotFound)
    expect(calls.update(query, [kSecAttrCreator: "aapl"]), is: errSecSuccess)
    try expect(calls.store.items(matching: .all).first?.creator, is: "aapl")
  }

  @Test func `a new secret takes the old one's expiry and refresh token along`() throws {
    let calls = Calls()
    try calls.store.add(
      Item(GenericPassword(service: "s")),
      Credential(Secret("old"), expiry: 1, refreshToken: Secret("refresh")))
    let query: [String: Any] = [kSecClass: kSecClassGenericPassword]
    expect(calls.password(query), is: "old")
    expect(calls.update(query, [kSecAttrLabel: "l"]), is: errSecSuccess)
    let item = try #require(try calls.store.items(matching: .all).first)
    let kept = try calls.store.credential(of: item).expiry
    expect(kept, is: 1)
    expect(calls.update(query, [kSecValueData: Data("new".utf8)]), is: errSecSuccess)
    let credential = try calls.store.credential(of: item)
    let expiry = credential.expiry
    let hasRefreshToken = credential.hasRefreshToken
    expect(expiry, is: nil)
    expect(!hasRefreshToken)
    expect(calls.password(query), is: "new")
  }

  @Test func `an account that isn't UTF-8 comes as bytes, and is found by them`() throws {
    let calls = Calls()
    let account: [UInt8] = [0x61, 0xff]
    try calls.store.add(
      Item(GenericPassword(service: "s", account: ByteString(account))), Credential(password: "p"))
    let query: [String: Any] = [kSecClass: kSecClassGenericPassword]
    expect(calls.attributes(query)?[kSecAttrAccount] as? Data, is: Data(account))
    expect(calls.status(query.merging([kSecAttrAccount: Data(account)]) { $1 }), is: errSecSuccess)
  }
}
