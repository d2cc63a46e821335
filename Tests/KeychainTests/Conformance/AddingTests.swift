import Expectations
import Keychain
import TestSupport
import Testing

/// Two items as scripts spell them, and whether they have the same primary key.
struct CollisionRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let first: Item
  let second: Item
  let collide: Bool

  static let all = [
    ("the same key", "a@", "a@", true), ("the server in capitals", "@", "@EXAMPLE.COM", true),
    ("the protocol in capitals", "@", "HTTPS:@", true), ("the protocol's own port", "@", "@:443", true),
    ("an empty path and none", "@/", "@", true), ("an empty domain and none", "@#", "@", true),
    ("another port", "@", "@:8443", false), ("another protocol", "@", "http:@", false),
    ("another account", "a@", "A@", false), ("an empty account and none", "''@", "@", false),
    ("another path", "@/acme", "@/acme/app", false), ("a path and none", "@/acme", "@", false),
    ("another domain", "@#docker", "@", false), ("another authentication type", "@?form", "@", false),
    ("an account of a percent sign, and an empty one", "%@", "''@", false),
    ("an escaped byte, and its escape", " @", "%20@", false),
    ("a space moved from account to path", "a b@/c", "a@/b c", false),
    ("the same service", "generic:s,a", "generic:s,a", true),
    ("a service in another case", "generic:s", "generic:S", false),
    ("a service's empty account and none", "generic:s,''", "generic:s", false),
    ("a service and a server", "generic:example.com", "@", false),
  ].map {
    CollisionRow(testDescription: $0, first: Item(spelled: $1), second: Item(spelled: $2), collide: $3)
  }
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
