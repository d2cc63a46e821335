import Expectations
import Interchange
import Keychain
import TestSupport
import Testing

/// Texts, each in a format, and what becomes of them, in the files of `Samples/texts`, below a line `# NAME`:
///
///     FORMAT TEXT -> LOGIN | LOGIN | PLACE REASON
///     FORMAT TEXT *> LOGIN WITH EVERYTHING | skipped PLACE REASON | without MEMBER | others
///     FORMAT TEXT ~> WHAT IS LEFT WHEN THE LOGINS HAVE GONE, AND HAS NONE
///     FORMAT TEXT => LINE OR COMMAND IN A LOGIN'S PLACE | ANOTHER
///     FORMAT: FRAME
///     TEXT IN PLACE OF THE FRAME'S … -> LOGIN
///
/// Frames hold for the rows below them, and of several together each does. What is refused as a whole has
/// `refused LINE: FAULT` for its logins. Escapes are Swift's, and `\s` for a space. A line that is indented goes on with
/// the one before, and `// ` begins a comment. The format `pass` has the name of an entry before the text.
struct TextsInFormats: Sendable, CustomTestStringConvertible {
  let testDescription: String
  private var rows: [Row] = []

  /// A text in a format, or an entry of pass.
  private struct Text {
    let format: FileFormat?
    let text: String

    func read() throws -> FoundLogins {
      if let format { return try FoundLogins(Array(text.utf8), as: format) }
      let (name, contents) = TextsInFormats.parts(text, ": ")
      var found = FoundLogins()
      Array(contents.utf8).withUnsafeBytes { PassEntry.read(ByteString(name), $0, into: &found) }
      found.settle(nil, .lastChangedAnswers)
      return found
    }
  }

  /// Texts that have the same outcomes, and the line that says so.
  private struct Row {
    let line: String
    let texts: [Text]
    let outcomes: [(verb: Substring, expected: String)]
  }

  private static let verbs: [Substring] = ["->", "*>", "~>", "=>"]

  private init(_ name: String) { testDescription = name }

  /// Those of a file.
  static func all(in name: String) throws -> [TextsInFormats] {
    var table = String(decoding: try contents(of: Sample.path(of: "texts/\(name).txt")), as: UTF8.self)
    for sign in verbs + ["|"] { table = table.replacing("\n  \(sign)", with: " \(sign)") }
    var sections: [TextsInFormats] = []
    var frames: [Text] = []
    var isFrame = false
    for line in table.replacing("\n  ", with: "").split(separator: "\n") {
      if line.hasPrefix("// ") { continue }
      if line.hasPrefix("# ") {
        sections.append(TextsInFormats("\(name): \(line.dropFirst(2))"))
        frames = []
        continue
      }
      var pieces: [(verb: Substring, words: [Substring])] = [("", [])]
      for word in line.split(separator: " ", omittingEmptySubsequences: false) {
        if verbs.contains(word) {
          pieces.append((word, []))
        } else {
          pieces[pieces.count - 1].words.append(word)
        }
      }
      let said = pieces.map { ($0.verb, $0.words.joined(separator: " ")) }
      if said.count == 1 {
        let (name, frame) = parts(said[0].1, ": ")
        frames = (isFrame ? frames : []) + [Text(format: format(name), text: frame)]
      } else {
        var texts = frames.map {
          Text(format: $0.format, text: unescaped($0.text.replacing("…", with: said[0].1)))
        }
        if frames.isEmpty {
          let (name, text) = parts(said[0].1, " ")
          texts = [Text(format: format(name), text: unescaped(text))]
        }
        let row = Row(line: String(line), texts: texts, outcomes: Array(said.dropFirst()))
        sections[sections.count - 1].rows.append(row)
      }
      isFrame = said.count == 1
    }
    return sections
  }

  private static func parts(_ text: String, _ separator: String) -> (String, String) {
    guard let range = text.firstRange(of: separator) else { return (text, "") }
    return (String(text[..<range.lowerBound]), String(text[range.upperBound...]))
  }

  private static func format(_ name: String) -> FileFormat? {
    if name == "pass" { return nil }
    guard let format = FileFormat.named(name) else { preconditionFailure("there is no format \(name)") }
    return format
  }

  private static func unescaped(_ text: String) -> String {
    let parts = text.split(separator: "\\", omittingEmptySubsequences: false)
    var (result, number) = (String(parts[0]), 1)
    while number < parts.count {
      let part = parts[number]
      switch part.first {
      case "n": result += "\n" + part.dropFirst()
      case "r": result += "\r" + part.dropFirst()
      case "t": result += "\t" + part.dropFirst()
      case "s": result += " " + part.dropFirst()
      case "u":
        let (digits, rest) = Self.parts(String(part.dropFirst(2)), "}")
        let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
        result += (scalar.map(String.init) ?? "") + rest
      default:
        // Two backslashes, and what follows them.
        number += 1
        result += "\\" + parts[number]
      }
      number += 1
    }
    return result
  }

  /// Compares what becomes of each text.
  func hold() throws {
    for row in rows {
      for text in row.texts {
        for (verb, expected) in row.outcomes {
          let comment = "\(text.format?.name ?? "pass"): \(row.line)"
          let lines = expected.split(separator: " | ").map { Self.unescaped(String($0)) }
          switch verb {
          case "~>": try holdRemainder(of: text, Self.unescaped(expected), comment)
          case "=>": try expect(instead(of: text.text, #require(text.format)), is: lines, "\(comment)")
          default: try expect(logins(of: text, whole: verb == "*>"), is: lines, "\(comment)")
          }
        }
      }
    }
  }

  private func logins(of text: Text, whole isWhole: Bool) throws -> [String] {
    do {
      let found = try text.read()
      return isWhole ? WholeLogins(found).lines : Found(found).logins + Found(found).reasons
    } catch let fault as FormatFault {
      let encoding = fault.encoding.map { " (\($0))" } ?? ""
      return ["refused\(fault.line.map { " \($0)" } ?? ""): \(fault.reason)\(encoding)"]
    }
  }

  private func holdRemainder(of text: Text, _ expected: String, _ comment: String) throws {
    let format = try #require(text.format)
    let rest = try remainder(of: text.text, as: format)
    expect(rest, is: expected, "\(comment)")
    let others = try? Found(rest, as: format).logins
    expect(others ?? [], is: [], "\(comment)")
  }
}

@Suite("texts in formats")
struct TextsInFormatsTests {
  private static let files = [
    "build-tools", "cargo", "comments", "developers", "docker", "entries", "gh", "git-credentials", "keepass",
    "llavero",
    "managers", "marks", "netrc", "pass", "places", "python", "urls", "whole-files",
  ]

  @Test("what becomes of them", arguments: try files.flatMap(TextsInFormats.all))
  func becomes(_ section: TextsInFormats) throws { try section.hold() }
}
