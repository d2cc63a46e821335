/// Bazel's credential helpers: a line `common --credential_helper=HOST=PATH` for each host. Without a host, bazel would
/// ask for every URL that any dependency names.
struct BazelHelperLines: ConfigurationFormat {
  let helper: String
  /// The hosts to set; empty to see which are set.
  let hosts: [String]

  let name = "credential_helper"

  private static let option = "common --credential_helper="

  var byHand: [String] { (hosts.isEmpty ? ["HOST"] : hosts).map { shown("\($0)=\(helper)") } }

  func shown(_ value: String) -> String { Self.option + value }

  func isFormerLine(_ line: String) -> Bool { line == shown(helper) }

  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading {
    var reading = ConfigurationReading()
    for line in try Self.lines(of: text) {
      if let helper = Self.helper(line.words), isOurs(helper) {
        reading.setting.append(helper)
      } else {
        reading.others.append(.init(name: [], value: line.words))
      }
    }
    return reading
  }

  func proposal(for text: [UInt8]) throws(ConfigurationFault) -> [TextEdit] {
    var edits: [TextEdit] = []
    var text = text
    // A line that leads elsewhere is replaced where it is, or goes where the right one is there as well.
    while let (value, range, line) = try formerLine(in: text) {
      let right = "\(value.split(separator: "=").first ?? "")=\(helper)"
      let isThere = try reading(of: text).setting.contains(right)
      edits.append(
        isThere
          ? .replacement(of: line, in: text, with: [])
          : .replacement(of: range, in: text, with: Array(right.utf8)))
      text = edits[edits.count - 1].applied(to: text)
    }
    let present = try reading(of: text).setting
    if hosts.isEmpty, !present.contains(where: { $0.hasSuffix("=\(helper)") }) {
      throw ConfigurationFault("no host is named")
    }
    let missing = hosts.filter { !present.contains("\($0)=\(helper)") }
    return edits
      + (missing.isEmpty ? [] : [text.ending(with: missing.map { shown("\($0)=\(helper)") })])
  }

  /// The first value that names an llavero at another path for a host, and where it is.
  private func formerLine(
    in text: [UInt8]
  ) throws(ConfigurationFault) -> (value: String, range: Range<Int>, line: Range<Int>)? {
    for line in try Self.lines(of: text) {
      guard let value = Self.helper(line.words), isOurs(value), value.contains("="),
        !value.hasSuffix("=\(helper)")
      else { continue }
      let bytes = Array(value.utf8)
      guard let start = line.range.first(where: { text[$0..<line.range.upperBound].starts(with: bytes) })
      else { continue }
      return (value, start..<start + bytes.count, line.range)
    }
    return nil
  }

  func undoing(_ edit: TextEdit, in text: [UInt8]) throws(ConfigurationFault) -> [UInt8]? {
    let added = edit.added.split(separator: 0x0a).map { Array($0) }.map {
      $0.string($0.trimmed(0..<$0.count))
    }
    return try removing(from: text) { added.contains(Self.option + $0) || edit.added == Array($0.utf8) }
  }

  /// The text without the line by which earlier versions made bazel ask for every host.
  func cleaned(_ text: [UInt8]) throws(ConfigurationFault) -> [UInt8] {
    try removing(from: text) { $0 == helper } ?? text
  }

  /// Whether bazel asks llavero for every host.
  func isUnbounded(in text: [UInt8]) -> Bool {
    (try? reading(of: text).setting.contains(helper)) ?? false
  }

  private func removing(
    from text: [UInt8], where isGoing: (String) -> Bool
  ) throws(ConfigurationFault) -> [UInt8]? {
    var result = text
    for line in try Self.lines(of: text).reversed() {
      if let helper = Self.helper(line.words), isGoing(helper) { result.removeSubrange(line.range) }
    }
    return result == text ? nil : result
  }

  /// Whether a value names llavero, perhaps at a former path.
  private func isOurs(_ value: String) -> Bool {
    value == helper || value.hasSuffix("=\(helper)") || value.hasSuffix("/bazel-credential-llavero")
  }

  private static func helper(_ words: [UInt8]) -> String? {
    guard words.starts(with: Array(option.utf8)) else { return nil }
    return String(decoding: words.dropFirst(option.utf8.count), as: UTF8.self)
  }

  /// The lines that are not empty. A line that ends with a backslash continues in the next.
  private static func lines(
    of text: [UInt8]
  ) throws(ConfigurationFault) -> [(words: [UInt8], range: Range<Int>)] {
    var lines: [(words: [UInt8], range: Range<Int>)] = []
    var open: (words: [UInt8], start: Int)?
    for line in TextLines(text) {
      var content = Array(text[line.content])
      let start = open?.start ?? line.content.lowerBound
      let goesOn = content.last == UInt8(ascii: "\\")
      if goesOn { content.removeLast() }
      let words = (open?.words ?? []) + content
      if goesOn {
        open = (words, start)
        continue
      }
      open = nil
      let trimmed = Array(words[words.trimmed(0..<words.count)])
      if trimmed.isEmpty || trimmed.first == UInt8(ascii: "#") { continue }
      lines.append((trimmed, start..<line.end))
    }
    if open != nil { throw ConfigurationFault("its last line ends with a backslash") }
    return lines
  }
}
