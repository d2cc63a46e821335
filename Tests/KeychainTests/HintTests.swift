import Bytes
import Expectations
import Glibc
import TestSupport
import Testing

@testable import Keychain

@Suite("hints that people paste") struct HintTests {
  @Test("a command's words are quoted where a shell needs it")
  func words() {
    for (word, quoted) in [
      ("=ls", "\"=ls\""), ("[::1]", "\"[::1]\""), ("a=b", "a=b"), ("a\u{200b}b", "$'a\\342\\200\\213b'"),
      ("https://h.example/x", "https://h.example/x"), ("two words", "\"two words\""), ("", "\"\""),
      ("x;rm -rf ~", "\"x;rm -rf ~\""), ("~", "\"~\""), ("$(id)", "$'$(id)'"), ("`id`", "$'`id`'"),
      ("it's", "$'it\\'s'"), ("a\\b", "$'a\\\\b'"), ("a\nb", "$'a\\012b'"), ("\u{1b}[2J1", "$'\\033[2J1'"),
      ("\u{202e}a", "$'\\342\\200\\256a'"), ("bücher", "\"bücher\""), ("!x", "$'!x'"),
    ] {
      expect("\(ShellCommand([word]))", is: quoted)
      let command = quoted.contains("'") ? "see \(quoted)" : "see '\(quoted)'"
      expect("see \(command: word)" as Hint == Hint(stringLiteral: command))
      expect("chmod go= \(words: word)" as Hint == Hint(stringLiteral: "chmod go= \(quoted)"))
    }
    expect("\(3) of \(prose: "it's")" as Hint == "3 of it's")
  }

  @Test("a shell gives each word back as it is")
  func shell() throws {
    let folder = TemporaryFolder()
    var random = SeededGenerator(seed: 8)
    let pieces = [
      "'", "\"", "\\", "$", "`", "!", "\n", "\t", "\u{1b}", "7", "a", " ", ";", "&", "*", "~", "é",
      "\u{202e}",
    ]
    var words = ["-n", "", "\\012"] + pieces
    for _ in 0..<200 {
      words.append((0..<random.number(in: 1..<7)).map { _ in random.pick(pieces) }.joined())
    }
    let script = words.map { "printf '%s\\0' \(ShellCommand([$0]))\n" }.joined()
    folder.write(Array(script.utf8), to: "script")
    try expect(
      TestProgram.run(["bash", "-c", "bash '\(folder["script"])' >'\(folder["out"])'"]), is: .exited(0))
    let given = try contents(of: folder["out"]).split(separator: 0, omittingEmptySubsequences: false)
    expect(given.dropLast().map { String(decoding: $0, as: UTF8.self) }, is: words)
  }

  @Test("a refusal's message shows its invisible characters, for tools pass it on to a terminal")
  func refusal() {
    expect(Failure("no \u{1b}[2Jx", status: .usage).message, is: "no \\u{1b}[2Jx")
  }
}
