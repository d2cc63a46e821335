import Expectations
import Keychain
import TestSupport
import Testing

/// An item and a query as scripts spell them, and whether the item answers the query.
struct MatchRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let item: Item
  let query: ItemQuery
  let answers: Bool

  init(_ description: String, _ item: Item, _ query: ItemQuery, _ answers: Bool) {
    (testDescription, self.item, self.query, self.answers) = (description, item, query, answers)
  }

  private static let spelled: [(String, String, String, Bool)] = [
    ("the same server", "alice@", "@", true),
    ("a server in capitals", "alice@", "@EXAMPLE.Com", true),
    ("a server stored in capitals", "@Example.COM", "@", true),
    ("a protocol in capitals", "alice@", "HTTPS:@", true),
    ("a protocol stored in capitals", "HttpS:@", "@", true),
    ("another server", "alice@", "@example.org", false),
    ("a host below it", "alice@", "@git.example.com", false),
    ("a host above it", "@git.example.com", "@", false),
    ("a server that begins alike", "alice@", "@example.co", false),
    ("a server that continues", "alice@", "@example.com.evil.net", false),
    ("a dot at the end of what is stored", "@example.com.", "@", false),
    ("https stored, http asked", "alice@", "http:@", false),
    ("http stored, https asked", "http:@", "@", false),
    ("letters beyond ASCII keep their case", "@É.example", "@é.example", false),
    ("port 443 stored, none asked, of https", "@:443", "@", true),
    ("none stored, port 443 asked, of https", "@", "@:443", true),
    ("port 8443 stored, none asked", "@:8443", "@", false),
    ("none stored, port 8443 asked", "@", "@:8443", false),
    ("the same port", "@:8443", "@:8443", true),
    ("another port", "@:8443", "@:8444", false),
    ("port 443 stored for http, none asked", "http:@:443", "http:@", false),
    ("port 80 stored for http, none asked", "http:@:80", "http:@", true),
    ("http at port 443 is not https", "http:@:443", "@", false),
    ("a protocol without a known port, port 7 asked", "gopher:@", "gopher:@:7", false),
    ("a protocol without a known port, none asked", "gopher:@", "gopher:@", true),
    ("port 65535", "@:65535", "@:65535", true),
    ("the same account", "alice@", "alice@", true),
    ("any account", "alice@", "@", true),
    ("another account", "alice@", "bob@", false),
    ("an account in another case", "alice@", "Alice@", false),
    ("an account that begins alike", "alice@", "alic@", false),
    ("an account that continues", "alice@", "alice2@", false),
    ("an account asked, none stored", "@", "alice@", false),
    ("an empty account asked, none stored", "@", "''@", false),
    ("an empty account", "''@", "''@", true),
    ("an empty account stored, any asked", "''@", "@", true),
    ("an empty account asked, alice stored", "alice@", "''@", false),
    ("an account that is composed otherwise", "é@", "e\u{301}@", false),
    ("the same path", "@/acme/app", "@/acme/app", true),
    ("a path under the item's", "@/acme", "@/acme/app.git", true),
    ("a path far under the item's", "@/acme", "@/acme/a/b/c", true),
    ("acmeister is not under acme", "@/acme", "@/acmeister", false),
    ("acmeister/app is not under acme", "@/acme", "@/acmeister/app", false),
    ("a repository with .git asked", "@/acme/app", "@/acme/app.git", true),
    ("a repository with .git stored", "@/acme/app.git", "@/acme/app", true),
    ("below a repository with .git, as git-lfs asks", "@/acme/app", "@/acme/app.git/info/lfs", true),
    ("below the name without .git is another repository", "@/acme.git", "@/acme/app", false),
    ("app.github is not app", "@/acme/app", "@/acme/app.github", false),
    ("a name in another case is another repository", "@/acme/app", "@/acme/App.git", false),
    ("a dot segment leads out of a repository", "@/acme/app", "@/acme/app.git/../evil", false),
    (".git alone is no repository", "@/acme/.git", "@/acme", false),
    ("a path with a slash at its end", "@/acme/", "@/acme/a", true),
    ("a path above the item's", "@/acme/app", "@/acme", false),
    ("another path", "@/foo.git", "@/bar.git", false),
    ("a path in another case", "@/acme", "@/Acme", false),
    ("a path stored, none asked", "@/acme", "@", true),
    ("a path asked, none stored", "@", "@/acme/app", true),
    ("an empty path asked is none", "@/acme", "@/", true),
    ("a path in escapes is not the path", "@/a b", "@/a%20b", false),
    ("docker's item, asked by git", "@#docker", "@", false),
    ("docker's item, asked by docker", "@#docker", "@#docker", true),
    ("docker's item, asked by cargo", "@#docker", "@#cargo", false),
    ("docker's item, asked by Docker", "@#docker", "@#Docker", false),
    ("everybody's item, asked by docker", "@", "@#docker", true),
    ("an empty domain is none", "@#", "@#", true),
    ("what has no server, by its path", "cert:''@-/home/ann/key.pem", "cert:@-/home/ann/key.pem", true),
    (
      "what has no server, by a path under it", "cert:''@-/home/ann/key.pem", "cert:@-/home/ann/key.pem/x",
      false
    ),
    ("what has no server, by another path", "cert:''@-/home/ann/key.pem", "cert:@-/home", false),
    ("what has no server, by a server", "cert:''@-/home/ann/key.pem", "cert:@home", false),
    ("what has a server, without one", "@/acme", "@-/acme", false),
    ("whatever the authentication type", "@?form", "@", true),
    ("the same service", "generic:aws:default,key id", "generic:aws:default", true),
    ("the same service and account", "generic:aws:default,key id", "generic:aws:default,key id", true),
    ("the same service, another account", "generic:aws:default,key id", "generic:aws:default,id", false),
    ("a service in another case", "generic:aws:default,key id", "generic:AWS:default", false),
    ("a service that begins alike", "generic:aws:default,key id", "generic:aws:def", false),
    ("a service that continues", "generic:aws:default,key id", "generic:aws:default2", false),
    ("an empty account asked, none stored, of a service", "generic:s", "generic:s,''", false),
    ("a service is no server", "generic:example.com", "@", false),
    ("a server is no service", "@", "generic:example.com", false),
  ]

  static func all() throws(KeychainError) -> [MatchRow] {
    let (account, path) = (attribute([0x61, 0xe9, 0xff]), attribute([0x61, 0x2f, 0xff]))
    var rows = [
      MatchRow("an IPv6 address", .internet("2001:DB8::1"), try .internet("2001:db8::1"), true),
      MatchRow(
        "an account that is not UTF-8", .internet(account: account), try .internet(account: account), true),
      MatchRow(
        "an account that differs in a byte that is not UTF-8", .internet(account: account),
        try .internet(account: attribute([0x61, 0xe9, 0xfe])), false),
      MatchRow("a path that is not UTF-8", .internet(path: path), try .internet(path: path), true),
    ]
    for (description, item, query, answers) in spelled {
      rows.append(
        MatchRow(description, Item(spelled: item), try ItemQuery(for: Item(spelled: query).key), answers))
    }
    return rows
  }
}

extension ConformanceTests {
  @Suite("forms of a host") struct HostForms {
    @Test(
      "a host is found by another form of its name, and changed where it is", arguments: KeychainUnderTest.all
    )
    func forms(kind: KeychainUnderTest) throws {
      for (stored, asked) in [
        ("bücher.example", "xn--bcher-kva.example"), ("xn--bcher-kva.example", "bücher.example"),
        ("::1", "0:0:0:0:0:0:0:1"), ("0000:0000:0000:0000:0000:0000:0000:0001", "::1"),
        ("example.com", "example.com."),
      ] as [(ByteString, ByteString)] {
        let fresh = kind.make()
        try fresh.keychain.add(.internet(stored, account: "alice", path: "acme"), "old")
        try fresh.keychain.add(.internet("bucher.example", account: "alice", path: "acme"), "another")
        let query = try ItemQuery.internet(asked, path: "acme/app.git")
        try expect(fresh.keychain.find(query).map(\.key.account), is: ["alice"])
        let found = try #require(try fresh.keychain.find(query).first)
        try expect(fresh.keychain.credential(of: found).revealed, is: RevealedCredential("old"))
        let item = Item.internet(asked, account: "alice", path: "acme")
        try expect(fresh.keychain.save(item, Credential.text("new"), at: fresh.clock.now), is: .updated)
        try expect(fresh.keychain.items(matching: .all).count, is: 2)
        try expect(fresh.keychain.erase(query, holding: Secret("new"), at: fresh.clock.now), is: 1)
        try expect(fresh.keychain.items(matching: .all).count, is: 1)
      }
    }
  }

  @Suite("matching") struct Matching {
    @Test("an item answers by the matching table", arguments: KeychainUnderTest.all, try MatchRow.all())
    func table(kind: KeychainUnderTest, row: MatchRow) throws {
      let keychain = kind.make().keychain
      let added = try keychain.add(row.item, "secret")
      let decoy = try keychain.add(.internet("decoy.example.net", account: "decoy"), "other")
      expect(row.query.matches(row.item), is: row.answers)
      try expect(keychain.items(matching: row.query), is: row.answers ? [added] : [])
      try expect(keychain.find(row.query), is: row.answers ? [added] : [])
      try expect(keychain.answeredSecret(row.query), is: row.answers ? "secret" : nil)
      try expect(keychain.find(.internet("decoy.example.net")), is: [decoy])
    }
  }
}
