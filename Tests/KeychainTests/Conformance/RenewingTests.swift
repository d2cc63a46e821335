import Expectations
import Keychain
import TestSupport
import Testing

extension ConformanceTests {
  @Suite("renewing what has expired") struct Renewing {
    private static let now = SettableClock.start.seconds

    /// The result of a query: the account of the item, and the secret or the refresh token.
    private struct Found: Equatable, CustomStringConvertible {
      var account: ByteString?
      var secret: ByteString?
      var refreshToken: ByteString?
      var expiry: Int64?

      var description: String { "\(account as Any) \(secret as Any) \(refreshToken as Any) \(expiry as Any)" }
    }

    private func find(
      _ keychain: any KeychainStore, account: ByteString? = nil, path: ByteString? = nil,
      where isUsable: (Item, borrowing Credential) -> Bool = { $1.authenticationScheme == nil }
    ) throws -> Found? {
      let query = try ItemQuery.internet(account: account, path: path)
      switch try keychain.answerOrRenewal(to: query, at: SettableClock.start, where: isUsable) {
      case .none: return nil
      case .answer(let answer):
        return Found(
          account: answer.item.key.account, secret: ByteString(answer.credential.secret.revealed),
          refreshToken: answer.credential.revealed.refreshToken, expiry: answer.credential.expiry)
      case .renewal(let renewal):
        return Found(
          account: renewal.item.key.account, refreshToken: ByteString(renewal.refreshToken.revealed),
          expiry: renewal.expiry)
      }
    }

    @Test(
      "an expired item gives its refresh token and no secret",
      arguments: KeychainUnderTest.givingRefreshTokens)
    func expired(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice"), .text("x", expiry: Self.now, refreshToken: "r"))
      let before = try fresh.keychain.everything()
      try expect(find(fresh.keychain), is: Found(account: "alice", refreshToken: "r", expiry: Self.now))
      try expect(find(fresh.keychain, account: "alice") != nil)
      try expect(find(fresh.keychain, account: "bob"), is: nil)
      try expect(fresh.keychain.answeredSecret(.internet()), is: nil)
      try expect(fresh.reopened.everything(), is: before)
    }

    @Test("without a refresh token, or with an empty one, it gives nothing", arguments: KeychainUnderTest.all)
    func nothingToRenew(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      try keychain.add(.internet(account: "alice"), .text("x", expiry: 1))
      try keychain.add(.internet(account: "bob"), .text("x", expiry: 1, refreshToken: ""))
      try expect(find(keychain), is: nil)
    }

    @Test(
      "what is valid goes before what could be renewed",
      arguments: KeychainUnderTest.givingRefreshTokens)
    func validWins(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "valid"), "x")
      fresh.clock.advance(seconds: 1)
      try fresh.keychain.add(
        .internet(account: "expired", path: "acme"), .text("y", expiry: 1, refreshToken: "r"))
      try expect(fresh.keychain.foundAccounts(.internet(path: "acme/app")), is: ["expired", "valid"])
      try expect(find(fresh.keychain, path: "acme/app"), is: Found(account: "valid", secret: "x"))
      try expect(
        find(fresh.keychain, account: "expired", path: "acme/app"),
        is: Found(account: "expired", refreshToken: "r", expiry: 1))
    }

    @Test("of several that could be renewed the best is", arguments: KeychainUnderTest.givingRefreshTokens)
    func best(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "a", path: "acme"), .text("x", expiry: 1, refreshToken: "1"))
      fresh.clock.advance(seconds: 1)
      try fresh.keychain.add(.internet(account: "b"), .text("x", expiry: 1, refreshToken: "2"))
      fresh.clock.advance(seconds: 1)
      try fresh.keychain.add(.internet(account: "c"), .text("x", expiry: 1))
      try expect(find(fresh.keychain)?.account, is: "b")
      try expect(find(fresh.keychain, path: "acme/app")?.account, is: "a")
    }

    @Test("only what can be used is renewed", arguments: KeychainUnderTest.givingRefreshTokens)
    func usable(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      try keychain.add(
        .internet(account: "bot"), .text("t", expiry: 1, refreshToken: "r", scheme: "Bearer"))
      try expect(find(keychain), is: nil)
      try expect(
        find(keychain, where: { _, _ in true }), is: Found(account: "bot", refreshToken: "r", expiry: 1))
    }

    @Test("the renewed secret takes the place of the expired one", arguments: KeychainUnderTest.all)
    func saved(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let item = Item.internet(account: "alice")
      try fresh.keychain.add(item, .text("old", expiry: 1, refreshToken: "r"))
      let outcome = try fresh.keychain.save(
        item, .text("new", expiry: Self.now + 60, refreshToken: "s"), at: SettableClock.start)
      expect(outcome, is: .updated)
      try expect(
        fresh.reopened.everything().map(\.credential),
        is: [RevealedCredential("new", expiry: Self.now + 60, refreshToken: "s")])
    }
  }
}
