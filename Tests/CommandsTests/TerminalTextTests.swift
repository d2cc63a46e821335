import Testing

@testable import Commands

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
    #expect(terminalText(text) == shown)
  }

  @Test("columns are as wide as their longest cell, without space at the end")
  func table() {
    #expect(
      columns([["A", "B", ""], ["long", "b", "x"], ["", "longer", ""]])
        == "A     B\nlong  b       x\n      longer\n")
    #expect(columns([]) == "")
  }
}
