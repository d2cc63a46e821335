import Expectations
import Keychain
import TestSupport
import Testing

/// An item and its credential that a keychain must return unchanged.
struct RoundTripRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let item: Item
  let credential: RevealedCredential

  init(_ description: String, _ item: Item, _ credential: RevealedCredential = RevealedCredential("secret")) {
    testDescription = description
    self.item = item
    self.credential = credential
  }

  /// Bytes that are not UTF-8: a lone continuation, an overlong form, a surrogate, a cut sequence.
  static let foreign = attribute([0x61, 0x80, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xff, 0xe2, 0x82])
  /// Characters that are special in some layer.
  static let awkward: ByteString = #" a%20%%b "quoted" back\slash \n ' ; # {"k":1} ü 漢 \u0041 "#

  static let all = keys + notes + credentials

  /// Those that a change brings in as well: a key takes the same way in both.
  static let brought = isLongForm ? all : notes + credentials

  private static let keys = [
    RoundTripRow("an account that is not UTF-8", .internet(account: foreign)),
    RoundTripRow("a path that is not UTF-8", .internet(path: foreign)),
    RoundTripRow("a server that is not UTF-8", .internet(foreign)),
    RoundTripRow("a domain that is not UTF-8", .internet(domain: foreign)),
    RoundTripRow("a service that is not UTF-8", .generic(foreign, account: foreign)),
    RoundTripRow("an empty account", .internet(account: "")),
    RoundTripRow("no account", .internet()),
    RoundTripRow("a service's empty account", .generic("s", account: "")),
    RoundTripRow("a service without an account", .generic("s")),
    RoundTripRow(
      "an account and a path with %, spaces, quotes and backslashes",
      .internet(account: awkward, path: awkward)),
    RoundTripRow("a service with the same", .generic(awkward, account: awkward)),
    RoundTripRow("a lone %", .internet(account: "%", path: "%")),
    RoundTripRow("a lone space", .internet(account: " ", path: " ")),
    RoundTripRow(
      "all other control characters",
      .internet(account: attribute((1...31).filter { $0 != 10 && $0 != 13 } + [127]))
    ),
    RoundTripRow(
      "terminal escapes and marks of text direction",
      .internet(account: "\u{1b}[2J\u{9b}2J\u{202e}\u{2066}\u{61c}")),
    RoundTripRow("capitals in server and protocol", .internet("GitHub.COM", protocol: "HTTPS")),
    RoundTripRow("a port", .internet(port: 8443)),
    RoundTripRow("the protocol's own port, written out", .internet(port: 443)),
    RoundTripRow("port 1", .internet(port: 1)),
    RoundTripRow("port 65535", .internet(port: 65535)),
    RoundTripRow("an IPv6 address", .internet("2001:db8::1%eth0")),
    RoundTripRow("no server", .internet(nil, account: "", path: "home/ann/key.pem", protocol: "cert")),
    RoundTripRow(
      "every part of an internet password",
      .internet(
        "h", account: "a", path: "p/q", protocol: "imap", port: 9, domain: "d", authenticationType: "t")),
    RoundTripRow(
      "an account of 65,534 bytes", .internet(account: attribute([UInt8](repeating: 0x61, count: 65_534)))),
  ]

  private static let notes = [
    RoundTripRow("label, comment, description, creator, type and default", noted("note")),
    RoundTripRow("the same with line ends", noted("two\nlines\r\nand a third\r")),
    RoundTripRow("the same with a NUL", noted(attribute([0x61, 0, 0x62]))),
    RoundTripRow("the same in bytes that are not UTF-8", noted(foreign)),
    RoundTripRow("the same with %, spaces, quotes and backslashes", noted(awkward)),
  ]

  private static let credentials = [
    RoundTripRow("an empty password", .internet(), RevealedCredential("")),
    RoundTripRow("a password that is not UTF-8", .internet(), RevealedCredential(foreign)),
    RoundTripRow("a password of every byte", .internet(), RevealedCredential(attribute(Array(0...255)))),
    RoundTripRow("a password with line ends and NUL", .internet(), RevealedCredential("a\nb\r\n\0c\n")),
    RoundTripRow("a password like JSON", .internet(), RevealedCredential(awkward)),
    RoundTripRow("an expiry", .internet(), RevealedCredential("s", expiry: 4_102_444_800)),
    RoundTripRow("an expiry of 0", .internet(), RevealedCredential("s", expiry: 0)),
    RoundTripRow("the last expiry", .internet(), RevealedCredential("s", expiry: .max)),
    RoundTripRow("the first expiry", .internet(), RevealedCredential("s", expiry: .min)),
    RoundTripRow("a refresh token", .internet(), RevealedCredential("s", refreshToken: awkward)),
    RoundTripRow("an empty refresh token", .internet(), RevealedCredential("s", refreshToken: "")),
    RoundTripRow(
      "a refresh token that is not UTF-8", .internet(), RevealedCredential("s", refreshToken: foreign)),
    RoundTripRow("a scheme", .internet(), RevealedCredential("s", scheme: "Bearer")),
    RoundTripRow("a scheme that is not UTF-8", .internet(), RevealedCredential("s", scheme: foreign)),
    RoundTripRow(
      "all at once", .internet(account: "alice"),
      RevealedCredential("s", expiry: 4_102_444_800, refreshToken: "r", scheme: "Basic")),
  ]

  private static func noted(_ text: ByteString) -> Item {
    Item(
      Item.internet(account: "alice").key, label: text, comment: text, itemDescription: text, creator: text,
      type: text, isDefault: true)
  }
}

extension ConformanceTests {
  @Suite("what is kept") struct WhatIsKept {
    @Test("an item comes back as it was put in", arguments: KeychainUnderTest.all, RoundTripRow.all)
    func roundTrip(kind: KeychainUnderTest, row: RoundTripRow) throws {
      let fresh = kind.make()
      if try isRefused(row, by: fresh.keychain, kind) { return }
      let added = try fresh.keychain.add(row.item, row.credential.credential())
      var expected = row.item
      expected.reference = added.reference
      expected.creationDate = added.creationDate
      expected.modificationDate = added.modificationDate
      expected.keychain = added.keychain
      expect(fresh.isNow(added.creationDate))
      expect(added, is: expected)
      for keychain in [fresh.keychain, fresh.reopened] {
        try expect(keychain.items(matching: .all), is: [expected])
        try expect(keychain.items(matching: try ItemQuery(for: row.item.key)), is: [expected])
        var expected = row.credential
        if keychain === fresh.keychain, !kind.givesRefreshTokens { expected.refreshToken = nil }
        try expect(keychain.credential(of: added).revealed, is: expected)
      }
    }

    /// Whether the key is longer than this kind of keychain takes. Then it says so, and adds nothing.
    private func isRefused(
      _ row: RoundTripRow, by keychain: any KeychainStore, _ kind: KeychainUnderTest
    ) throws -> Bool {
      guard !kind.takesLongKeys, row.item.key.account?.bytes.count ?? 0 > 1024 else { return false }
      #expect(throws: KeychainError.unusableAttribute(name: "account", .tooLong(limit: 1024))) {
        try keychain.add(row.item, row.credential.credential())
      }
      try expect(keychain.items(matching: .all).isEmpty)
      return true
    }

    @Test("a change brings the same in", arguments: KeychainUnderTest.all, RoundTripRow.brought)
    func changed(kind: KeychainUnderTest, row: RoundTripRow) throws {
      let fresh = kind.make()
      if try isRefused(row, by: fresh.keychain, kind) { return }
      var item = try fresh.keychain.add(.internet("first.example"), "first")
      item.key = row.item.key
      item.label = row.item.label
      item.comment = row.item.comment
      let changed = try fresh.keychain.update(item, row.credential.credential())
      try expect(fresh.reopened.items(matching: .all), is: [changed])
      try expect(fresh.reopened.credential(of: changed).revealed, is: row.credential)
      try fresh.keychain.delete([changed])
      try expect(fresh.reopened.items(matching: .all).isEmpty)
    }

    private func withoutName(_ entry: RevealedItem) -> RevealedItem {
      var entry = entry
      entry.item.reference = nil
      entry.item.creationDate = nil
      entry.item.modificationDate = nil
      return entry
    }

    @Test("random items come back as they were put in", arguments: KeychainUnderTest.all)
    func random(kind: KeychainUnderTest) throws {
      var generator = SeededGenerator(seed: 11)
      let count = isLongForm ? 300 : 60
      let fresh = kind.make()
      let expected = try fresh.keychain.exclusively { () throws(KeychainError) in
        for _ in 0..<count {
          try fresh.keychain.add(generator.item(), .bytes(generator.bytes(generator.number(in: 0..<40))))
        }
        return try fresh.keychain.everything()
      }
      expect(expected.count, is: count)
      let reopened = fresh.reopened
      let kept = try reopened.everything()
      // A service, and another machine, names and dates items only when it receives them.
      if kind.namesItemsAtOnce {
        expect(kept, is: expected)
      } else {
        let differing = Set(kept.map(withoutName)).symmetricDifference(expected.map(withoutName))
        expect(differing.isEmpty)
        expect(kept.count, is: count)
      }
      for entry in kept {
        let query = try ItemQuery(for: entry.item.key)
        try expect(reopened.find(query).contains(entry.item))
      }
    }
  }
}

extension RevealedCredential {
  func credential() -> Credential {
    .bytes(secret.bytes, expiry: expiry, refreshToken: refreshToken?.bytes, scheme: scheme)
  }
}

extension SeededGenerator {
  /// An internet password of random bytes that every keychain accepts.
  mutating func item() -> Item {
    var item = Item.internet(
      speakable(in: 1..<9), account: number(in: 0..<4) == 0 ? nil : speakable(in: 0..<12),
      path: number(in: 0..<2) == 0 ? nil : speakable(in: 1..<12), protocol: pick(["https", "http", "x"]),
      port: number(in: 0..<3) == 0 ? UInt16(number(in: 1..<65536)) : nil,
      domain: number(in: 0..<4) == 0 ? speakable(in: 1..<5) : nil)
    if number(in: 0..<2) == 0 { item.label = ByteString(bytes(number(in: 0..<9))) }
    return item
  }

  private mutating func speakable(in lengths: Range<Int>) -> ByteString {
    ByteString(bytes(number(in: lengths)).map { $0 == 0 || $0 == 10 || $0 == 13 ? 0x20 : $0 })
  }
}
