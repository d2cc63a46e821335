import Expectations
import Keychain
import Testing

@testable import Commands

@Suite("options of security") struct SecurityOptionsTests {
  private func words(_ texts: [String]) -> [SecurityWord] { texts.map { SecurityWord(Secret($0)) } }

  /// Returns `a=1 g w=` for `-a 1 -g -w`, and the operands after ` | `.
  private func read(_ texts: [String], _ specification: StaticString = "a:s:w::gU") -> String {
    do throws(SecurityFailure) {
      let options = try SecurityOptions(words(texts), specification)
      let given = options.given.map { option in
        String(decoding: [option.letter], as: UTF8.self) + (option.value.map { "=\($0.text)" } ?? "")
      }
      return (given + ["|"] + options.operands.map(\.text)).joined(separator: " ")
    } catch {
      if case .usage(let what) = error { return what }
      return "other"
    }
  }

  @Test(
    "options are read as getopt does",
    arguments: [
      (["-a", "alice", "-s", "host"], "a=alice s=host |"),
      (["-aalice", "-shost"], "a=alice s=host |"),
      (["-gU"], "g U |"), (["-gaalice"], "g a=alice |"), (["-ga", "alice"], "g a=alice |"),
      (["-a", "-g"], "a=-g |"), (["-a", ""], "a= |"), (["-a", "--", "-g"], "a=-- g |"),
      // After the first operand, everything is an operand.
      (["-a", "1", "login", "-g"], "a=1 | login -g"), (["--", "-g"], "| -g"), (["-"], "| -"), ([], "|"),
      ([""], "| "), (["-g", "-g"], "g g |"),
      // At the end, -w has no value; otherwise the next word is its value, whatever it is.
      (["-a", "1", "-w"], "a=1 w |"), (["-w", "x"], "w=x |"), (["-w", "-U"], "w=-U |"), (["-wx"], "w=x |"),
      (["-Uw"], "U w |"), (["-w", ""], "w= |"),
      // What is no option or lacks its value is refused.
      (["-a"], "option requires an argument -- a"), (["-ga"], "option requires an argument -- a"),
      (["-x"], "illegal option -- x"), (["-gx"], "illegal option -- x"), (["-:"], "illegal option -- :"),
      (["--account"], "illegal option -- -"), (["-\u{1b}"], "illegal option -- \\u{1b}"),
    ])
  func reading(texts: [String], result: String) {
    expect(read(texts), is: result)
  }

  @Test("the last value counts")
  func lastValue() throws {
    let options = try SecurityOptions(words(["-a", "1", "-a", "2"]), "a:")
    expect(options.value("a"), is: "2")
    expect(options.value("b"), is: nil)
  }

  @Test("values are bytes")
  func bytes() throws {
    let word = SecurityWord(Secret(copying: ByteString([0xff, 0x00, 0x80])))
    let options = try SecurityOptions(words(["-a"]) + [word], "a:")
    expect(options.value("a")?.bytes, is: [0xff, 0x00, 0x80])
  }

  @Test(
    "a port is a number, and 0 is none",
    arguments: [
      ("443", 443), ("0", nil), ("65535", 65535), ("65536", -1), ("-1", -1), ("https", -1), ("", -1),
    ])
  func port(text: String, port: Int?) throws {
    let options = try SecurityOptions(words(["-P", text]), "P:")
    if port == -1 {
      #expect(throws: SecurityFailure.self) { try options.port() }
    } else {
      try expect(options.port(), is: port.map { UInt16($0) })
    }
  }
}

@Suite("commands of security") struct SecurityOperationTests {
  @Test(
    "the first command in the original's order is meant, if it is here",
    arguments: [
      ("a", "add-generic-password"), ("add-i", "add-internet-password"), ("find", "find-generic-password"),
      ("find-i", "find-internet-password"), ("delete-g", "delete-generic-password"),
      ("delete-i", "delete-internet-password"), ("delete-generic-password", "delete-generic-password"),
      ("", nil), ("d", nil), ("de", nil), ("delete", nil), ("delete-", nil), ("delete-k", nil), ("dump", nil),
    ] as [(String, String?)])
  func abbreviations(word: String, name: String?) {
    expect(SecurityOperation.named(word)?.name, is: name)
  }
}

@Suite("lines of security -i") struct SecurityLineTests {
  @Test(
    "words are divided as the original does",
    arguments: [
      ("", []), ("  \t ", []), ("help", ["help"]), (" a  b\tc\r", ["a", "b", "c"]),
      (#"-w "a b" 'c "d"'"#, ["-w", "a b", #"c "d""#]), (#"a\ b \"c"#, ["a b", "\"c"]),
      (#""a\"b" 'a\'b' "a\\b""#, ["a\"b", "a'b", "a\\b"]), (#""" ''"#, ["", ""]),
      // Quotes within a word are literal, and a closing quote ends the word.
      (#"pa"ss it's"#, ["pa\"ss", "it's"]), (#""a"b"#, ["a", "b"]), (#"-s"a b""#, ["-s\"a", "b\""]),
      // A line that isn't finished is refused.
      ("\"a", nil), ("'a\"", nil), ("a \"", nil), ("a\\", nil), ("\"a\\", nil),
    ] as [(String, [String]?)])
  func dividing(line: String, result: [String]?) {
    expect((try? SecurityLine.words(Secret(line)))?.map(\.text), is: result)
  }
}
