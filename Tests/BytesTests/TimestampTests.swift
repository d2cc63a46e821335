import Bytes
import Expectations
import Foundation
import TestSupport
import Testing

@Suite("a timestamp") struct TimestampTests {
  private func read(_ text: String) -> Timestamp? { Timestamp(rfc3339: text.utf8) }

  @Test(
    "moments are written and read",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (951_868_799_999, "2000-02-29T23:59:59.999Z"),
      (951_868_800_000, "2000-03-01T00:00:00.000Z"),
      (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
      (1_795_249_800_125, "2026-11-21T08:30:00.125Z"),
      (2_147_483_648_000, "2038-01-19T03:14:08.000Z"),
      (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
      (-62_162_035_200_001, "0000-02-29T23:59:59.999Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func table(milliseconds: Int64, text: String) {
    expect(Timestamp(milliseconds: milliseconds).description, is: text)
    expect(read(text)?.milliseconds, is: milliseconds)
  }

  @Test("random moments are read as they were written, and as Foundation reads them")
  func random() throws {
    var generator = SeededGenerator(seed: 1)
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    for round in 0..<rounds(20_000) {
      let milliseconds = Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &generator)
      let text = Timestamp(milliseconds: milliseconds).description
      try #require(read(text)?.milliseconds == milliseconds, "\(text)")
      // Foundation uses the Julian calendar before 1582.
      if round % 20 == 0, milliseconds > -12_000_000_000_000 {
        let seconds = try style.parse(text).timeIntervalSince1970
        expect(Int64((seconds * 1000).rounded()), is: milliseconds, "\(text)")
      }
    }
  }

  @Test("every day of four centuries follows the one before")
  func everyDay() throws {
    var previous = ""
    for day in 0..<146_097 as Range<Int64> {
      let text = Timestamp(milliseconds: (day - 25_567) * 86_400_000).description
      try #require(text > previous)
      try #require(read(text)?.milliseconds == (day - 25_567) * 86_400_000)
      previous = text
    }
  }

  @Test(
    "the other forms of RFC 3339 are read: offsets, fractions, small letters, leap seconds",
    arguments: [
      ("2026-11-21T08:30:00Z", 1_795_249_800_000), ("2026-11-21T08:30:00+00:00", 1_795_249_800_000),
      ("2026-11-21T10:30:00+02:00", 1_795_249_800_000),
      ("2026-11-21T00:00:00.125-08:30", 1_795_249_800_125), ("2026-11-21T08:30:00-00:00", 1_795_249_800_000),
      ("2026-11-21t08:30:00z", 1_795_249_800_000), ("2026-11-21T08:30:00.1Z", 1_795_249_800_100),
      ("2026-11-21T08:30:00.1259999Z", 1_795_249_800_125), ("1985-04-12T23:20:50.52Z", 482_196_050_520),
      ("1996-12-19T16:39:57-08:00", 851_042_397_000), ("1937-01-01T12:00:27.87+00:20", -1_041_337_172_130),
      // A second that isn't counted is the one before.
      ("1990-12-31T23:59:60Z", 662_687_999_000), ("1990-12-31T15:59:60-08:00", 662_687_999_000),
    ] as [(String, Int64)])
  func otherForms(text: String, milliseconds: Int64) {
    expect(read(text)?.milliseconds, is: milliseconds)
  }

  @Test("a moment is the same at every offset")
  func offsets() throws {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<rounds(2000) {
      let utc = Int64.random(in: -62_000_000_000...253_000_000_000, using: &generator) * 1000
      let minutes = Int64.random(in: -1439...1439, using: &generator)
      let local = Timestamp(milliseconds: utc + minutes * 60_000).description.dropLast()
      func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + "\(number)" }
      let (hours, rest) = abs(minutes).quotientAndRemainder(dividingBy: 60)
      let text = "\(local)\(minutes < 0 ? "-" : "+")\(two(hours)):\(two(rest))"
      try #require(read(text)?.milliseconds == utc, "\(text)")
    }
  }

  @Test(
    "moments beyond the calendar are shown as the nearest",
    arguments: [
      (.min, "0000-01-01T00:00:00.000Z"), (-62_167_219_200_001, "0000-01-01T00:00:00.000Z"),
      (.max, "9999-12-31T23:59:59.999Z"), (253_402_300_800_000, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func beyond(milliseconds: Int64, shown: String) {
    expect(Timestamp(milliseconds: milliseconds).description, is: shown)
  }

  @Test(
    "other forms are refused",
    arguments: [
      "", "Z", "2026-11-21", "2026-11-21T08:30:00", "2026-11-21 08:30:00Z", "2026-11-21T08:30:00.Z",
      "2026-11-21T08:30:00,125Z", "2026-11-21T08:30:00+0200", "2026-11-21T08:30:00+02",
      "2026-11-21T08:30:00+24:00",
      "2026-11-21T08:30:00+02:60", "2026-11-21T08:30:00+02:00Z", "2026-11-21T08:30:00.1",
      "2026-11-21T08:30:00−02:00",
      "2026-00-21T08:30:00Z", "2026-13-21T08:30:00Z", "2026-11-00T08:30:00Z", "2026-11-32T08:30:00Z",
      "2026-11-21T24:00:00Z", "2026-11-21T08:60:00Z", "2026-11-21T08:30:60Z", "2026-11-21T23:59:60+02:00",
      "2026-11-21T08:30:61Z", "-026-11-21T08:30:00Z",
      "2026-11-21T08:30:00.+12Z", "２026-11-21T08:30:00Z", "2026-11-21T08:30:0 Z",
      // Days that no month has.
      "2026-02-29T00:00:00Z", "2026-02-30T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
      "2026-11-31T00:00:00.000Z",
    ])
  func refused(text: String) {
    expect(read(text), is: nil)
  }

  @Test("seconds are rounded down")
  func seconds() {
    let moments: [Int64] = [1999, 0, -1, -1000, -1001]
    expect(moments.map { Timestamp(milliseconds: $0).seconds }, is: [1, 0, -1, -1, -2])
  }

  @Test("seconds that do not fit are taken for the nearest that do")
  func hugeSeconds() {
    expect(Timestamp(seconds: .max).milliseconds, is: .max)
    expect(Timestamp(seconds: .min).milliseconds, is: .min)
    expect(Timestamp(seconds: .max).seconds, is: Int64.max / 1000)
  }

  @Test("the first moment of all has seconds", .aheadOfOthers)
  func firstMoment() async {
    await #expect(processExitsWith: .success) {
      precondition(Timestamp(seconds: .min).seconds == Int64.min / 1000 - 1)
    }
  }

  @Test("now is now")
  func now() {
    let before = Date().timeIntervalSince1970
    let now = Timestamp.now
    expect(abs(Double(now.milliseconds) / 1000 - before) < 60)
    expect(Timestamp(milliseconds: 1) < Timestamp(milliseconds: 2))
  }
}
