import Expectations
import Keychain
import TestSupport
import Testing

/// The stored credential, the saved one, and the result.
struct MergeRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let before: RevealedCredential
  let saved: RevealedCredential
  let expiringBy: Int64?
  let outcome: SaveOutcome
  let after: RevealedCredential

  init(
    _ description: String, _ before: RevealedCredential, _ saved: RevealedCredential, by: Int64? = nil,
    _ outcome: SaveOutcome, _ after: RevealedCredential
  ) {
    testDescription = description
    self.before = before
    self.saved = saved
    expiringBy = by
    self.outcome = outcome
    self.after = after
  }

  private typealias Part = RevealedCredential
  private static let soon = SettableClock.start.seconds + 60
  private static let late = SettableClock.start.seconds + 3600

  static let all = [
    MergeRow(
      "an expiry that is not given stays", Part("x", expiry: late), Part("x"), .unchanged,
      Part("x", expiry: late)),
    MergeRow(
      "an expiry that is given is set", Part("x"), Part("x", expiry: late), .updated, Part("x", expiry: late)),
    MergeRow(
      "a later expiry is taken", Part("x", expiry: soon), Part("x", expiry: late), .updated,
      Part("x", expiry: late)),
    MergeRow(
      "an earlier expiry is taken", Part("x", expiry: late), Part("x", expiry: soon), .updated,
      Part("x", expiry: soon)),
    MergeRow(
      "the same expiry writes nothing", Part("x", expiry: late), Part("x", expiry: late), .unchanged,
      Part("x", expiry: late)),
    MergeRow(
      "a refresh token that is not given stays", Part("x", refreshToken: "r"), Part("x"), .unchanged,
      Part("x", refreshToken: "r")),
    MergeRow(
      "a refresh token that is given is set", Part("x"), Part("x", refreshToken: "r"), .updated,
      Part("x", refreshToken: "r")),
    MergeRow(
      "a refresh token that is given is replaced", Part("x", expiry: late, refreshToken: "r"),
      Part("x", refreshToken: "s"), .updated, Part("x", expiry: late, refreshToken: "s")),
    MergeRow(
      "an expiry alone keeps the refresh token", Part("x", refreshToken: "r"), Part("x", expiry: late),
      .updated,
      Part("x", expiry: late, refreshToken: "r")),
    MergeRow(
      "a new secret drops expiry and refresh token", Part("x", expiry: late, refreshToken: "r"), Part("y"),
      .updated,
      Part("y")),
    MergeRow(
      "a new secret brings its own", Part("x", expiry: late, refreshToken: "r"),
      Part("y", expiry: soon, refreshToken: "s"), .updated, Part("y", expiry: soon, refreshToken: "s")),
    MergeRow(
      "a limit is put on what has none", Part("x"), Part("x"), by: soon, .updated, Part("x", expiry: soon)),
    MergeRow(
      "a limit is put before a later expiry", Part("x", expiry: late), Part("x"), by: soon, .updated,
      Part("x", expiry: soon)),
    MergeRow(
      "a limit never puts an expiry off", Part("x", expiry: soon), Part("x"), by: late, .unchanged,
      Part("x", expiry: soon)),
    MergeRow(
      "a limit bounds an expiry that is given", Part("x", expiry: soon), Part("x", expiry: late + 1),
      by: late,
      .updated, Part("x", expiry: late)),
    MergeRow(
      "a limit is put on a new secret", Part("x", expiry: soon), Part("y"), by: late, .updated,
      Part("y", expiry: late)),
    MergeRow(
      "a new secret's earlier expiry counts", Part("x"), Part("y", expiry: soon), by: late, .updated,
      Part("y", expiry: soon)),
    MergeRow(
      "a ready-made credential is merged alike", Part("x", refreshToken: "r", scheme: "Bearer"),
      Part("x", expiry: late, scheme: "Bearer"), .updated,
      Part("x", expiry: late, refreshToken: "r", scheme: "Bearer")),
  ]
}

extension ConformanceTests.Saving {
  @Test("expiry and refresh token are merged", arguments: KeychainUnderTest.all, MergeRow.all)
  func merge(kind: KeychainUnderTest, row: MergeRow) throws {
    let fresh = kind.make()
    let item = try fresh.keychain.add(.internet(account: "alice"), row.before.credential())
    let writes = fresh.writes
    let outcome = try fresh.keychain.save(
      .internet(account: "alice"), row.saved.credential(), expiringBy: row.expiringBy, at: Self.now)
    expect(outcome, is: row.outcome)
    try expect(fresh.reopened.credential(of: item).revealed, is: row.after)
    try expect(fresh.reopened.items(matching: .all).count, is: 1)
    expect(fresh.writes, is: writes.map { $0 + (row.outcome == .unchanged ? 0 : 1) })
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
