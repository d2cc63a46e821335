import Bytes
import Expectations
import Testing

@Suite("durations") struct DurationTextTests {
  @Test("a number and a unit are so many seconds")
  func seconds() {
    let good = [("90s", 90), ("15m", 900), ("8h", 28_800), ("2d", 172_800), ("0d", 0), ("007s", 7)]
    for (text, seconds) in good { expect(DurationText.seconds(text, upTo: 172_800), is: seconds) }
    expect(DurationText.seconds("6w", upTo: .max, hasWeeks: true), is: 3_628_800)
  }

  @Test("anything else is none, and neither is a longer one")
  func others() {
    for text in ["", "s", "1", "1 h", "-1h", "+1h", "1.5h", "h1", "1hh", "1w", "1y", "١h", "9999999999999s"] {
      expect(DurationText.seconds(text, upTo: .max), is: nil, "\(text)")
    }
    expect(DurationText.seconds("2d", upTo: 172_799), is: nil)
    expect(DurationText.seconds("999999999999w", upTo: .max, hasWeeks: true), is: 999_999_999_999 * 604_800)
  }

  @Test(
    "a duration is rounded as people say it",
    arguments: [
      (-5, "0 s"), (0, "0 s"), (59, "59 s"), (60, "1 min"), (90, "1 min 30 s"), (119, "1 min 59 s"),
      (149, "2 min"), (150, "3 min"), (899, "15 min"),
      (860, "14 min"), (3599, "1 h"), (7139, "1 h 59 min"), (7199, "2 h"), (28_799, "8 h"),
      (28_650, "8 h"), (28_649, "7 h 55 min"), (86_399, "1 d"), (104_399, "1 d 5 h"), (172_799, "2 d"),
      (Int.max, "106751991167300 d 15 h"),
    ])
  func words(seconds: Int, text: String) {
    expect(DurationText.text(seconds), is: text)
  }
}
