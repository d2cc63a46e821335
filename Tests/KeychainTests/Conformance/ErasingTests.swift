import Expectations
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
      try expect(fresh.keychain.erase(.internet(account: "alice"), holding: Secret("old")), is: 0)
      expect(fresh.writes, is: writes)
      try expect(fresh.reopened.answeredSecret(.internet()), is: "new")
    }

    @Test("erase removes what holds the refused password", arguments: KeychainUnderTest.all)
    func refused(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice"), "x")
      let bob = try fresh.keychain.add(.internet(account: "bob"), "x")
      let carol = try fresh.keychain.add(.internet(account: "carol"), "y")
      try expect(fresh.keychain.erase(.internet(account: "alice"), holding: Secret("x")), is: 1)
      try expect(rest(fresh), is: [bob, carol])
      try expect(fresh.keychain.erase(.internet(), holding: Secret("x")), is: 1)
      try expect(rest(fresh), is: [carol])
    }

    @Test("erase of an empty password removes only empty ones", arguments: KeychainUnderTest.all)
    func emptyPassword(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let alice = try fresh.keychain.add(.internet(account: "alice"), "x")
      try fresh.keychain.add(.internet(account: "bob"), "")
      try expect(fresh.keychain.erase(.internet(), holding: Secret()), is: 1)
      try expect(rest(fresh), is: [alice])
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
      try expect(fresh.keychain.erase(.internet()), is: 5)
      try expect(rest(fresh), is: Set(others))
    }

    @Test("erase of one account leaves the others", arguments: KeychainUnderTest.all)
    func oneAccount(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice"), "x")
      let bob = try fresh.keychain.add(.internet(account: "bob"), "x")
      let empty = try fresh.keychain.add(.internet(account: ""), "x")
      let none = try fresh.keychain.add(.internet(), "x")
      try expect(fresh.keychain.erase(.internet(account: "alice")), is: 1)
      try expect(rest(fresh), is: [bob, empty, none])
      try expect(fresh.keychain.erase(.internet(account: "")), is: 1)
      try expect(rest(fresh), is: [bob, none])
    }

    @Test("erase with a path but no password removes only that very path", arguments: KeychainUnderTest.all)
    func path(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice", path: "acme/app"), "x")
      let above = try fresh.keychain.add(.internet(account: "alice", path: "acme"), "x")
      let below = try fresh.keychain.add(.internet(account: "alice", path: "acme/app/x"), "x")
      let whole = try fresh.keychain.add(.internet(account: "alice"), "x")
      try expect(fresh.keychain.erase(.internet(path: "acme/app")), is: 1)
      try expect(rest(fresh), is: [above, below, whole])
      try expect(fresh.keychain.erase(.internet(path: "acme/other")), is: 0)
      try expect(rest(fresh), is: [above, below, whole])
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
      try expect(fresh.keychain.erase(.internet(path: "acme/app"), holding: Secret("x")), is: 1)
      try expect(rest(fresh), is: [below, other, whole])
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
      expect(outcome, is: 1)
      try expect(rest(fresh), is: [alice, carol])
    }

    @Test("an answered item that holds another password by now stays", arguments: KeychainUnderTest.all)
    func answeredChanged(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let alice = try fresh.keychain.add(.internet(account: "alice"), "new")
      let outcome = try fresh.keychain.erase(.internet(), holding: Secret("old"), answered: alice.reference)
      expect(outcome, is: 0)
      try expect(rest(fresh), is: [alice])
    }

    @Test("an answered item of another place stays", arguments: KeychainUnderTest.all)
    func answeredElsewhere(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let other = try fresh.keychain.add(.internet("example.org"), "x")
      try expect(fresh.keychain.erase(.internet(), holding: Secret("x"), answered: other.reference), is: 0)
      try expect(rest(fresh), is: [other])
    }

    @Test(
      "erase for a tool leaves what it shares, and erase for git what tools keep",
      arguments: KeychainUnderTest.all)
    func domains(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let shared = try fresh.keychain.add(.internet(account: "alice"), "x")
      let cargo = try fresh.keychain.add(.internet(account: "alice", domain: "cargo"), "x")
      let docker = try fresh.keychain.add(.internet(account: "alice", domain: "docker"), "x")
      try expect(fresh.keychain.erase(.internet(domain: "pip"), holding: Secret("x")), is: 0)
      try expect(fresh.keychain.erase(.internet(domain: "pip")), is: 0)
      try expect(fresh.keychain.erase(.internet(domain: "docker"), holding: Secret("x")), is: 1)
      try expect(rest(fresh), is: [shared, cargo])
      try fresh.keychain.add(docker, "x")
      try expect(fresh.keychain.erase(.internet(domain: "docker")), is: 1)
      try expect(rest(fresh), is: [shared, cargo])
      try expect(fresh.keychain.erase(.internet()), is: 1)
      try expect(rest(fresh), is: [cargo])
    }

    @Test("an expired item is erased too", arguments: KeychainUnderTest.all)
    func expired(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice"), Credential.text("x", expiry: 1))
      try expect(fresh.keychain.erase(.internet(), holding: Secret("x")), is: 1)
      try expect(rest(fresh).isEmpty)
    }

    @Test("erase from an empty keychain makes nothing", arguments: KeychainUnderTest.all)
    func empty(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try expect(fresh.keychain.erase(.internet()), is: 0)
      try expect(fresh.keychain.erase(.internet(), holding: Secret("x")), is: 0)
      expect(fresh.writes ?? 0, is: 0)
    }

    @Test("a service's accounts are erased likewise", arguments: KeychainUnderTest.all)
    func services(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let first = try fresh.keychain.add(.generic("aws:x", account: "a"), "1")
      try fresh.keychain.add(.generic("aws:x", account: "b"), "2")
      let other = try fresh.keychain.add(.generic("aws:y"), "2")
      try expect(fresh.keychain.erase(.generic("aws:x"), holding: Secret("2")), is: 1)
      try expect(rest(fresh), is: [first, other])
      try expect(fresh.keychain.erase(.generic("aws:x")), is: 1)
      try expect(rest(fresh), is: [other])
    }
  }
}
