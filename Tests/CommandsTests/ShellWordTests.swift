import Expectations
import TestSupport
import Testing

@testable import Commands

@Suite("words of a command line") struct ShellWordTests {
  @Test(
    "quotes and backslashes go",
    arguments: [
      ("a b", ["a", "b"]), ("a ", ["a", ""]), ("", [""]), ("  a", ["a"]), (#"'a b' "c d""#, ["a b", "c d"]),
      (#"a\ b"#, ["a b"]), (#""a\$b\c""#, [#"a$b\c"#]), (#"'a\b'"#, [#"a\b"#]), (#"a'b'"c""#, ["abc"]),
      ("'' x", ["", "x"]),
      (#""a b"#, ["a b"]), ("'a b", ["a b"]), ("a\tb\nc", ["a", "b", "c"]), (#"a\"#, ["a"]),
    ])
  func words(line: String, words: [String]) {
    expect(ShellWord.words(of: line).map(\.text), is: words)
  }

  @Test(
    "bash replaces what follows its last separator",
    arguments: [
      ("llavero get https://gi", "//github.com"), ("llavero get gi", nil),
      ("llavero get 'https://gi", "https://github.com"),
      (#"llavero get "https://gi"#, "https://github.com"),
      (#"llavero get https\://gi"#, "https://github.com"),
      ("llavero get --url=https://gi", nil), ("llavero get ", "https://github.com"),
    ])
  func reply(line: String, reply: String?) {
    let line = BashLine(line, wordBreaks: " \t\n\"'@><=;|&(:")
    expect(line.replies(to: [CompletionCandidate("https://github.com")]), is: reply.map { [$0] } ?? [])
  }

  /// Whatever is completed, a shell that reads the line again gets the same word.
  @Test("what bash is given, it reads as the same word")
  func sameWord() {
    let characters = Array("ab:=@ $`'\"\\*~!é/")
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<rounds(2000) {
      let word = String(
        (0..<Int.random(in: 1...8, using: &generator)).compactMap { _ in characters.randomElement() })
      for quote in ["", "\"", "'"] {
        let line = BashLine("llavero get " + quote, wordBreaks: " \t\n\"'@><=;|&(:")
        let replies = line.replies(to: [CompletionCandidate(word)])
        if quote == "'", word.contains("'") {
          expect(replies.isEmpty)
        } else {
          expect(ShellWord.words(of: quote + replies[0] + quote).map(\.text), is: [word])
        }
      }
    }
  }
}
