import Expectations
import Keychain
import TestSupport
import Testing

extension ConformanceTests {
  @Suite("exclusively") struct Exclusively {
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
