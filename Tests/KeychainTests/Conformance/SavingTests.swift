import Expectations
import Keychain
import TestSupport
import Testing

extension ConformanceTests {
  @Suite("saving") struct Saving {
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

    @Test("saving again and again never puts a limit off", arguments: KeychainUnderTest.all)
    func neverPutOff(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      let item = Item.internet(account: "alice")
      for second in 0..<5 as Range<Int64> {
        let now = Timestamp(seconds: 1000 + second)
        try keychain.save(item, Credential.text("x"), expiringBy: now.seconds + 10, at: now)
      }
      try expect(keychain.answeredSecret(.internet(), at: Timestamp(seconds: 1009)), is: "x")
      try expect(keychain.answeredSecret(.internet(), at: Timestamp(seconds: 1010)), is: nil)
    }
  }
}
