import Expectations
import Keychain
import TestSupport
import Testing

/// An item that every keychain rejects, and the reason.
struct RefusedRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let item: Item
  let error: KeychainError

  init(_ description: String, _ item: Item, _ error: KeychainError) {
    testDescription = description
    self.item = item
    self.error = error
  }

  private static let long = attribute([UInt8](repeating: 0x61, count: 65_535))

  static let all = lineBreaks + tooLong

  private static let lineBreaks = ["a\nb", "a\rb", "a\0b", "\n", "a\r\n"].flatMap { (text: ByteString) in
    let shown = text.bytes.map { String($0, radix: 16) }.joined(separator: " ")
    return [
      ("protocol", Item.internet(protocol: text)), ("server", .internet(text)),
      ("account", .internet(account: text)), ("path", .internet(path: text)),
      ("security domain", .internet(domain: text)),
      ("authentication type", .internet(authenticationType: text)), ("service", .generic(text)),
      ("account", .generic("s", account: text)),
    ].map { name, item in
      RefusedRow("\(name) with bytes \(shown)", item, .unusableAttribute(name: name, .lineBreak))
    }
  }

  private static let tooLong = [
    ("protocol", Item.internet(protocol: long)), ("server", .internet(long)),
    ("account", .internet(account: long)), ("path", .internet(path: long)),
    ("security domain", .internet(domain: long)),
    ("authentication type", .internet(authenticationType: long)), ("service", .generic(long)),
    ("account", .generic("s", account: long)), ("label", Item(Item.internet().key, label: long)),
    ("comment", Item(Item.internet().key, comment: long)),
    ("description", Item(Item.internet().key, itemDescription: long)),
    ("creator", Item(Item.internet().key, creator: long)), ("type", Item(Item.internet().key, type: long)),
  ].map { name, item in
    RefusedRow("\(name) of 65,535 bytes", item, .unusableAttribute(name: name, .tooLong(limit: 65_534)))
  }

  /// Items that Keychain Services can store, but that no query could find.
  static let unaskable = [
    RefusedRow("no protocol", .internet(protocol: ""), .unusableAttribute(name: "protocol", .empty)),
    RefusedRow("neither server nor path", .internet(nil), .unusableAttribute(name: "server", .empty)),
    RefusedRow("no service", .generic(""), .unusableAttribute(name: "service", .empty)),
  ]
}

extension ConformanceTests {
  @Suite("bounds") struct Bounds {
    @Test(
      "an attribute that could not be spoken is refused when added", arguments: KeychainUnderTest.all,
      RefusedRow.all)
    func refusedAddition(kind: KeychainUnderTest, row: RefusedRow) throws {
      let fresh = kind.make()
      #expect(throws: row.error) { try fresh.keychain.add(row.item, "x") }
      expect(fresh.writes ?? 0, is: 0)
    }

    @Test(
      "an item that nobody could ask for is not saved, and kept only by Keychain Services",
      arguments: KeychainUnderTest.all, RefusedRow.unaskable)
    func unaskable(kind: KeychainUnderTest, row: RefusedRow) throws {
      let keychain = kind.make().keychain
      #expect(throws: row.error) { try keychain.save(row.item, Credential.text("y")) }
      try expect(keychain.items(matching: .all).isEmpty)
      let added = try keychain.add(row.item, "x")
      try expect(keychain.items(matching: .criteria(ItemCriteria(row.item.key))), is: [added])
      #expect(throws: KeychainError.duplicateItem) { try keychain.add(row.item, "y") }
    }

    @Test("an attribute that could not be spoken is refused when changed", arguments: KeychainUnderTest.all)
    func refusedChange(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let added = try fresh.keychain.add(.internet(account: "alice"), "x")
      let (before, writes) = (try fresh.keychain.everything(), fresh.writes)
      for row in RefusedRow.all {
        var item = added
        item.key = row.item.key
        item.label = row.item.label
        item.comment = row.item.comment
        item.itemDescription = row.item.itemDescription
        item.creator = row.item.creator
        item.type = row.item.type
        #expect(throws: row.error, "\(row.testDescription)") { try fresh.keychain.update(item) }
        #expect(throws: row.error) { try fresh.keychain.update(item, Credential.text("y")) }
        #expect(throws: row.error) { try fresh.keychain.save(item, Credential.text("y")) }
      }
      try expect(fresh.reopened.everything(), is: before)
      expect(fresh.writes, is: writes)
    }

    @Test(
      "a secret of more than 64 KiB fits, whatever is in it", arguments: KeychainUnderTest.all,
      [0x61, 0xff, 0x01, 0x22] as [UInt8])
    func longestSecret(kind: KeychainUnderTest, byte: UInt8) throws {
      let fresh = kind.make()
      let longest = [UInt8](repeating: byte, count: 65_537)
      let added = try fresh.keychain.add(.internet(), Credential.bytes(longest))
      try expect(fresh.reopened.credential(of: added).secret.revealed, is: longest)
    }

    @Test("a secret and a refresh token don't count as attributes", arguments: KeychainUnderTest.all)
    func largeOfAll(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let (secret, token) = (
        [UInt8](repeating: 0xff, count: 80_000), [UInt8](repeating: 0xff, count: 65_536)
      )
      let long = attribute([UInt8](repeating: 0xff, count: 60_000))
      let item = Item(Item.internet().key, label: nil, comment: long, itemDescription: long, creator: long)
      let added = try fresh.keychain.add(item, Credential.bytes(secret, refreshToken: token))
      let credential = try fresh.reopened.credential(of: added).revealed
      expect(credential.secret.bytes == secret && credential.refreshToken?.bytes == token)
    }

    @Test("a larger secret or refresh token is refused", arguments: KeychainUnderTest.all)
    func tooLongSecret(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let added = try fresh.keychain.add(.internet(account: "alice"), "x")
      let before = try fresh.keychain.everything()
      let long = [UInt8](repeating: 0x61, count: (1 << 20) + 1)
      let error = KeychainError.tooLarge(what: "the secret", limit: 1 << 20)
      let keychain = fresh.keychain
      #expect(throws: error) { try keychain.add(.internet(), Credential.bytes(long)) }
      #expect(throws: error) { try keychain.update(added, Credential.bytes(long)) }
      #expect(throws: error) { try keychain.save(added, Credential.bytes(long)) }
      #expect(throws: KeychainError.tooLarge(what: "the refresh token", limit: 65_536)) {
        try keychain.add(.internet(), Credential.bytes([], refreshToken: Array(long.prefix(65_537))))
      }
      try expect(fresh.reopened.everything(), is: before)
    }

    @Test(
      "more in hidden fields or a code's secret than an item may have is refused",
      arguments: KeychainUnderTest.all)
    func tooLongFurther(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      #expect(throws: KeychainError.tooLarge(what: "the item's hidden fields", limit: 262_144)) {
        var credential = Credential(password: "x")
        credential.further.addField("note", Secret(String(repeating: "a", count: 262_144)))
        try fresh.keychain.add(.internet(), credential)
      }
      #expect(throws: KeychainError.tooLarge(what: "the one-time code's secret", limit: 4096)) {
        var credential = Credential(password: "x")
        credential.further.oneTimeCode = Secret(String(repeating: "A", count: 4097))
        try fresh.keychain.add(.internet(), credential)
      }
      try expect(fresh.reopened.items(matching: .all).isEmpty)
    }

    @Test("a scheme with a line end is refused", arguments: KeychainUnderTest.all, ["a\nb", "a\rb", "a\0b"])
    func scheme(kind: KeychainUnderTest, scheme: String) throws {
      let keychain = kind.make().keychain
      #expect(throws: KeychainError.unusableAttribute(name: "authtype", .lineBreak)) {
        try keychain.add(.internet(), Credential.text("x", scheme: ByteString(scheme)))
      }
    }

    @Test("an item that no vault could hold is refused by every keychain", arguments: KeychainUnderTest.all)
    func wholeItem(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let long = attribute([UInt8](repeating: 0x61, count: 65_534))
      let item = Item(
        Item.internet(account: long).key, label: long, comment: long, itemDescription: long, creator: long,
        type: long)
      #expect(throws: KeychainError.tooLarge(what: "the item without its secret", limit: 262_144)) {
        try fresh.keychain.add(item, "x")
      }
      try expect(fresh.reopened.items(matching: .all).isEmpty)
    }
  }
}
