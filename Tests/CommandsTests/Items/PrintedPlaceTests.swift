import Bytes
import Expectations
import Keychain
import TestSupport
import Testing
import ToolCommands

@testable import Commands

@Suite("places as lists print them") struct PrintedPlaceTests {
  /// The place and the account of a line of a list, as arguments of a command.
  private func named(_ item: Item) -> NamedPlace {
    let printed = ItemRow(item)
    let row = ItemColumns(of: [printed], hasKeychains: false).cells(printed)
    // An empty one has the sign of none.
    let account = item.key.account.map { $0.isEmpty ? "" : row[1] }
    if case .genericPassword = item.key { return NamedPlace(service: row[0], account: account) }
    return NamedPlace(url: row[0], account: account)
  }

  @Test("a state that comes after the first rows stands before the label")
  func laterState() {
    var item = Item.internet(account: "alice")
    item.label = "at work"
    let columns = ItemColumns(of: [ItemRow(item)], hasKeychains: false)
    item.isDefault = true
    expect(columns.cells(ItemRow(item)).last, is: "(default) at work")
    expect(
      ItemColumns(of: [ItemRow(item)], hasKeychains: false).cells(ItemRow(item)).suffix(3).first,
      is: "default")
  }

  private func isTakenBack(_ item: Item, among others: [Item] = []) throws -> Bool {
    let keychain = KeychainUnderTest.all[0].make().keychain
    for other in others where other.key != item.key { try keychain.add(other, "other") }
    let added = try keychain.add(item, "secret")
    return try named(item).items(in: keychain) == [added]
  }

  private static let servers: [ByteString?] = [
    "example.com", "EXAMPLE.com", "::1", "fe80::1%eth0", "b\u{fc}cher.example", "a b", "a/b", "a?b#c", "a@b",
    "%41", nil,
  ]

  private static let paths: [ByteString?] = [
    nil, "acme/app.git", "100%", "%2e", "a b", "a for docker", "/etc/ssl/key.pem", "//share/x", "/", "/./x",
    "./x",
    "key.pem", "?q#f", "a@b:c", "caf\u{e9}\u{301}", "x\u{202e}y\u{a0}z", "tab\there\u{1b}[2J", "a\\b\"c'd",
    "a/",
  ]

  @Test("printed, parsed, the same item", arguments: servers)
  func everyPlace(server: ByteString?) throws {
    let strange = attribute([0x61, 0xff, 0x2f, 0x25])
    for path in Self.paths + [strange] {
      // Readers of URLs leave out a slash at the end, and without a server only the very path is the place.
      if server == nil, path == nil || path == "a/" { continue }
      for (scheme, port) in [("https", nil), ("https", 8443), ("cert", nil), ("svn+ssh", 443)]
        as [(ByteString, UInt16?)]
      where server != nil || port == nil {
        for domain in [nil, "docker"] as [ByteString?] {
          let item = Item.internet(
            server, account: "al ice", path: path, protocol: scheme, port: port, domain: domain)
          try expect(isTakenBack(item), "\(item.key.place)")
        }
      }
    }
    try expect(isTakenBack(.generic("aws:a b%", account: "x")))
  }

  @Test("an absolute path and a relative one are two files")
  func files() throws {
    let items = [
      Item.internet(nil, account: "", path: "/k.pem", protocol: "cert"),
      Item.internet(nil, account: "", path: "k.pem", protocol: "cert"),
    ]
    for item in items { try expect(isTakenBack(item, among: items)) }
    try expect(
      NamedPlace(url: "cert:///home/me/k.pem").key(),
      is: Item.internet(nil, path: "/home/me/k.pem", protocol: "cert").key)
  }

  @Test("what a person types means the same repository or folder, if there is no other")
  func meant() throws {
    for (typed, path) in [
      ("https://example.com/acme/app", "acme/app.git"), ("https://example.com/acme/app.git", "acme/app"),
      ("https://example.com/acme", "acme/"),
    ] as [(String, ByteString)] {
      let keychain = KeychainUnderTest.all[0].make().keychain
      let added = try keychain.add(.internet(path: path), "secret")
      _ = try keychain.add(.internet(path: "acme/app/sub"), "other")
      try expect(NamedPlace(url: typed).items(in: keychain), is: [added])
    }
    let keychain = KeychainUnderTest.all[0].make().keychain
    let exact = try keychain.add(.internet(path: "acme/app"), "1")
    _ = try keychain.add(.internet(path: "acme/app.git"), "2")
    try expect(NamedPlace(url: "https://example.com/acme/app").items(in: keychain), is: [exact])
  }

  @Test("the tool of a printed place and --domain don't contradict each other")
  func tools() throws {
    let place = NamedPlace(url: "https://example.com for docker", domain: "docker")
    try expect(place.key(), is: Item.internet(domain: "docker").key)
    #expect(throws: KeychainError.self) {
      try NamedPlace(url: "https://example.com for docker", domain: "cargo").key()
    }
  }
}
