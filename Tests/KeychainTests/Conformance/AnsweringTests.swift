import Expectations
import Keychain
import TestSupport
import Testing

extension ConformanceTests {
  @Suite("answering") struct Answering {
    private static let now = SettableClock.start.seconds

    @Test(
      "a ready-made credential is passed over for whoever wants a password", arguments: KeychainUnderTest.all)
    func scheme(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice"), "password")
      fresh.clock.advance(seconds: 1)
      try fresh.keychain.add(.internet(account: "bot"), Credential.text("token", scheme: "Bearer"))
      try expect(fresh.keychain.answeredSecret(.internet()), is: "password")
      let any = try fresh.keychain.revealedAnswer(.internet(), where: { _, _ in true })
      expect(any?.item.key.account, is: "bot")
      expect(any?.credential, is: RevealedCredential("token", scheme: "Bearer"))
      try expect(fresh.keychain.answeredSecret(.internet(account: "bot")), is: nil)
    }

    @Test(
      "the answer is the best item with all that is confidential",
      arguments: KeychainUnderTest.givingRefreshTokens)
    func whole(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      let item = try keychain.add(
        .internet(account: "alice", path: "acme"),
        Credential.text("x", expiry: Self.now + 1, refreshToken: "r"))
      let answer = try keychain.revealedAnswer(.internet(path: "acme/app"))
      expect(answer?.item, is: item)
      expect(answer?.credential, is: RevealedCredential("x", expiry: Self.now + 1, refreshToken: "r"))
    }

    @Test("a path that leads out of the item's is not answered by it", arguments: KeychainUnderTest.all)
    func dotSegments(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      try keychain.add(.internet(account: "alice", path: "acme"), "x")
      for path in [
        "acme/../evil/app.git", "acme/app/../../evil", "acme/%2e%2E/evil", "acme/..%2fevil", "acme/.%2e",
        "acme/./app",
        "acme/..\\evil", "acme/..",
      ] {
        try expect(keychain.answeredSecret(.internet(path: ByteString(path))), is: nil, "\(path)")
      }
      for path in ["acme/..app", "acme/app..", "acme/...", "acme/a%2eb", "acme/app.git"] {
        try expect(keychain.answeredSecret(.internet(path: ByteString(path))), is: "x", "\(path)")
      }
    }

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
