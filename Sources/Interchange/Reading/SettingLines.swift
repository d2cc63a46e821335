import Bytes
import Keychain

/// A line `NAME = VALUE` of a file.
struct SettingLine {
  let section: ByteString
  let name: ByteString
  /// The range of its value, without surrounding white space, except at its end in a file where that counts.
  let value: Range<Int>
  /// Its number, counting from 1, and its range with its end.
  let line: Int
  let range: Range<Int>
}

/// A file with a setting on each line, perhaps in sections, without rules for more: values over several lines are for a
/// program's own reader.
struct SettingLines {
  private(set) var settings: [SettingLine] = []

  /// - Parameters:
  ///   - comments: the characters that begin a comment.
  ///   - separators: the characters between a name and its value.
  ///   - hasSections: whether `[NAME]` begins a section.
  ///   - keepsEnds: whether white space at the end of a value is part of it.
  init(
    _ file: UnsafeRawBufferPointer, comments: String = "#;", separators: String = "=",
    hasSections: Bool = true, keepsEnds: Bool = false
  ) {
    var section: ByteString = ""
    for line in FileLines(file) {
      let start = line.range.lowerBound
      let content = file.trimmed(start..<start + line.text.count)
      guard let first = file[content].first else { continue }
      if comments.utf8.contains(first) { continue }
      if hasSections, first == UInt8(ascii: "["),
        let end = file[content].firstIndex(of: UInt8(ascii: "]"))
      {
        section = ByteString(file.slice(file.trimmed(content.lowerBound + 1..<end)))
      } else {
        // A switch has no value.
        let equals = file[content].firstIndex { separators.utf8.contains($0) } ?? content.upperBound
        let end = keepsEnds ? start + line.text.count : content.upperBound
        let value = file.trimmed(min(equals + 1, end)..<end, atEnd: !keepsEnds)
        let name = ByteString(file.slice(file.trimmed(content.lowerBound..<equals)))
        settings.append(
          SettingLine(section: section, name: name, value: value, line: line.number, range: line.range))
      }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// A range without the quotes around it.
  func unquoted(_ range: Range<Int>) -> Range<Int> {
    guard range.count > 1, let quote = self[range].first, self[range].last == quote,
      quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    else { return range }
    return range.lowerBound + 1..<range.upperBound - 1
  }
}
