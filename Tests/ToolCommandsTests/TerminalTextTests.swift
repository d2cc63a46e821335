import Expectations
import Testing

@testable import ToolCommands

@Suite("text for a terminal") struct TerminalTextTests {
  @Test(
    "what could drive the terminal or reorder its text is shown instead",
    arguments: [
      ("\u{1b}[2J", "\\u{1b}[2J"), ("a\nb\tc\r", "a\\u{a}b\\u{9}c\\u{d}"),
      ("\u{7f}\u{85}\u{9b}", "\\u{7f}\\u{85}\\u{9b}"),
      ("\u{202e}cba", "\\u{202e}cba"),
      ("\u{2066}\u{2069}\u{61c}\u{2028}", "\\u{2066}\\u{2069}\\u{61c}\\u{2028}"),
      ("é漢🔑 plain", "é漢🔑 plain"), ("\r\n", "\\u{d}\\u{a}"), ("", ""),
    ])
  func escapes(text: String, shown: String) {
    expect(terminalText(text), is: shown)
  }

  @Test("nothing that can't be seen is printed")
  func invisible() {
    let ranges: [ClosedRange<UInt32>] = [
      // C0, DEL and C1
      0...0x1f, 0x7f...0x9f,
      // Writing directions
      0x61c...0x61c, 0x200e...0x200f, 0x202a...0x202e, 0x2066...0x2069,
      // Line and paragraph ends
      0x2028...0x2029,
      // Characters without width
      0xad...0xad, 0x34f...0x34f, 0x180e...0x180e, 0x200b...0x200d, 0x2060...0x2064, 0xfeff...0xfeff,
      // Fillers, annotations and tags
      0x115f...0x1160, 0x3164...0x3164, 0xffa0...0xffa0, 0xfff9...0xfffb, 0xe0000...0xe007f,
    ]
    for value in ranges.joined() {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = "a" + String(scalar) + "b"
      expect(terminalText(text), is: "a\\u{\(String(value, radix: 16))}b")
    }
    for text in ["Ünïcödé", "日本語", "العربية", "👍🏽", "❤️", "a b", "½ – “x”", "ไทย"] {
      expect(terminalText(text), is: text)
    }
  }
}
