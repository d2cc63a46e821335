import Expectations
import Keychain
import TestSupport
import Testing

/// An item, a query, and whether the item answers the query.
struct MatchRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let item: Item
  let query: ItemQuery
  let answers: Bool

  init(_ description: String, _ item: Item, _ query: ItemQuery, _ answers: Bool) {
    testDescription = description
    self.item = item
    self.query = query
    self.answers = answers
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

    @Test("asked for all, every item answers", arguments: KeychainUnderTest.all)
    func all(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      let items = [
        try keychain.add(.internet(account: "alice"), "1"),
        try keychain.add(.internet(account: "alice", domain: "docker"), "2"),
        try keychain.add(.internet(nil, path: "key.pem", protocol: "cert"), "3"),
        try keychain.add(.generic("aws:default"), "4"),
      ]
      expect(Set(try keychain.items(matching: .all)), is: Set(items))
      try expect(keychain.items(matching: .all).count, is: 4)
    }

    @Test("an empty keychain has nothing, and asking makes nothing", arguments: KeychainUnderTest.all)
    func empty(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try expect(fresh.keychain.items(matching: .all).isEmpty)
      try expect(fresh.keychain.find(.internet()).isEmpty)
      try expect(fresh.keychain.answeredSecret(.internet()), is: nil)
      expect(fresh.writes ?? 0, is: 0)
    }
  }
}

extension MatchRow {
  static func all() throws(KeychainError) -> [MatchRow] {
    try servers() + ports() + accounts() + paths() + domains() + others()
  }

  private static func servers() throws(KeychainError) -> [MatchRow] {
    let site = Item.internet(account: "alice")
    return [
      MatchRow("the same server", site, try .internet(), true),
      MatchRow("a server in capitals", site, try .internet("EXAMPLE.Com"), true),
      MatchRow("a server stored in capitals", .internet("Example.COM"), try .internet(), true),
      MatchRow("a protocol in capitals", site, try .internet(protocol: "HTTPS"), true),
      MatchRow("a protocol stored in capitals", .internet(protocol: "HttpS"), try .internet(), true),
      MatchRow("another server", site, try .internet("example.org"), false),
      MatchRow("a host below it", site, try .internet("git.example.com"), false),
      MatchRow("a host above it", .internet("git.example.com"), try .internet(), false),
      MatchRow("a server that begins alike", site, try .internet("example.co"), false),
      MatchRow("a server that continues", site, try .internet("example.com.evil.net"), false),
      MatchRow("a dot at the end of what is stored", .internet("example.com."), try .internet(), false),
      MatchRow("https stored, http asked", site, try .internet(protocol: "http"), false),
      MatchRow("http stored, https asked", .internet(protocol: "http"), try .internet(), false),
      MatchRow("an IPv6 address", .internet("2001:DB8::1"), try .internet("2001:db8::1"), true),
      MatchRow(
        "letters beyond ASCII keep their case", .internet("É.example"), try .internet("é.example"), false),
    ]
  }

  private static func ports() throws(KeychainError) -> [MatchRow] {
    [
      MatchRow("port 443 stored, none asked, of https", .internet(port: 443), try .internet(), true),
      MatchRow("none stored, port 443 asked, of https", .internet(), try .internet(port: 443), true),
      MatchRow("port 8443 stored, none asked", .internet(port: 8443), try .internet(), false),
      MatchRow("none stored, port 8443 asked", .internet(), try .internet(port: 8443), false),
      MatchRow("the same port", .internet(port: 8443), try .internet(port: 8443), true),
      MatchRow("another port", .internet(port: 8443), try .internet(port: 8444), false),
      MatchRow(
        "port 443 stored for http, none asked", .internet(protocol: "http", port: 443),
        try .internet(protocol: "http"), false),
      MatchRow(
        "port 80 stored for http, none asked", .internet(protocol: "http", port: 80),
        try .internet(protocol: "http"), true),
      MatchRow(
        "http at port 443 is not https", .internet(protocol: "http", port: 443), try .internet(), false),
      MatchRow(
        "a protocol without a known port, port 7 asked", .internet(protocol: "gopher"),
        try .internet(protocol: "gopher", port: 7), false),
      MatchRow(
        "a protocol without a known port, none asked", .internet(protocol: "gopher"),
        try .internet(protocol: "gopher"), true),
      MatchRow("port 65535", .internet(port: 65535), try .internet(port: 65535), true),
    ]
  }

  private static func accounts() throws(KeychainError) -> [MatchRow] {
    let alice = Item.internet(account: "alice")
    let latin = attribute([0x61, 0xe9, 0xff])
    return [
      MatchRow("the same account", alice, try .internet(account: "alice"), true),
      MatchRow("any account", alice, try .internet(), true),
      MatchRow("another account", alice, try .internet(account: "bob"), false),
      MatchRow("an account in another case", alice, try .internet(account: "Alice"), false),
      MatchRow("an account that begins alike", alice, try .internet(account: "alic"), false),
      MatchRow("an account that continues", alice, try .internet(account: "alice2"), false),
      MatchRow("an account asked, none stored", .internet(), try .internet(account: "alice"), false),
      MatchRow("an empty account asked, none stored", .internet(), try .internet(account: ""), false),
      MatchRow("an empty account", .internet(account: ""), try .internet(account: ""), true),
      MatchRow("an empty account stored, any asked", .internet(account: ""), try .internet(), true),
      MatchRow("an empty account asked, alice stored", alice, try .internet(account: ""), false),
      MatchRow(
        "an account that is not UTF-8", .internet(account: latin), try .internet(account: latin), true),
      MatchRow(
        "an account that differs in a byte that is not UTF-8", .internet(account: latin),
        try .internet(account: attribute([0x61, 0xe9, 0xfe])), false),
      MatchRow(
        "an account that is composed otherwise", .internet(account: "é"), try .internet(account: "e\u{301}"),
        false),
    ]
  }

  private static func paths() throws(KeychainError) -> [MatchRow] {
    let acme = Item.internet(path: "acme")
    let latin = attribute([0x61, 0x2f, 0xff])
    return [
      MatchRow("the same path", .internet(path: "acme/app"), try .internet(path: "acme/app"), true),
      MatchRow("a path under the item's", acme, try .internet(path: "acme/app.git"), true),
      MatchRow("a path far under the item's", acme, try .internet(path: "acme/a/b/c"), true),
      MatchRow("acmeister is not under acme", acme, try .internet(path: "acmeister"), false),
      MatchRow("acmeister/app is not under acme", acme, try .internet(path: "acmeister/app"), false),
      MatchRow(
        "a repository with .git asked", .internet(path: "acme/app"), try .internet(path: "acme/app.git"), true
      ),
      MatchRow(
        "a repository with .git stored", .internet(path: "acme/app.git"), try .internet(path: "acme/app"),
        true),
      MatchRow(
        "below a repository with .git, as git-lfs asks", .internet(path: "acme/app"),
        try .internet(path: "acme/app.git/info/lfs"), true),
      MatchRow(
        "below the name without .git is another repository", .internet(path: "acme.git"),
        try .internet(path: "acme/app"), false),
      MatchRow(
        "app.github is not app", .internet(path: "acme/app"), try .internet(path: "acme/app.github"), false),
      MatchRow(
        "a name in another case is another repository", .internet(path: "acme/app"),
        try .internet(path: "acme/App.git"), false),
      MatchRow(
        "a dot segment leads out of a repository", .internet(path: "acme/app"),
        try .internet(path: "acme/app.git/../evil"), false),
      MatchRow(
        ".git alone is no repository", .internet(path: "acme/.git"), try .internet(path: "acme"), false),
      MatchRow(
        "a path with a slash at its end", .internet(path: "acme/"), try .internet(path: "acme/a"), true),
      MatchRow("a path above the item's", .internet(path: "acme/app"), try .internet(path: "acme"), false),
      MatchRow("another path", .internet(path: "foo.git"), try .internet(path: "bar.git"), false),
      MatchRow("a path in another case", acme, try .internet(path: "Acme"), false),
      MatchRow("a path stored, none asked", acme, try .internet(), true),
      MatchRow("a path asked, none stored", .internet(), try .internet(path: "acme/app"), true),
      MatchRow("an empty path asked is none", acme, try .internet(path: ""), true),
      MatchRow("a path that is not UTF-8", .internet(path: latin), try .internet(path: latin), true),
      MatchRow(
        "a path in escapes is not the path", .internet(path: "a b"), try .internet(path: "a%20b"), false),
    ]
  }

  private static func domains() throws(KeychainError) -> [MatchRow] {
    let docker = Item.internet(domain: "docker")
    return [
      MatchRow("docker's item, asked by git", docker, try .internet(), false),
      MatchRow("docker's item, asked by docker", docker, try .internet(domain: "docker"), true),
      MatchRow("docker's item, asked by cargo", docker, try .internet(domain: "cargo"), false),
      MatchRow("docker's item, asked by Docker", docker, try .internet(domain: "Docker"), false),
      MatchRow("everybody's item, asked by docker", .internet(), try .internet(domain: "docker"), true),
      MatchRow("an empty domain is none", .internet(domain: ""), try .internet(domain: ""), true),
    ]
  }

  private static func others() throws(KeychainError) -> [MatchRow] {
    let cert = Item.internet(nil, account: "", path: "home/ann/key.pem", protocol: "cert")
    let aws = Item.generic("aws:default", account: "key id")
    return [
      MatchRow(
        "what has no server, by its path", cert,
        try .internet(nil, path: "home/ann/key.pem", protocol: "cert"),
        true),
      MatchRow(
        "what has no server, by a path under it", cert,
        try .internet(nil, path: "home/ann/key.pem/x", protocol: "cert"), false),
      MatchRow(
        "what has no server, by another path", cert, try .internet(nil, path: "home", protocol: "cert"), false
      ),
      MatchRow(
        "what has no server, by a server", cert, try .internet("home", protocol: "cert"), false),
      MatchRow(
        "what has a server, without one", .internet(path: "acme"), try .internet(nil, path: "acme"), false),
      MatchRow(
        "whatever the authentication type", .internet(authenticationType: "form"), try .internet(), true),
      MatchRow("the same service", aws, try .generic("aws:default"), true),
      MatchRow("the same service and account", aws, try .generic("aws:default", account: "key id"), true),
      MatchRow("the same service, another account", aws, try .generic("aws:default", account: "id"), false),
      MatchRow("a service in another case", aws, try .generic("AWS:default"), false),
      MatchRow("a service that begins alike", aws, try .generic("aws:def"), false),
      MatchRow("a service that continues", aws, try .generic("aws:default2"), false),
      MatchRow(
        "an empty account asked, none stored, of a service", .generic("s"), try .generic("s", account: ""),
        false),
      MatchRow("a service is no server", .generic("example.com"), try .internet(), false),
      MatchRow("a server is no service", .internet(), try .generic("example.com"), false),
    ]
  }
}
