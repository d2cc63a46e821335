import Expectations
import Keychain
import OpenBao
import Properties
import TestSupport
import Testing

struct ItemPathTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let item: Item
    let path: String
    var testDescription: String { path }
  }

  static let rows = [
    Row(item: .internet("github.com", account: "alice"), path: "https/github.com/443/-/alice/-/-"),
    Row(
      item: .internet("GitHub.com", account: "alice", path: "acme/app.git", protocol: "HTTPS", port: 443),
      path: "https/github.com/443/-/alice/acme~2Fapp.git/-"),
    Row(
      item: .internet("r.example", account: "", domain: "docker"), path: "https/r.example/443/docker/~/-/-"),
    Row(item: .internet(nil, path: "key.pem", protocol: "cert"), path: "cert/-/-/-/-/key.pem/-"),
    Row(item: .internet("h", account: "-"), path: "https/h/443/-/~2D/-/-"),
    Row(item: .internet("h", account: "--"), path: "https/h/443/-/--/-/-"),
    Row(item: .internet("h", account: ".."), path: "https/h/443/-/~2E./-/-"),
    Row(item: .internet("h", account: "."), path: "https/h/443/-/~2E/-/-"),
    Row(item: .internet("h", account: ".a"), path: "https/h/443/-/.a/-/-"),
    Row(item: .internet("h", account: "~"), path: "https/h/443/-/~7E/-/-"),
    Row(item: .internet("::1", protocol: "x", port: 1), path: "x/~3A~3A1/1/-/-/-/-"),
    Row(item: .internet("h", protocol: "generic"), path: "generic/h/-/-/-/-/-"),
    Row(item: .generic("aws:default", account: "AKIA"), path: "~generic/aws~3Adefault/AKIA"),
    Row(item: .generic("s"), path: "~generic/s/-"),
    Row(
      item: Item(GenericPassword(service: "s", accessGroup: "team", isSynchronizable: true)),
      path: "~generic/s/-/team/synchronizable"),
    Row(item: Item(.secretService(SecretServiceItem(.item, name: "7"))), path: "~secret/7"),
    Row(
      item: Item(.cryptographic(CryptographicItem(.certificate, ["slnr": "\u{1}", "ctyp": "3"]))),
      path: "~certificate/-/-/ctyp.3/slnr.~01"),
  ]

  @Test("a path shows the primary key", arguments: rows)
  func path(row: Row) throws {
    try expect(ItemPath(row.item.key).text, is: row.path)
    expect(ItemPath(parsing: row.path)?.key, is: row.item.key.primaryKey)
  }

  @Test(
    "a path that is never made is no item's",
    arguments: [
      "", "a", "https/github.com/443/-/alice/-", "https/github.com/443/-/alice/-/-/-",
      "https/h/443/-/a/-/-/-/-",
      "https//443/-/a/-/-", "HTTPS/h/443/-/a/-/-", "https/H/443/-/a/-/-", "https/h/0443/-/a/-/-",
      "https/h/65536/-/a/-/-", "https/h/-/-/a/-/-", "https/h/443/-/./-/-", "https/h/443/-/../-/-",
      "https/h/443/-/~2d/-/-", "https/h/443/-/~41/-/-", "https/h/443/-/~/~/-", "https/h/443/-/a b/-/-",
      "https/h/443/-/~4/-/-", "~generic/s", "~generic/-/a", "~secret/-", "~other/s/a",
      "~certificate/-/-/ctyp",
      "~certificate/-/-/slnr.1/ctyp.3", "~certificate/-/-/ctyp.-", "-/h/443/-/a/-/-",
      "https/h/443/-/a/-/-/~/-",
    ])
  func strangers(text: String) {
    expect(ItemPath(parsing: text), is: nil)
  }

  @Test("a component of more than 1,024 bytes is refused")
  func long() throws {
    let longest = Item.internet(account: ByteString([UInt8](repeating: 0x61, count: 1024)))
    _ = try ItemPath(longest.key)
    for account in [[UInt8](repeating: 0x61, count: 1025), [UInt8](repeating: 0x20, count: 342)] {
      #expect(throws: KeychainError.unusableAttribute(name: "account", .tooLong(limit: 1024))) {
        try ItemPath(Item.internet(account: ByteString(account)).key)
      }
    }
  }

  @Test("two items have the same path exactly if their primary keys are equal, and the path says which")
  func injective() throws {
    var generator = SeededGenerator(seed: 20)
    var seen: [String: Item.Key] = [:]
    for _ in 0..<rounds(20_000) {
      let key = generator.key()
      let path = try ItemPath(key)
      expect(path.key, is: key.primaryKey)
      expect(ItemPath(parsing: path.text), is: path)
      if let other = seen[path.text] { expect(other, is: key.primaryKey) }
      seen[path.text] = key.primaryKey
      expect(path.text.utf8.allSatisfy(isUnreserved))
      expect(
        !path.text.split(separator: "/", omittingEmptySubsequences: false).contains {
          ["", ".", ".."].contains($0)
        })
    }
    expect(Set(seen.values).count, is: seen.count)
  }

  @Test("whatever answers a question is in one of the folders that are searched for it")
  func everyAnswer() throws {
    var generator = SeededGenerator(seed: 22)
    for _ in 0..<rounds(20_000) {
      let item = Item(generator.key())
      var queries = [ItemQuery.all, .criteria(ItemCriteria(item.key))]
      if let query = try? ItemQuery(for: item.key) { queries.append(query) }
      if case .internetPassword(let key) = item.key, generator.number(in: 0..<2) == 0 {
        let domain: ByteString? = key.securityDomain ?? (generator.number(in: 0..<2) == 0 ? "docker" : nil)
        let below = key.path.map { ByteString($0.bytes + Array("/x".utf8)) }
        let account = generator.number(in: 0..<2) == 0 ? nil : key.account
        let query = try? ItemQuery.internet(
          key.server, account: account, path: below, protocol: key.protocol, port: key.port, domain: domain)
        if let query { queries.append(query) }
      }
      let path = try ItemPath(item.key)
      for query in queries where query.matches(item) {
        expect(
          SearchFolders(query).folders.contains { $0.isEmpty || path.text.hasPrefix($0 + "/") }, "\(query)")
      }
    }
  }

  @Test("without the right to list, the item and those above its path are looked for")
  func likely() throws {
    let query = try ItemQuery.internet("h", account: "ci", path: "a/b/c", domain: "cargo")
    expect(
      SearchFolders(query).likely.map(\.text),
      is: [
        "https/h/443/cargo/ci/a~2Fb~2Fc/-", "https/h/443/cargo/ci/a~2Fb/-", "https/h/443/cargo/ci/a/-",
        "https/h/443/cargo/ci/-/-", "https/h/443/-/ci/a~2Fb~2Fc/-", "https/h/443/-/ci/a~2Fb/-",
        "https/h/443/-/ci/a/-", "https/h/443/-/ci/-/-",
      ])
    expect(SearchFolders(try .internet("h")).likely.isEmpty)
  }
}

private func isUnreserved(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x2f, 0x5f, 0x7e: true
  default: false
  }
}

extension SeededGenerator {
  /// Short bytes of which many are special in a path.
  mutating func text() -> ByteString {
    let special: [[UInt8]] = [
      [0x2d], [0x2e], [0x7e], [0x2f], [0x00], [0xff], [0x41], [0x61], [0x25], Array("~2D".utf8),
      Array("synchronizable".utf8),
    ]
    return ByteString(
      (0..<number(in: 0..<4)).flatMap { _ in number(in: 0..<4) == 0 ? bytes(1) : pick(special) })
  }

  mutating func optional() -> ByteString? { number(in: 0..<3) == 0 ? nil : text() }

  /// A key of any class.
  mutating func key() -> Item.Key {
    switch number(in: 0..<8) {
    case 0..<4:
      .internetPassword(
        InternetPassword(
          protocol: pick(["https", "HTTPS", "ssh", "~generic", "", text()]), server: optional(),
          port: pick([nil, 443, 22, 8443, 0]), account: optional(), path: optional(),
          securityDomain: optional(),
          authenticationType: optional(), accessGroup: pick([nil, nil, text()]),
          isSynchronizable: number(in: 0..<4) == 0))
    case 4, 5:
      .genericPassword(
        GenericPassword(
          service: text(), account: optional(), accessGroup: pick([nil, nil, text()]),
          isSynchronizable: number(in: 0..<4) == 0))
    case 6:
      .cryptographic(
        CryptographicItem(
          pick(CryptographicItem.Kind.allCases),
          pick([[:], ["slnr": text()], ["ctyp": text(), "slnr": text()]]),
          accessGroup: pick([nil, text()]), isSynchronizable: number(in: 0..<4) == 0))
    default: .secretService(SecretServiceItem(pick(SecretServiceItem.Kind.allCases), name: text()))
    }
  }
}
