import CredentialProtocols
import Expectations
import Foundation
import Keychain
import TestSupport
import Testing

/// A text, and what Compose, python-dotenv and node make of it, as these programs said themselves.
private struct Reading: Decodable {
  let text: String
  /// What all that can say so agree on; `nil` if they don't.
  let expected: [String: String]?

  /// `integration/support/comparisons/env-file-readers.py` made the file.
  static let all: [Reading] = {
    let tests = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    let text =
      (try? String(contentsOfFile: tests + "/Corpora/env-files/readers.jsonl", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(Reading.self, from: Data($0.utf8))
    }
  }()
}

@Suite("Files of variables")
struct EnvironmentFileTests {
  private struct Line: Equatable {
    var number: Int
    var name: String
    var value: String

    init(_ number: Int, _ name: String, _ value: String) {
      (self.number, self.name, self.value) = (number, name, value)
    }
  }

  private func parse(_ text: [UInt8]) throws(EnvironmentFile.Fault) -> [Line] {
    var file = EnvironmentFile { name, value in
      guard ["SET", "EMPTY"].contains(name) else { return false }
      if name == "SET" { value.append("from-env") }
      return true
    }
    var lines: [Line] = []
    try Secret(copying: ByteString(text)).withUnsafeBytes { (text) throws(EnvironmentFile.Fault) in
      try file.read(text) { (number, name, value) in
        lines.append(Line(number, "\(name)", String(decoding: value, as: UTF8.self)))
      }
    }
    return lines
  }

  private func parse(_ text: String) throws(EnvironmentFile.Fault) -> [Line] { try parse(Array(text.utf8)) }

  @Test("what Compose, python-dotenv and node read alike is read as they do, and all else refused")
  func readers() throws {
    expect(Reading.all.count > 250)
    for reading in Reading.all {
      let lines = try? parse(reading.text)
      let values = lines.map { Dictionary($0.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }) }
      expect(values, is: reading.expected, "\(reading.text.debugDescription)")
    }
  }

  @Test(
    "a reference is a value, in quotes or not, and a variable that stands for one stays one inside another")
  func references() throws {
    try expect(
      parse(
        "A=llavero://db/app?field=account # who\nB=\"llavero://db\"\nC='x ${llavero://db}'\nD=\"${llavero+https://h}\""
      ),
      is: [
        Line(1, "A", "llavero://db/app?field=account"), Line(2, "B", "llavero://db"),
        Line(3, "C", "x ${llavero://db}"), Line(4, "D", "${llavero+https://h}"),
      ])
    try expect(
      parse("P=llavero://db/app\nU=postgres://app:${P}@h\nV=${P}\nW=${X:-llavero://other}"),
      is: [
        Line(1, "P", "llavero://db/app"), Line(2, "U", "postgres://app:${llavero://db/app}@h"),
        Line(3, "V", "${llavero://db/app}"), Line(4, "W", "${llavero://other}"),
      ])
    // A brace in it doesn't end it early.
    try expect(
      parse("P=llavero://d}b/a}p\nV=${P}"),
      is: [Line(1, "P", "llavero://d}b/a}p"), Line(2, "V", "${llavero://d%7Db/a%7Dp}")])
  }

  @Test("a line that programs read differently is named by its number, with how to write it")
  func faults() {
    for (line, message, hint) in [
      ("A", "is not NAME=VALUE", nil),
      (
        "A=b#c", "has a '#' in its value that some programs take for a comment",
        "put the value in quotes, or a space before a comment"
      ),
      (
        "A=pa$word", "has a '$' in its value that only some programs expand",
        "write ${NAME} for a variable, and put a value with a dollar sign in single quotes"
      ),
      (
        "A=\"x\\ty\"", "has '\\t' in quotes, which programs read differently",
        "write the character itself, or use single quotes"
      ),
      ("A='x", "begins a value in quotes that doesn't end", nil),
      (
        "A='x'y", "goes on after a value in quotes",
        "put the whole value in quotes of one kind, or a '#' before a comment"
      ),
      (
        "A=${B:?no}", "has a '${' that programs read differently",
        "there are ${NAME} and ${NAME:-TEXT}, and ${llavero://…} for a secret"
      ),
      (
        "A=${EMPTY:-x}", "uses the variable EMPTY, which is empty",
        "some programs take the text after ':-' then, others nothing: set the variable, or leave it out"
      ),
    ] as [(String, String, String?)] {
      do throws(EnvironmentFile.Fault) {
        _ = try parse("X='1\n2'\n\n\(line)\nY=2")
        Issue.record("\(line) was read")
      } catch {
        expect(error.line == 4 && error.message == message && error.hint == hint, "\(line): \(error)")
      }
    }
  }

  @Test("bytes that are no text are refused", arguments: [[0xff], [0x61, 0], [0xc3]] as [[UInt8]])
  func notText(value: [UInt8]) {
    for quote in ["", "'", "\""] {
      #expect(throws: EnvironmentFile.Fault.self) {
        try parse(Array("A=\(quote)".utf8) + value + Array(quote.utf8))
      }
    }
  }

  @Test("any text is read or refused")
  func random() {
    var random = SeededGenerator(seed: 9)
    let dictionary = [
      "\n", "=", "#", "\r\n", "A=", "llavero://", "\0", "\"", "'", "${", "}", ":-", "\\", " ",
    ]
    .map { Array($0.utf8) }
    var count = 0
    for _ in 0..<rounds(5000) {
      let text = random.mutated(
        Array("A=1\n#x\n\nexport B=\"llavero://a/b\"\nC='x'\nD=${A:-y}".utf8), dictionary: dictionary)
      if let lines = try? parse(text) {
        count += 1
        expect(lines.allSatisfy { !$0.name.isEmpty && !$0.value.contains("\0") })
      }
    }
    expect(count > rounds(500))
  }
}
