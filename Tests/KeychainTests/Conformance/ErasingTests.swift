import Keychain
import TestSupport
import Testing

extension ConformanceTests {
  @Suite("erasing") struct Erasing {
    private func rest(_ fresh: FreshKeychain) throws -> Set<Item> {
      Set(try fresh.reopened.items(matching: .all))
    }

    @Test("erase keeps a newer password", arguments: KeychainUnderTest.all)
    func newer(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice"), "new")
      let writes = fresh.writes
      #expect(try fresh.keychain.erase(.internet(account: "alice"), holding: Secret("old")) == 0)
      #expect(fresh.writes == writes)
      #expect(try fresh.reopened.answeredSecret(.internet()) == "new")
    }

    @Test("erase removes what holds the refused password", arguments: KeychainUnderTest.all)
    func refused(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice"), "x")
      let bob = try fresh.keychain.add(.internet(account: "bob"), "x")
      let carol = try fresh.keychain.add(.internet(account: "carol"), "y")
      #expect(try fresh.keychain.erase(.internet(account: "alice"), holding: Secret("x")) == 1)
      #expect(try rest(fresh) == [bob, carol])
      #expect(try fresh.keychain.erase(.internet(), holding: Secret("x")) == 1)
      #expect(try rest(fresh) == [carol])
    }

    @Test("erase of an empty password removes only empty ones", arguments: KeychainUnderTest.all)
    func emptyPassword(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let alice = try fresh.keychain.add(.internet(account: "alice"), "x")
      try fresh.keychain.add(.internet(account: "bob"), "")
      #expect(try fresh.keychain.erase(.internet(), holding: Secret()) == 1)
      #expect(try rest(fresh) == [alice])
    }

    @Test("erase without a password removes every account of the place", arguments: KeychainUnderTest.all)
    func everyAccount(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      for account in [nil, "", "alice", "bob"] as [ByteString?] {
        try fresh.keychain.add(.internet(account: account), "x")
      }
      try fresh.keychain.add(.internet(account: "alice", path: "acme"), "y")
      let others = [
        try fresh.keychain.add(.internet("example.org"), "x"),
        try fresh.keychain.add(.internet(port: 8443), "x"),
        try fresh.keychain.add(.internet(protocol: "http"), "x"),
        try fresh.keychain.add(.generic("example.com"), "x"),
      ]
      #expect(try fresh.keychain.erase(.internet()) == 5)
      #expect(try rest(fresh) == Set(others))
    }

    @Test("erase of one account leaves the others", arguments: KeychainUnderTest.all)
    func oneAccount(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice"), "x")
      let bob = try fresh.keychain.add(.internet(account: "bob"), "x")
      let empty = try fresh.keychain.add(.internet(account: ""), "x")
      let none = try fresh.keychain.add(.internet(), "x")
      #expect(try fresh.keychain.erase(.internet(account: "alice")) == 1)
      #expect(try rest(fresh) == [bob, empty, none])
      #expect(try fresh.keychain.erase(.internet(account: "")) == 1)
      #expect(try rest(fresh) == [bob, none])
    }

    @Test("erase with a path but no password removes only that very path", arguments: KeychainUnderTest.all)
    func path(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice", path: "acme/app"), "x")
      let above = try fresh.keychain.add(.internet(account: "alice", path: "acme"), "x")
      let below = try fresh.keychain.add(.internet(account: "alice", path: "acme/app/x"), "x")
      let whole = try fresh.keychain.add(.internet(account: "alice"), "x")
      #expect(try fresh.keychain.erase(.internet(path: "acme/app")) == 1)
      #expect(try rest(fresh) == [above, below, whole])
      #expect(try fresh.keychain.erase(.internet(path: "acme/other")) == 0)
      #expect(try rest(fresh) == [above, below, whole])
    }

    @Test(
      "erase with a path and a password removes the shorter path that answered",
      arguments: KeychainUnderTest.all)
    func pathAndPassword(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice", path: "acme"), "x")
      let below = try fresh.keychain.add(.internet(account: "alice", path: "acme/app/x"), "x")
      let other = try fresh.keychain.add(.internet(account: "alice", path: "acmeister"), "x")
      let whole = try fresh.keychain.add(.internet(account: "alice"), "y")
      #expect(try fresh.keychain.erase(.internet(path: "acme/app"), holding: Secret("x")) == 1)
      #expect(try rest(fresh) == [below, other, whole])
    }

    @Test(
      "of several that hold the refused password, the one that answered goes alone",
      arguments: KeychainUnderTest.all)
    func answered(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let alice = try fresh.keychain.add(.internet(account: "alice"), "x")
      let bob = try fresh.keychain.add(.internet(account: "bob"), "x")
      let carol = try fresh.keychain.add(.internet(account: "carol"), "x")
      let outcome = try fresh.keychain.erase(.internet(), holding: Secret("x"), answered: bob.reference)
      #expect(outcome == 1)
      #expect(try rest(fresh) == [alice, carol])
    }

    @Test("an answered item that holds another password by now stays", arguments: KeychainUnderTest.all)
    func answeredChanged(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let alice = try fresh.keychain.add(.internet(account: "alice"), "new")
      let outcome = try fresh.keychain.erase(.internet(), holding: Secret("old"), answered: alice.reference)
      #expect(outcome == 0)
      #expect(try rest(fresh) == [alice])
    }

    @Test("an answered item of another place stays", arguments: KeychainUnderTest.all)
    func answeredElsewhere(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let other = try fresh.keychain.add(.internet("example.org"), "x")
      #expect(try fresh.keychain.erase(.internet(), holding: Secret("x"), answered: other.reference) == 0)
      #expect(try rest(fresh) == [other])
    }

    @Test(
      "erase for a tool leaves what it shares, and erase for git what tools keep",
      arguments: KeychainUnderTest.all)
    func domains(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let shared = try fresh.keychain.add(.internet(account: "alice"), "x")
      let cargo = try fresh.keychain.add(.internet(account: "alice", domain: "cargo"), "x")
      let docker = try fresh.keychain.add(.internet(account: "alice", domain: "docker"), "x")
      #expect(try fresh.keychain.erase(.internet(domain: "pip"), holding: Secret("x")) == 0)
      #expect(try fresh.keychain.erase(.internet(domain: "pip")) == 0)
      #expect(try fresh.keychain.erase(.internet(domain: "docker"), holding: Secret("x")) == 1)
      #expect(try rest(fresh) == [shared, cargo])
      try fresh.keychain.add(docker, "x")
      #expect(try fresh.keychain.erase(.internet(domain: "docker")) == 1)
      #expect(try rest(fresh) == [shared, cargo])
      #expect(try fresh.keychain.erase(.internet()) == 1)
      #expect(try rest(fresh) == [cargo])
    }

    @Test("an expired item is erased too", arguments: KeychainUnderTest.all)
    func expired(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice"), Credential.text("x", expiry: 1))
      #expect(try fresh.keychain.erase(.internet(), holding: Secret("x")) == 1)
      #expect(try rest(fresh).isEmpty)
    }

    @Test("erase from an empty keychain makes nothing", arguments: KeychainUnderTest.all)
    func empty(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      #expect(try fresh.keychain.erase(.internet()) == 0)
      #expect(try fresh.keychain.erase(.internet(), holding: Secret("x")) == 0)
      #expect(fresh.writes ?? 0 == 0)
    }

    @Test("a service's accounts are erased likewise", arguments: KeychainUnderTest.all)
    func services(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let first = try fresh.keychain.add(.generic("aws:x", account: "a"), "1")
      try fresh.keychain.add(.generic("aws:x", account: "b"), "2")
      let other = try fresh.keychain.add(.generic("aws:y"), "2")
      #expect(try fresh.keychain.erase(.generic("aws:x"), holding: Secret("2")) == 1)
      #expect(try rest(fresh) == [first, other])
      #expect(try fresh.keychain.erase(.generic("aws:x")) == 1)
      #expect(try rest(fresh) == [other])
    }
  }
}
