import Expectations
import Keychain
import TestSupport
import Testing

extension ConformanceTests {
  @Suite("ranking") struct Ranking {
    /// Adds items a second apart, with their positions as secrets.
    private func add(_ items: [Item], to fresh: FreshKeychain) throws {
      for (index, item) in items.enumerated() {
        try fresh.keychain.add(item, "\(index)")
        fresh.clock.advance(seconds: 1)
      }
    }

    private func order(_ query: ItemQuery, in fresh: FreshKeychain) throws -> [String] {
      try fresh.keychain.find(query).map { try fresh.keychain.secret(of: $0).description }
    }

    @Test("of several accounts, the one changed last goes first", arguments: KeychainUnderTest.all)
    func changed(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try add([.internet(account: "b"), .internet(account: "c"), .internet(account: "a")], to: fresh)
      var oldest = try #require(try fresh.keychain.find(.internet(account: "b")).first)
      oldest.comment = "changed"
      try fresh.keychain.update(oldest)
      try expect(order(.internet(), in: fresh), is: ["0", "2", "1"])
    }

    @Test("at the same moment, the later write goes first", arguments: KeychainUnderTest.exact)
    func sameMoment(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      for account in ["b", "c", "a"] as [ByteString] {
        try fresh.keychain.add(.internet(account: account), "\(account)")
      }
      try expect(order(.internet(), in: fresh), is: ["a", "c", "b"])
      try fresh.keychain.update(try #require(try fresh.keychain.find(.internet(account: "c")).first))
      try expect(order(.internet(), in: fresh), is: ["c", "a", "b"])
    }
  }

  @Test("where the last change is of the same moment, the later addition goes first")
  func creationDecides() throws {
    var items: [Item] = []
    for (account, created) in [("a", 1), ("b", 3), ("c", 2)] as [(ByteString, Int64)] {
      var item = Item.internet(account: account)
      item.creationDate = Timestamp(seconds: created)
      item.modificationDate = Timestamp(seconds: 9)
      items.append(item)
    }
    try expect(ItemQuery.internet().ranked(items).map(\.key.account), is: ["b", "c", "a"])
  }

  @Test("an item without dates goes last")
  func noDates() throws {
    var dated = Item.internet(account: "a")
    dated.modificationDate = Timestamp(seconds: -5)
    let items = [Item.internet(account: "b"), dated]
    try expect(ItemQuery.internet().ranked(items).map(\.key.account), is: ["a", "b"])
  }

  @Test("ranking drops what does not answer")
  func rankedFilters() throws {
    try expect(ItemQuery.internet().ranked([.internet("other.example")]).isEmpty)
    try expect(ItemQuery.internet().ranked([.internet("other.example"), .internet()]), is: [.internet()])
  }
}
