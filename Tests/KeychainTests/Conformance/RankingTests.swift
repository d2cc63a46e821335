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

    @Test("of several accounts, the one added last goes first", arguments: KeychainUnderTest.all)
    func newest(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try add([.internet(account: "b"), .internet(account: "c"), .internet(account: "a")], to: fresh)
      try expect(order(.internet(), in: fresh), is: ["2", "1", "0"])
      try expect(fresh.reopened.foundAccounts(.internet()), is: ["a", "c", "b"])
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

    @Test("a clock that was put back does not hide a later write", arguments: KeychainUnderTest.all)
    func clockPutBack(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try add([.internet(account: "a"), .internet(account: "b")], to: fresh)
      try expect(fresh.keychain.items(matching: .internet()).map(\.key.account), is: ["b", "a"])
      fresh.clock.advance(seconds: -3600)
      try fresh.keychain.add(.internet(account: "c"), "2")
      try expect(fresh.keychain.items(matching: .internet()).map(\.key.account), is: ["c", "b", "a"])
    }

    @Test(
      "the path as it is goes before the same repository with or without .git",
      arguments: KeychainUnderTest.all)
    func repositories(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try add(
        [.internet(path: "acme/app.git"), .internet(path: "acme/app"), .internet(path: "acme"), .internet()],
        to: fresh)
      try expect(order(.internet(path: "acme/app"), in: fresh), is: ["1", "0", "2", "3"])
      try expect(order(.internet(path: "acme/app.git"), in: fresh), is: ["0", "1", "2", "3"])
      try expect(order(.internet(path: "acme/app.git/info/lfs"), in: fresh), is: ["0", "1", "2", "3"])
    }

    @Test("the default item goes before newer ones", arguments: KeychainUnderTest.all)
    func defaultItem(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      var chosen = Item.internet(account: "alice")
      chosen.isDefault = true
      try add([.internet(account: "bob"), chosen, .internet(account: "carol")], to: fresh)
      try expect(order(.internet(), in: fresh), is: ["1", "2", "0"])
      try expect(fresh.reopened.foundAccounts(.internet()), is: ["alice", "carol", "bob"])
    }

    @Test("the default of another account does not answer for a given one", arguments: KeychainUnderTest.all)
    func defaultAndAccount(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      var chosen = Item.internet(account: "alice")
      chosen.isDefault = true
      try add([chosen, .internet(account: "bob")], to: fresh)
      try expect(order(.internet(account: "bob"), in: fresh), is: ["1"])
    }

    @Test("the longest path goes first, before newer and default items", arguments: KeychainUnderTest.all)
    func longestPath(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      var chosen = Item.internet(path: "acme")
      chosen.isDefault = true
      try add([.internet(path: "acme/app"), chosen, .internet(), .internet(path: "acme/b")], to: fresh)
      try expect(order(.internet(path: "acme/app/x"), in: fresh), is: ["0", "1", "2"])
      try expect(order(.internet(path: "acme/other"), in: fresh), is: ["1", "2"])
      try expect(order(.internet(path: "else"), in: fresh), is: ["2"])
    }

    @Test("asked without a path, an item without one goes first", arguments: KeychainUnderTest.all)
    func withoutPath(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      var chosen = Item.internet(path: "acme")
      chosen.isDefault = true
      try add([.internet(), chosen, .internet(path: "longer/path")], to: fresh)
      try expect(order(.internet(), in: fresh), is: ["0", "1", "2"])
    }

    @Test("a tool's own item goes before one that it may share", arguments: KeychainUnderTest.all)
    func ownDomain(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      var chosen = Item.internet(path: "acme")
      chosen.isDefault = true
      try add([.internet(domain: "docker"), .internet(domain: "cargo"), chosen, .internet()], to: fresh)
      try expect(order(.internet(path: "acme", domain: "docker"), in: fresh), is: ["0", "2", "3"])
      try expect(order(.internet(path: "acme"), in: fresh), is: ["2", "3"])
      try expect(order(.internet(path: "acme", domain: "pip"), in: fresh), is: ["2", "3"])
    }

    @Test("a service's accounts are ranked too", arguments: KeychainUnderTest.all)
    func services(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try add(
        [.generic("aws:x", account: "a"), .generic("aws:x", account: "b"), .generic("aws:y")], to: fresh)
      try expect(order(.generic("aws:x"), in: fresh), is: ["1", "0"])
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
