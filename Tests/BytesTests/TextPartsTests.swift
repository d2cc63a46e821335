import Bytes
import Expectations
import TestSupport
import Testing

@Suite struct TextPartsTests {
  @Test(arguments: [
    ("abcabc", "b", "x", "axcaxc"), ("aaaa", "aa", "b", "bb"), ("aaa", "aa", "b", "ba"),
    ("abc", "abc", "", ""),
    ("abc", "abcd", "x", "abc"), ("", "a", "x", ""), ("a\"b", "\"", "\\\"", "a\\\"b"),
    ("línea ä", "ä", "ae", "línea ae"), ("a\r\nb", "\n", "", "a\rb"),
    ("x\u{0}y", "\u{0}", "\u{fffd}", "x\u{fffd}y"),
  ])
  func `Each part is replaced, and what replaces it isn't looked at`(
    _ text: String, _ part: String, _ other: String, _ result: String
  ) {
    expect(Array(text.replacingPart(part, with: other).utf8), is: Array(result.utf8))
    expect(text.hasPart(part), is: text.utf8.count != result.utf8.count || text != result)
  }

  @Test func `A part is found where the standard library finds it among bytes`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<rounds(2000) {
      func some(_ most: Int) -> String {
        String(
          decoding: (0..<Int.random(in: 0...most, using: &generator)).map { _ in UInt8.random(in: 97...98) },
          as: UTF8.self)
      }
      let (text, part) = (some(9), some(3))
      let range = text.dropFirst(0).rangeOfPart(part)
      let start = range.map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) }
      expect(range.map { text[$0] }, is: start == nil ? nil : part[...], "\(part) in \(text)")
      let bytes = Array(text.utf8)
      let first = bytes.indices.first { bytes[$0...].starts(with: part.utf8) }
      expect(start, is: part.isEmpty ? 0 : first, "\(part) in \(text)")
    }
  }

  @Test func `What only looks the same is another part`() {
    expect(!"e\u{301}".hasPart("\u{e9}"))
    expect("\u{e9}x".hasPart("") && "".hasPart("") && !"".hasPart("x"))
    expect("a\u{1F468}\u{200D}\u{1F469}b".hasPart("\u{200D}"))
  }
}
