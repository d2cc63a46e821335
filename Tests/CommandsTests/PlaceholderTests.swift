import Expectations
import Testing

/// Transcripts have placeholders for what differs between runs.
@Suite struct PlaceholderTests {
  @Test(
    "names end where their files' suffix begins, whatever their last character",
    arguments: [
      ("slots/69e14df188a22dfa.age", "slots/{SLOT}.age"), ("slots/69e14df188a22df0.age", "slots/{SLOT}.age"),
      ("slot 69e14df188a22dfa: it", "slot {SLOT}: it"), ("x69e14df188a22dfa", "x69e14df188a22dfa"),
      ("12-0123abcd.age.bak", "12-{MAC}.age.bak"), ("unmerged-0123abcd.age.bak", "unmerged-{NUMBER}.age.bak"),
    ])
  func namesOfFiles(text: String, expected: String) {
    expect(Placeholders.replacingVariable(text, home: "/h", bin: "/b"), is: expected)
  }
}
