import Keychain
import TestSupport
import Testing

extension ConformanceTests {
  @Suite("exclusively") struct Exclusively {
    private static let stop = KeychainError.unavailable(reason: "the test says so")

    @Test("all changes of a body are written at once", arguments: KeychainUnderTest.all)
    func atOnce(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let alice = try fresh.keychain.add(.internet(account: "alice"), "a")
      let before = fresh.writes
      let count = try fresh.keychain.exclusively { () throws(KeychainError) in
        try fresh.keychain.add(.internet(account: "bob"), "b")
        var changed = alice
        changed.label = "work"
        try fresh.keychain.update(changed)
        return try fresh.keychain.items(matching: .all).count
      }
      #expect(count == 2)
      #expect(fresh.writes == before.map { $0 + 1 })
      #expect(Set(try fresh.reopened.foundAccounts(.internet())) == ["alice", "bob"])
    }

    @Test("a body sees its own changes", arguments: KeychainUnderTest.all)
    func ownChanges(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      try keychain.exclusively { () throws(KeychainError) in
        let added = try keychain.add(.internet(account: "alice"), "a")
        let secret = try keychain.secret(of: added)
        #expect(secret == "a")
        try keychain.update(added, Credential.text("b"))
        let changed = try keychain.secret(of: added)
        #expect(changed == "b")
        try keychain.delete([added])
        let rest = try keychain.items(matching: .all)
        #expect(rest.isEmpty)
      }
    }

    @Test(
      "what a body has made is afterwards known as the keychain names it", arguments: KeychainUnderTest.all)
    func committed(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let keychain = fresh.keychain
      let alice = try keychain.add(.internet(account: "alice"), "a")
      let made = try keychain.exclusively { () throws(KeychainError) -> [Item] in
        var changed = alice
        changed.label = "work"
        return [try keychain.add(.internet(account: "bob"), "b"), try keychain.update(changed)]
      }
      let committed = made.map { keychain.committed($0) }
      let listed = try keychain.items(matching: .all)
      for item in committed { #expect(listed.contains(item)) }
      #expect(try committed.map { try keychain.secret(of: $0) } == ["b", "a"])
    }

    @Test("a body that throws has changed nothing", arguments: KeychainUnderTest.all)
    func throwing(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let alice = try fresh.keychain.add(.internet(account: "alice"), "a")
      let carol = try fresh.keychain.add(.internet(account: "carol"), "c")
      let before = try fresh.keychain.everything()
      let writes = fresh.writes
      fresh.clock.advance(seconds: 9)
      #expect(throws: Self.stop) {
        try fresh.keychain.exclusively { () throws(KeychainError) in
          try fresh.keychain.add(.internet(account: "bob"), "b")
          try fresh.keychain.update(alice, Credential.text("changed"))
          try fresh.keychain.delete([carol])
          throw Self.stop
        }
      }
      #expect(try fresh.keychain.everything() == before)
      #expect(try fresh.reopened.everything() == before)
      #expect(fresh.writes == writes)
    }

    @Test("a body that throws on an empty keychain makes nothing", arguments: KeychainUnderTest.all)
    func throwingAtFirst(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      #expect(throws: Self.stop) {
        try fresh.keychain.exclusively { () throws(KeychainError) in
          try fresh.keychain.add(.internet(), "a")
          throw Self.stop
        }
      }
      #expect(try fresh.keychain.items(matching: .all).isEmpty)
      #expect(fresh.writes ?? 0 == 0)
    }

    @Test("a body that changes nothing writes nothing", arguments: KeychainUnderTest.all)
    func noChange(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.exclusively { () throws(KeychainError) in _ = try fresh.keychain.find(.internet()) }
      #expect(fresh.writes ?? 0 == 0)
      try fresh.keychain.add(.internet(), "a")
      let writes = fresh.writes
      try fresh.keychain.exclusively { () throws(KeychainError) in _ = try fresh.keychain.find(.internet()) }
      #expect(fresh.writes == writes)
    }

    @Test("a body within a body belongs to the outer one", arguments: KeychainUnderTest.all)
    func nested(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let keychain = fresh.keychain
      try keychain.exclusively { () throws(KeychainError) in
        try keychain.add(.internet(account: "alice"), "a")
        try keychain.exclusively { () throws(KeychainError) -> Void in
          try keychain.add(.internet(account: "bob"), "b")
        }
      }
      #expect(fresh.writes ?? 1 == 1)
      #expect(Set(try fresh.reopened.foundAccounts(.internet())) == ["alice", "bob"])
      let before = try keychain.everything()
      #expect(throws: Self.stop) {
        try keychain.exclusively { () throws(KeychainError) in
          try keychain.exclusively { () throws(KeychainError) -> Void in
            try keychain.add(.internet(account: "carol"), "c")
          }
          throw Self.stop
        }
      }
      #expect(try fresh.reopened.everything() == before)
    }

    @Test(
      "an inner body that throws has changed nothing, even where the outer goes on",
      arguments: KeychainUnderTest.all)
    func innerThrows(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let keychain = fresh.keychain
      try keychain.exclusively { () throws(KeychainError) in
        let alice = try keychain.add(.internet(account: "alice"), "a")
        do throws(KeychainError) {
          try keychain.exclusively { () throws(KeychainError) in
            try keychain.add(.internet(account: "bob"), "b")
            try keychain.update(alice, Credential.text("changed"))
            throw Self.stop
          }
        } catch {
          #expect(error == Self.stop)
        }
      }
      #expect(try fresh.reopened.foundAccounts(.internet()) == ["alice"])
      #expect(try fresh.reopened.answeredSecret(.internet()) == "a")
    }

    @Test("a refused addition that is caught leaves the rest of the body", arguments: KeychainUnderTest.all)
    func caught(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let keychain = fresh.keychain
      try keychain.exclusively { () throws(KeychainError) in
        try keychain.add(.internet(account: "alice"), "a")
        do throws(KeychainError) {
          try keychain.add(.internet(account: "alice"), "b")
        } catch {
          #expect(error == .duplicateItem)
        }
        try keychain.add(.internet(account: "bob"), "b")
      }
      #expect(try fresh.reopened.items(matching: .all).count == 2)
      #expect(try fresh.reopened.answeredSecret(.internet(account: "alice")) == "a")
    }

    @Test("what another one wrote is seen at once", arguments: KeychainUnderTest.all)
    func others(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let other = fresh.reopened
      let alice = try fresh.keychain.add(.internet(account: "alice"), "a")
      #expect(try other.items(matching: .all) == [alice])
      let changed = try other.update(alice, Credential.text("b"))
      #expect(try fresh.keychain.items(matching: .all) == [changed])
      #expect(try fresh.keychain.secret(of: alice) == "b")
      try fresh.keychain.delete([alice])
      #expect(try other.items(matching: .all).isEmpty)
    }
  }
}
