import Expectations
import Keychain
import TestSupport
import Testing

@testable import Commands

@Suite("patterns") struct GlobPatternTests {
  @Test(
    "a pattern stands for whole texts",
    arguments: [
      ("github.com", "github.com"), ("*", ""), ("*", "anything"), ("git*", "git"), ("*.com", "a.b.com"),
      ("git???.com", "github.com"), ("?", "é"), ("??", "漢🔑"),
      ("[a-c]x", "bx"), ("[!a-c]x", "dx"),

      ("[^a-c]x", "dx"),
      ("[]]", "]"), ("[]-]", "-"), ("[!]]", "a"), ("[a-]", "-"), ("[-a]", "-"), ("[\\]x]", "]"),

      ("[é-ü]", "ö"),
      ("\\*", "*"), ("\\?", "?"), ("\\[a]", "[a]"), ("\\\\", "\\"), ("a\\", "a\\"), ("[ab", "[ab"),
      ("[", "["),
      ("[!", "[!"), ("a[", "a["), ("[a\\", "[a\\"), ("**a**", "xay"), ("*a*b*c", "abacbcc"), ("", ""),
    ])
  func stands(pattern: String, text: String) {
    expect(GlobPattern(pattern).matches(ByteString(text)))
  }

  @Test(
    "a pattern stands for nothing else",
    arguments: [
      ("github.com", "github.com.evil"), ("github.com", "www.github.com"), ("git*", "agit"), ("*.com", "com"),
      ("?", ""), ("?", "ab"), ("[a-c]", "d"), ("[!a-c]", "b"), ("[c-a]", "b"), ("\\*", "a"), ("[ab", "a"),
      ("GitHub", "github"), ("", "a"), ("[]", "]"), ("[a]", ""), ("é", "e"),
    ])
  func standsForNothingElse(pattern: String, text: String) {
    expect(!GlobPattern(pattern).matches(ByteString(text)))
  }

  @Test(
    "capital and small letters are the same where case is not regarded",
    arguments: [("GitHub.*", "gITHUB.com"), ("[A-C]", "b"), ("[a-c]", "B"), ("[Z-a]", "A"), ("[!a]", "b")])
  func ignoresCase(pattern: String, text: String) {
    expect(GlobPattern(pattern, ignoringCase: true).matches(ByteString(text)))
  }

  @Test("a set's complement does not let the other case through")
  func complementIgnoresCase() {
    expect(!GlobPattern("[!a-c]", ignoringCase: true).matches("B"))
    expect(GlobPattern("[!a-c]").matches("B"))
    expect(!GlobPattern("É", ignoringCase: true).matches("é"))
  }

  @Test("a byte that is not UTF-8 is a character that no pattern names")
  func invalidBytes() {
    let text = ByteString([0x61, 0xff, 0xe6, 0xbc, 0x62])
    expect(GlobPattern("a???b").matches(text))
    expect(GlobPattern("a*b").matches(text))
    expect(GlobPattern("a[!x][!x][!x]b").matches(text))
    expect(!GlobPattern("a\u{fffd}*b").matches(text))
    expect(!GlobPattern("aÿ*b").matches(text))
  }

  @Test("the answer is that of a plain definition")
  func agreesWithDefinition() {
    var numbers = SeededGenerator(seed: 20)
    for _ in 0..<(isLongForm ? 50_000 : 5000) {
      let pattern = String(
        (0..<numbers.number(in: 0..<8)).map { _ in numbers.pick(Array("ab*?*[]!-\\A")) })
      let text = (0..<numbers.number(in: 0..<8)).map { _ in numbers.pick(Array("abA]-*\\[".utf8)) }
      let ignoresCase = numbers.number(in: 0..<2) == 0
      expect(
        GlobPattern(pattern, ignoringCase: ignoresCase).matches(ByteString(text)),
        is: definition(Array(pattern.utf8)[...], text[...], ignoresCase),
        "\(pattern) \(String(decoding: text, as: UTF8.self))")
    }
  }

  @Test("many stars take no longer than their number says")
  func manyStars() {
    let pattern = GlobPattern(String(repeating: "*a", count: 500) + "*b")
    let clock = ContinuousClock()
    let time = clock.measure {
      expect(!pattern.matches(ByteString([UInt8](repeating: 0x61, count: 5000))))
    }
    expect(time < .seconds(20))
  }

  /// The definition of matching, written out: the first element takes a part, and the others take the rest.
  private func definition(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>, _ ignoresCase: Bool)
    -> Bool
  {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    func same(_ left: UInt8, _ right: UInt8) -> Bool {
      left == right || ignoresCase && ByteString([left]).lowercased == ByteString([right]).lowercased
    }
    func one(_ rest: ArraySlice<UInt8>, _ takes: (UInt8) -> Bool) -> Bool {
      guard let byte = text.first, takes(byte) else { return false }
      return definition(rest, text.dropFirst(), ignoresCase)
    }
    switch first {
    case UInt8(ascii: "*"):
      return (text.startIndex...text.endIndex).contains { definition(rest, text[$0...], ignoresCase) }
    case UInt8(ascii: "?"): return one(rest) { _ in true }
    case UInt8(ascii: "\\"):
      guard let next = rest.first else { return one(rest) { same($0, first) } }
      return one(rest.dropFirst()) { same($0, next) }
    case UInt8(ascii: "["):
      guard let (members, isComplement, end) = set(rest) else { return one(rest) { same($0, first) } }
      return one(pattern[end...]) { byte in members.contains { same($0, byte) } != isComplement }
    default: return one(rest) { same($0, first) }
    }
  }

  private func set(_ pattern: ArraySlice<UInt8>) -> (members: Set<UInt8>, isComplement: Bool, end: Int)? {
    var next = pattern.startIndex
    var members: Set<UInt8> = []
    var isComplement = false
    if next < pattern.endIndex, pattern[next] == UInt8(ascii: "!") {
      isComplement = true
      next += 1
    }
    // Each byte, with whether it was escaped with a backslash.
    var written: [(byte: UInt8, isQuoted: Bool)] = []
    while true {
      guard next < pattern.endIndex else { return nil }
      if pattern[next] == UInt8(ascii: "\\") {
        guard next + 1 < pattern.endIndex else { return nil }
        written.append((pattern[next + 1], true))
        next += 2
        continue
      }
      if pattern[next] == UInt8(ascii: "]"), !written.isEmpty { break }
      written.append((pattern[next], false))
      next += 1
    }
    var index = 0
    while index < written.count {
      let lower = written[index].byte
      if index + 2 < written.count, written[index + 1] == (UInt8(ascii: "-"), false) {
        let upper = written[index + 2].byte
        if lower <= upper { members.formUnion(lower...upper) }
        index += 3
      } else {
        members.insert(lower)
        index += 1
      }
    }
    return (members, isComplement, next + 1)
  }
}
