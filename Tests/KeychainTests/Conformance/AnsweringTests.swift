import Expectations
import Keychain
import TestSupport
import Testing

extension ConformanceTests {
  @Suite("answering") struct Answering {
    @Test("an item that somebody deletes meanwhile is passed over", arguments: KeychainUnderTest.all)
    func deletedMeanwhile(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let gone = try fresh.keychain.add(.internet(account: "alice"), "a")
      fresh.clock.advance(seconds: 1)
      try fresh.keychain.add(.internet(account: "bob"), "b")
      let other = fresh.reopened
      var deleted = 0
      let answer = try fresh.keychain.revealedAnswer(.internet()) { _, _ in
        deleted += (try? other.delete([gone])) ?? 0
        return false
      }
      expect(deleted, is: 1)
      expect(answer, is: nil)
      try expect(fresh.keychain.foundAccounts(.internet()), is: ["bob"])
    }
  }
}
