import Foundation
import Testing

/// The tables of `KeychainServicesOnLinux.md`.
struct DocumentedTable {
  /// A row of a table: what the article says about a name or a rule.
  struct Row: CustomTestStringConvertible {
    /// The heading above the table.
    var section: String
    /// The cells by the titles of their columns, without code marks around a whole cell.
    var cells: [String: String]
    /// The verdict in the last column.
    var verdict: Verdict

    /// A public name, or the title of a rule.
    var name: String { cells["Name"] ?? cells["Rule"] ?? "" }
    /// Whether it is a rule.
    var isRule: Bool { cells["Rule"] != nil }
    var testDescription: String { name }
  }

  /// The three possible verdicts.
  enum Verdict: Equatable {
    case same
    case differs(String)
    case noMeaning(String)

    /// Parses a cell; `nil` if it is none of the three.
    init?(_ text: String) {
      if text == "same" {
        self = .same
      } else if let rest = text.dropping("differs: ") {
        self = .differs(rest)
      } else if let rest = text.dropping("no meaning on Linux: ") {
        self = .noMeaning(rest)
      } else {
        return nil
      }
    }
  }

  /// An error in the article.
  struct Malformed: Error {
    var line: Int
    var problem: String
  }

  private(set) var rows: [Row] = []

  /// Parses every table whose last column is `On Linux`.
  init(parsing text: String) throws {
    var section = ""
    var titles: [String]?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      func fail(_ problem: String) -> Malformed { Malformed(line: index + 1, problem: problem) }
      if line.hasPrefix("#") {
        section = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces)
      }
      guard line.hasPrefix("|") else {
        titles = nil
        continue
      }
      guard line.hasSuffix("|"), line.count > 1 else { throw fail("the row has no end") }
      let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard let header = titles else {
        titles = cells
        continue
      }
      if cells.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0 == "-" } }) { continue }
      guard header.last == "On Linux" else { continue }
      guard cells.count == header.count else { throw fail("\(cells.count) cells, not \(header.count)") }
      guard let verdict = cells.last.flatMap(Verdict.init) else {
        throw fail("neither same, differs nor no meaning")
      }
      rows.append(
        Row(section: section, cells: .init(zip(header, cells.map(\.withoutCode))) { $1 }, verdict: verdict))
    }
  }

  /// Reads the article in this package.
  static func read() throws -> DocumentedTable {
    try DocumentedTable(
      parsing: String(
        contentsOf: sources.appending(path: "Security.docc/KeychainServicesOnLinux.md"), encoding: .utf8))
  }

  /// The folder of the module's sources.
  static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../../../Sources/Security")

  /// The public top-level names in the module's sources; functions are without parameters.
  static func publicNames() throws -> Set<String> {
    let pattern =
      /^(?:@\w+(?:\([^)]*\))? )*public (?:(?:final|indirect|nonisolated) )*(?:let|var|func|typealias|class|struct|enum|protocol|actor) (\w+)/
    var names: Set<String> = []
    guard let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil) else {
      return []
    }
    for case let file as URL in files where file.pathExtension == "swift" {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        if let match = line.prefixMatch(of: pattern) { names.insert(String(match.1)) }
      }
    }
    return names
  }
}

extension StringProtocol {
  /// The text without code marks, if they enclose all of it.
  fileprivate var withoutCode: String {
    guard count > 1, hasPrefix("`"), hasSuffix("`"), !dropFirst().dropLast().contains("`") else {
      return String(self)
    }
    return String(dropFirst().dropLast())
  }

  /// The text after a prefix; `nil` without the prefix, or if nothing follows.
  fileprivate func dropping(_ prefix: String) -> String? {
    hasPrefix(prefix) && count > prefix.count ? String(dropFirst(prefix.count)) : nil
  }
}
