/// Lines of llavero's own in a tool's configuration, between two comments by which people and llavero find them.
struct MarkedBlock {
  /// The tool, and the part of its configuration.
  let name: String
  /// Whether it is at the beginning of the text, where keys of TOML that belong to no table have to be.
  var isFirst = false
  /// Whether it has the comments. A program whose first line counts has none.
  var isMarked = true

  private var begin: String { "# llavero: begin \(name)" }
  private var end: String { "# llavero: end \(name)" }

  func insertion(of lines: [String], in text: [UInt8]) -> TextEdit {
    let lineEnd = text.lineEnd
    let block = (isMarked ? [begin] + lines + [end] : lines).flatMap { Array($0.utf8) + lineEnd }
    if isFirst { return TextEdit(offset: 0, removed: [], added: block) }
    // A backslash before its end would make the first comment part of the last line.
    let isContinued = text.dropLast(lineEnd.count).last == 0x5c
    let isEnded = text.isEmpty || text.last == 0x0a && !isContinued
    return TextEdit(offset: text.count, removed: [], added: (isEnded ? [] : lineEnd) + block)
  }

  /// The lines of an edit, for people; `nil` if it doesn't insert the block.
  func lines(of edit: TextEdit) -> [String]? {
    let lines = TextLines(edit.added).map { edit.added.string($0.content) }.filter { !$0.isEmpty }
    return isMarked && !lines.contains(begin) ? nil : lines
  }

  /// `nil` if the text doesn't have it as a whole.
  func removed(from text: [UInt8]) -> [UInt8]? {
    var start: Int?
    for line in TextLines(text) {
      let words = text.string(text.trimmed(line.content))
      if words == begin { start = line.content.lowerBound }
      if words == end, let start { return Array(text[..<start] + text[line.end...]) }
    }
    return nil
  }

  /// The text without added lines, as far as they are still there in that order, the last ones first. A tool may have
  /// put others between them.
  ///
  /// - Parameter keepsHeaders: whether the headers of sections stay.
  func removing(_ added: [UInt8], from text: [UInt8], keepsHeaders: Bool = false) -> [UInt8] {
    var going = TextLines(added).map { added.string(added.trimmed($0.content)) }.filter {
      !$0.isEmpty && $0 != begin && $0 != end && !(keepsHeaders && $0.hasPrefix("["))
    }
    var result = text
    for line in Array(TextLines(text)).reversed() {
      let words = text.string(text.trimmed(line.content))
      if words == going.last { going.removeLast() } else if words != begin, words != end { continue }
      result.removeSubrange(line.content.lowerBound..<line.end)
    }
    return result
  }
}
