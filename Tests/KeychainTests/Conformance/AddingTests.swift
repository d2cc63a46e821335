import Expectations
import Keychain
import TestSupport
import Testing

/// Two items, and whether they have the same primary key.
struct CollisionRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let first: Item
  let second: Item
  let collide: Bool

  init(_ description: String, _ first: Item, _ second: Item, collide: Bool) {
    testDescription = description
    self.first = first
    self.second = second
    self.collide = collide
  }

  static let all = [
    CollisionRow("the same key", .internet(account: "a"), .internet(account: "a"), collide: true),
    CollisionRow("the server in capitals", .internet(), .internet("EXAMPLE.COM"), collide: true),
    CollisionRow("the protocol in capitals", .internet(), .internet(protocol: "HTTPS"), collide: true),
    CollisionRow("the protocol's own port", .internet(), .internet(port: 443), collide: true),
    CollisionRow("an empty path and none", .internet(path: ""), .internet(), collide: true),
    CollisionRow("an empty domain and none", .internet(domain: ""), .internet(), collide: true),
    CollisionRow("another port", .internet(), .internet(port: 8443), collide: false),
    CollisionRow("another protocol", .internet(), .internet(protocol: "http"), collide: false),
    CollisionRow("another account", .internet(account: "a"), .internet(account: "A"), collide: false),
    CollisionRow("an empty account and none", .internet(account: ""), .internet(), collide: false),
    CollisionRow("another path", .internet(path: "acme"), .internet(path: "acme/app"), collide: false),
    CollisionRow("a path and none", .internet(path: "acme"), .internet(), collide: false),
    CollisionRow("another domain", .internet(domain: "docker"), .internet(), collide: false),
    CollisionRow(
      "another authentication type", .internet(authenticationType: "form"), .internet(), collide: false),
    CollisionRow(
      "an account of a percent sign, and an empty one", .internet(account: "%"), .internet(account: ""),
      collide: false),
    CollisionRow(
      "an escaped byte, and its escape", .internet(account: " "), .internet(account: "%20"), collide: false),
    CollisionRow(
      "a space moved from account to path", .internet(account: "a b", path: "c"),
      .internet(account: "a", path: "b c"), collide: false),
    CollisionRow("the same service", .generic("s", account: "a"), .generic("s", account: "a"), collide: true),
    CollisionRow("a service in another case", .generic("s"), .generic("S"), collide: false),
    CollisionRow(
      "a service's empty account and none", .generic("s", account: ""), .generic("s"), collide: false),
    CollisionRow("a service and a server", .generic("example.com"), .internet(), collide: false),
  ]
}

extension ConformanceTests {
  @Suite("adding") struct Adding {
    @Test("an added item has a reference, and the moment as its dates", arguments: KeychainUnderTest.all)
    func addition(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let item = Item.internet(account: "alice")
      let added = try fresh.keychain.add(item, "secret")
      expect(added.reference != nil)
      expect(fresh.isNow(added.creationDate))
      expect(fresh.isNow(added.modificationDate))
      expect(added.key, is: item.key)
      try expect(fresh.keychain.items(matching: .all), is: [added])
      try expect(fresh.reopened.items(matching: .all), is: [added])
      try expect(fresh.reopened.secret(of: added), is: "secret")
    }

    @Test("references are never the same twice", arguments: KeychainUnderTest.exact)
    func references(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      var references: Set<ItemReference> = []
      for number in 0..<20 {
        let item = try keychain.add(.internet(account: ByteString("user\(number)")), "x")
        references.insert(try #require(item.reference))
        if number % 2 == 0 { try keychain.delete([item]) }
      }
      expect(references.count, is: 20)
    }

    @Test("what an item says of its reference and dates does not count", arguments: KeychainUnderTest.all)
    func ownReference(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let keychain = fresh.keychain
      let first = try keychain.add(.internet(account: "a"), "1")
      var second = first
      second.key = Item.internet(account: "b").key
      second.creationDate = Timestamp(seconds: 0)
      let added = try keychain.add(second, "2")
      expect(added.reference != first.reference)
      expect(fresh.isNow(added.creationDate))
      try expect(keychain.items(matching: .all).count, is: 2)
    }

    @Test("an item from elsewhere keeps its dates where they can be set", arguments: KeychainUnderTest.exact)
    func keptDates(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      var item = Item.internet(account: "a")
      item.creationDate = Timestamp(seconds: 1_600_000_000)
      item.modificationDate = Timestamp(seconds: 1_700_000_000)
      item.reference = ItemReference("elsewhere")
      let added = try fresh.keychain.add(keepingDatesOf: item, Credential(password: "1"))
      expect(added.reference != item.reference)
      let found = try #require(try fresh.reopened.items(matching: .all).first)
      expect(found.creationDate == item.creationDate && found.modificationDate == item.modificationDate)
    }

    @Test(
      "two items with the same primary key are refused", arguments: KeychainUnderTest.all, CollisionRow.all)
    func collisions(kind: KeychainUnderTest, row: CollisionRow) throws {
      let fresh = kind.make()
      let first = try fresh.keychain.add(row.first, "first")
      if row.collide {
        let before = try fresh.keychain.everything()
        #expect(throws: KeychainError.duplicateItem) { try fresh.keychain.add(row.second, "second") }
        try expect(fresh.reopened.everything(), is: before)
      } else {
        let second = try fresh.keychain.add(row.second, "second")
        try expect(fresh.reopened.secret(of: first), is: "first")
        try expect(fresh.reopened.secret(of: second), is: "second")
      }
    }

    @Test("a place can be taken again after its item was deleted", arguments: KeychainUnderTest.all)
    func again(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      let first = try keychain.add(.internet(), "first")
      try keychain.delete([first])
      let second = try keychain.add(.internet(), "second")
      expect(second.reference != first.reference)
      try expect(keychain.answeredSecret(.internet()), is: "second")
      #expect(throws: KeychainError.itemNotFound) { _ = try keychain.credential(of: first).revealed }
    }

    @Test("hundreds of items are found each by its own name", arguments: KeychainUnderTest.all)
    func many(kind: KeychainUnderTest) throws {
      let count = isLongForm ? 600 : 110
      let fresh = kind.make()
      try fresh.keychain.exclusively { () throws(KeychainError) in
        for number in 0..<count {
          try fresh.keychain.add(
            .internet(ByteString("host\(number).example"), account: ByteString("user\(number)")),
            "secret \(number)")
        }
      }
      for number in stride(from: 0, to: count, by: 37) {
        let query = try ItemQuery.internet(ByteString("host\(number).example"))
        try expect(fresh.reopened.foundAccounts(query), is: [ByteString("user\(number)")])
        try expect(fresh.reopened.answeredSecret(query), is: ByteString("secret \(number)"))
      }
      try expect(fresh.reopened.items(matching: .all).count, is: count)
    }
  }
}
