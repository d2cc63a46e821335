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
      #expect(try find(fresh.keychain) == Found(account: "alice", refreshToken: "r", expiry: Self.now))
      #expect(try find(fresh.keychain, account: "alice") != nil)
      #expect(try find(fresh.keychain, account: "bob") == nil)
      #expect(try fresh.keychain.answeredSecret(.internet()) == nil)
      #expect(try fresh.reopened.everything() == before)
    }

    @Test("without a refresh token, or with an empty one, it gives nothing", arguments: KeychainUnderTest.all)
    func nothingToRenew(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      try keychain.add(.internet(account: "alice"), .text("x", expiry: 1))
      try keychain.add(.internet(account: "bob"), .text("x", expiry: 1, refreshToken: ""))
      #expect(try find(keychain) == nil)
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
      #expect(try fresh.keychain.foundAccounts(.internet(path: "acme/app")) == ["expired", "valid"])
      #expect(try find(fresh.keychain, path: "acme/app") == Found(account: "valid", secret: "x"))
      #expect(
        try find(fresh.keychain, account: "expired", path: "acme/app")
          == Found(account: "expired", refreshToken: "r", expiry: 1))
    }

    @Test("of several that could be renewed the best is", arguments: KeychainUnderTest.givingRefreshTokens)
    func best(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "a", path: "acme"), .text("x", expiry: 1, refreshToken: "1"))
      fresh.clock.advance(seconds: 1)
      try fresh.keychain.add(.internet(account: "b"), .text("x", expiry: 1, refreshToken: "2"))
      fresh.clock.advance(seconds: 1)
      try fresh.keychain.add(.internet(account: "c"), .text("x", expiry: 1))
      #expect(try find(fresh.keychain)?.account == "b")
      #expect(try find(fresh.keychain, path: "acme/app")?.account == "a")
    }

    @Test("only what can be used is renewed", arguments: KeychainUnderTest.givingRefreshTokens)
    func usable(kind: KeychainUnderTest) throws {
      let keychain = kind.make().keychain
      try keychain.add(
        .internet(account: "bot"), .text("t", expiry: 1, refreshToken: "r", scheme: "Bearer"))
      #expect(try find(keychain) == nil)
      #expect(
        try find(keychain, where: { _, _ in true }) == Found(account: "bot", refreshToken: "r", expiry: 1))
    }

    @Test("the renewed secret takes the place of the expired one", arguments: KeychainUnderTest.all)
    func saved(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      let item = Item.internet(account: "alice")
      try fresh.keychain.add(item, .text("old", expiry: 1, refreshToken: "r"))
      let outcome = try fresh.keychain.save(
        item, .text("new", expiry: Self.now + 60, refreshToken: "s"), at: SettableClock.start)
      #expect(outcome == .updated)
      #expect(
        try fresh.reopened.everything().map(\.credential)
          == [RevealedCredential("new", expiry: Self.now + 60, refreshToken: "s")])
    }

    @Test("an expired secret is erased by its value", arguments: KeychainUnderTest.all)
    func erased(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice"), .text("old", expiry: 1))
      #expect(try fresh.keychain.erase(.internet(account: "alice"), holding: Secret("refused")) == 0)
      #expect(try fresh.keychain.erase(.internet(account: "alice"), holding: Secret("old")) == 1)
      #expect(try fresh.reopened.everything().isEmpty)
    }

    @Test("one that can be renewed stays", arguments: KeychainUnderTest.givingRefreshTokens)
    func erasedRenewable(kind: KeychainUnderTest) throws {
      let fresh = kind.make()
      try fresh.keychain.add(.internet(account: "alice"), .text("old", expiry: 1, refreshToken: "r"))
      #expect(try fresh.keychain.erase(.internet(account: "alice"), holding: Secret("old")) == 1)
      #expect(
        try fresh.reopened.everything().map(\.credential) == [
          RevealedCredential("old", expiry: 1, refreshToken: "r")
        ])
    }
  }
}
