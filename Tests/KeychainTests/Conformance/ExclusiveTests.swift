import Expectations
import Keychain
import TestSupport
import Testing

extension ConformanceTests {
  @Suite("exclusively") struct Exclusively {
    private static let stop = KeychainError.unavailable(reason: "the test says so")

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
      for item in committed { expect(listed.contains(item)) }
      try expect(committed.map { try keychain.secret(of: $0) }, is: ["b", "a"])
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
      expect(fresh.writes ?? 1, is: 1)
      expect(Set(try fresh.reopened.foundAccounts(.internet())), is: ["alice", "bob"])
      let before = try keychain.everything()
      #expect(throws: Self.stop) {
        try keychain.exclusively { () throws(KeychainError) in
          try keychain.exclusively { () throws(KeychainError) -> Void in
            try keychain.add(.internet(account: "carol"), "c")
          }
          throw Self.stop
        }
      }
      try expect(fresh.reopened.everything(), is: before)
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
          expect(error, is: Self.stop)
        }
      }
      try expect(fresh.reopened.foundAccounts(.internet()), is: ["alice"])
      try expect(fresh.reopened.answeredSecret(.internet()), is: "a")
    }

    @Test("what another one wrote is seen at once", arguments: KeychainUnderTest.all)
    func others(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let other = fresh.reopened
      let alice = try fresh.keychain.add(.internet(account: "alice"), "a")
      try expect(other.items(matching: .all), is: [alice])
      let changed = try other.update(alice, Credential.text("b"))
      try expect(fresh.keychain.items(matching: .all), is: [changed])
      try expect(fresh.keychain.secret(of: alice), is: "b")
      try fresh.keychain.delete([alice])
      try expect(other.items(matching: .all).isEmpty)
    }
  }
}
