import Expectations
import Keychain
import TestSupport
import Testing

extension ConformanceTests {
  @Suite("saving") struct Saving {
    static let now = SettableClock.start
    static let later = SettableClock.start.seconds + 3600

    @Test("save adds what is not there, and then changes nothing", arguments: KeychainUnderTest.all)
    func unchanged(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let item = Item.internet(account: "alice")
      try expect(fresh.keychain.save(item, Credential.text("x"), at: Self.now), is: .added)
      let before = try fresh.keychain.everything()
      let writes = fresh.writes
      fresh.clock.advance(seconds: 60)
      try expect(fresh.keychain.save(item, Credential.text("x"), at: Self.now), is: .unchanged)
      try expect(fresh.reopened.everything(), is: before)
      expect(fresh.writes, is: writes)
    }

    @Test(
      "save of a new secret changes the item and keeps its reference and label",
      arguments: KeychainUnderTest.all)
    func updated(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let labelled = Item(Item.internet("Example.com", account: "alice").key, label: "work", isDefault: true)
      let added = try fresh.keychain.add(labelled, "old")
      fresh.clock.advance(seconds: 60)
      let outcome = try fresh.keychain.save(.internet(account: "alice", port: 443), Credential.text("new"))
      expect(outcome, is: .updated)
      let all = try fresh.reopened.everything()
      expect(all.count, is: 1)
      var expected = added
      expected.modificationDate = all.first?.item.modificationDate
      expect(fresh.isNow(expected.modificationDate))
      expect(all.first?.item, is: expected)
      expect(all.first?.credential, is: RevealedCredential("new"))
    }

    @Test(
      "save never touches another account, path, port, protocol or domain", arguments: KeychainUnderTest.all)
    func others(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let others: [Item] = [
        .internet(account: "bob"), .internet(), .internet(account: ""), .internet(account: "Alice"),
        .internet(account: "alice", path: "acme/app"), .internet(account: "alice", path: "acme"),
        .internet(account: "alice", port: 8443), .internet(account: "alice", protocol: "http"),
        .internet(account: "alice", domain: "docker"), .internet("git.example.com", account: "alice"),
        .internet(account: "alice", authenticationType: "form"), .generic("example.com", account: "alice"),
      ]
      for item in others { try fresh.keychain.add(item, "old") }
      let before = try fresh.keychain.everything()
      fresh.clock.advance(seconds: 60)
      try expect(fresh.keychain.save(.internet(account: "alice"), Credential.text("new")), is: .added)
      let after = try fresh.reopened.everything()
      expect(Set(after).isSuperset(of: before))
      expect(after.count, is: before.count + 1)
      try expect(fresh.reopened.answeredSecret(.internet(account: "alice")), is: "new")
    }

    @Test("save under a path changes only the item of that path", arguments: KeychainUnderTest.all)
    func paths(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      for path in [nil, "acme", "acme/app", "acme/app/x"] as [ByteString?] {
        try fresh.keychain.add(.internet(account: "alice", path: path), "old")
      }
      let outcome = try fresh.keychain.save(
        .internet(account: "alice", path: "acme/app"), Credential.text("new"))
      expect(outcome, is: .updated)
      let changed = try fresh.reopened.everything().filter { $0.credential.secret == "new" }.map(\.item.key)
      expect(changed, is: [Item.internet(account: "alice", path: "acme/app").key])
    }

    @Test(
      "save writes nothing where a shorter path answers the same already", arguments: KeychainUnderTest.all)
    func shorterPath(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice", path: "acme"), "x")
      let writes = fresh.writes
      let item = Item.internet(account: "alice", path: "acme/app.git")
      try expect(fresh.keychain.save(item, Credential.text("x")), is: .unchanged)
      expect(fresh.writes, is: writes)
      try expect(fresh.keychain.save(item, Credential.text("y")), is: .added)
      try expect(fresh.reopened.answeredSecret(.internet(path: "acme")), is: "x")
      try expect(fresh.reopened.answeredSecret(.internet(path: "acme/app.git")), is: "y")
    }

    @Test(
      "save for a tool writes nothing where the shared item answers the same",
      arguments: KeychainUnderTest.all)
    func sharedItem(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice"), "x")
      let docker = Item.internet(account: "alice", domain: "docker")
      try expect(fresh.keychain.save(docker, Credential.text("x")), is: .unchanged)
      try expect(fresh.keychain.save(docker, Credential.text("y")), is: .added)
      try expect(fresh.reopened.answeredSecret(.internet()), is: "x")
      try expect(fresh.reopened.answeredSecret(.internet(domain: "docker")), is: "y")
    }

    @Test("an expiry that a tool saves is never put on the shared item", arguments: KeychainUnderTest.all)
    func sharedItemExpiry(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let shared = try fresh.keychain.add(.internet(account: "alice"), "x")
      let before = try fresh.keychain.everything()
      let docker = Item.internet(account: "alice", domain: "docker")
      try fresh.keychain.save(
        docker, Credential.text("x", expiry: Self.later, refreshToken: "docker's"), at: Self.now)
      try expect(fresh.reopened.everything().filter { $0.item.reference == shared.reference }, is: before)
      try fresh.keychain.save(docker, Credential.text("x"), expiringBy: Self.later - 60, at: Self.now)
      try expect(fresh.reopened.everything().filter { $0.item.reference == shared.reference }, is: before)
    }

    @Test(
      "an expiry that is saved under a path is never put on a shorter path", arguments: KeychainUnderTest.all)
    func shorterPathExpiry(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let shorter = try fresh.keychain.add(.internet(account: "alice", path: "acme"), "x")
      let before = try fresh.keychain.everything()
      try fresh.keychain.save(
        .internet(account: "alice", path: "acme/app"), Credential.text("x", expiry: Self.later), at: Self.now)
      try expect(fresh.reopened.everything().filter { $0.item.reference == shorter.reference }, is: before)
    }

    @Test("an empty account is not the same as none", arguments: KeychainUnderTest.all)
    func emptyAccount(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      try expect(keychain.save(.internet(account: ""), Credential.text("x")), is: .added)
      try expect(keychain.save(.internet(), Credential.text("x")), is: .added)
      try expect(keychain.save(.internet(account: ""), Credential.text("")), is: .updated)
      try expect(keychain.answeredSecret(.internet(account: "")), is: "")
      try expect(keychain.items(matching: .all).count, is: 2)
    }

    @Test("an expired item is replaced", arguments: KeychainUnderTest.givingRefreshTokens)
    func expired(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let old = try fresh.keychain.add(
        .internet(account: "alice"), Credential.text("x", expiry: 1, refreshToken: "r"))
      try expect(
        fresh.keychain.save(.internet(account: "alice"), Credential.text("x"), at: Self.now), is: .updated)
      try expect(fresh.reopened.credential(of: old).revealed, is: RevealedCredential("x"))
    }

    @Test("a password saved takes the place of a ready-made credential", arguments: KeychainUnderTest.all)
    func kinds(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      try keychain.add(.internet(account: "alice"), Credential.text("x", scheme: "Bearer"))
      try expect(keychain.save(.internet(account: "alice"), Credential.text("x"), at: Self.now), is: .updated)
      try expect(keychain.answeredSecret(.internet()), is: "x")
      try expect(
        keychain.save(.internet(account: "alice"), Credential.text("x", scheme: "Bearer")), is: .updated)
      try expect(keychain.answeredSecret(.internet()), is: nil)
    }

    @Test("what can't be kept is refused", arguments: KeychainUnderTest.all)
    func refused(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let keychain = fresh.keychain
      #expect(throws: KeychainError.unusableAttribute(name: "account", .lineBreak)) {
        try keychain.save(.internet(account: "a\nhost=victim"), Credential.text("x"))
      }
      #expect(throws: KeychainError.self) { try keychain.save(.internet(nil), Credential.text("x")) }
      #expect(throws: KeychainError.self) { try keychain.save(.internet(protocol: ""), Credential.text("x")) }
      expect(fresh.writes ?? 0, is: 0)
    }

    @Test("a generic password is saved likewise", arguments: KeychainUnderTest.all)
    func generic(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      try expect(keychain.save(.generic("aws:x", account: "id"), Credential.text("1")), is: .added)
      try expect(keychain.save(.generic("aws:x", account: "id"), Credential.text("1")), is: .unchanged)
      try expect(keychain.save(.generic("aws:x", account: "id"), Credential.text("2")), is: .updated)
      try expect(keychain.save(.generic("aws:x", account: "other"), Credential.text("2")), is: .added)
    }
  }
}
