import Expectations
import Keychain
import Testing
import ToolCommands

@testable import Commands

@Suite("expiry as people write it") struct ExpiryTextTests {
  /// 2026-11-21T08:30:00Z
  private static let now = Timestamp(seconds: 1_795_249_800)

  @Test(
    "dates, moments and times from now are understood",
    arguments: [
      ("2027-01-31", "2027-01-31T00:00:00Z"), ("2027-01-31T12:34:56Z", "2027-01-31T12:34:56Z"),
      ("2027-01-31t12:34:56z", "2027-01-31T12:34:56Z"), ("2027-01-31 12:34:56Z", "2027-01-31T12:34:56Z"),
      ("2027-01-31T12:34:56.987654321Z", "2027-01-31T12:34:56Z"),
      ("2027-01-31T00:30:00+02:00", "2027-01-30T22:30:00Z"),
      ("2027-01-31T23:30:00-01:45", "2027-02-01T01:15:00Z"),
      ("2028-12-31T22:59:60-01:00", "2028-12-31T23:59:59Z"),
      ("2028-02-29", "2028-02-29T00:00:00Z"), ("90s", "2026-11-21T08:31:30Z"),
      ("30m", "2026-11-21T09:00:00Z"),
      ("12h", "2026-11-21T20:30:00Z"), ("30d", "2026-12-21T08:30:00Z"), ("1w", "2026-11-28T08:30:00Z"),
    ])
  func understood(text: String, moment: String) throws {
    let expected = try #require(Timestamp(rfc3339: Array(moment.utf8)))
    try expect(ExpiryText.expiry(text, at: Self.now), is: expected.seconds)
  }

  @Test("never is no expiry")
  func never() throws {
    try expect(ExpiryText.expiry("never", at: Self.now), is: nil)
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "tomorrow", "30", "d", "-1d", "1.5h", "1y", "١d", "2027-02-29", "2027-13-01", "2027-1-31",
      "27-01-31",
      "2027-01-31T12:00:00", "2027-01-31T24:00:00Z", "2027-01-31T12:00:00.Z", "2027-01-31T12:00:00+2:00",
      "2027-01-31T12:00:00+24:00", "2027-01-31T12:00:00+02:60", "2027-01-31T12:00:00Zx", "2027/01/31",
      "999999999999999999d", "36501d", "1d ", " 1d", "NEVER",
    ])
  func refused(text: String) {
    #expect(throws: KeychainError.self) { try ExpiryText.expiry(text, at: Self.now) }
  }

  @Test("what has passed is refused", arguments: ["2026-11-21", "2026-11-21T08:30:00Z", "0s", "1999-12-31"])
  func passed(text: String) {
    let failure = #expect(throws: KeychainError.self) { try ExpiryText.expiry(text, at: Self.now) }
    expect(failure?.status, is: .usage)
    expect(failure?.message.contains("has passed already"), is: true)
  }
}
