import Bytes
import Expectations
import Testing

@Suite("escapes of a mark and two digits") struct EscapesTests {
  @Test("a text for one line has no control characters, and no spaces where they separate")
  func lines() {
    expect(PercentEncoding.line("a b\n100 %\u{7f}é"), is: "a b%0A100 %25%7Fé")
    expect(PercentEncoding.line("a b\n", hasNoSpaces: true, isCapital: false), is: "a%20b%0a")
  }

  @Test(
    "text that is no escape stands for itself",
    arguments: [
      ("a_20b", "a b"), ("_5F", "_"), ("_2", "_2"), ("a_+f", "a_+f"), ("_g0_41", "_g0A"), ("__41", "_A"),
    ])
  func lenient(text: String, expected: String) {
    let decoded = PercentEncoding.decodedEscapes(in: text.utf8, mark: UInt8(ascii: "_"))
    expect(decoded, is: Array(expected.utf8))
  }

  @Test("wildcards match as in OpenSSH, and take no exponential time")
  func wildcards() {
    func matches(_ pattern: String, _ text: String) -> Bool {
      WildcardPattern.matches(Array(pattern.utf8), Array(text.utf8))
    }
    for (pattern, text) in [
      ("*", ""), ("*", "a.b"), ("a*c", "abbc"), ("a?c", "abc"), ("a?c*", "abc"), ("", ""), ("*.b", "a.b"),
      ("*.b", "x.a.b"), ("*.b", ".b"), ("*.a.*.b", "x.a.a.y.b"), ("**a**", "bab"),
    ] { expect(matches(pattern, text), "\(pattern) \(text)") }
    for (pattern, text) in [
      ("a?c", "ac"), ("", "a"), ("a*c", "abcd"), ("?", ""), ("*?", ""), ("*.b", "a.b.c"),
      (String(repeating: "a*", count: 200) + "b", String(repeating: "a", count: 2000)),
    ] { expect(!matches(pattern, text), "\(pattern) \(text)") }
  }
}
