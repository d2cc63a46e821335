import Bytes

extension Removal {
  /// Removes a setting from a file, up to a comment after it, which then has the line to itself.
  ///
  /// - Parameters:
  ///   - lines: the setting's lines.
  ///   - end: the end of its value.
  ///   - marks: the characters that begin a comment.
  init(_ lines: Range<Int>, of text: UnsafeRawBufferPointer, upToCommentAfter end: Int, marks: String = "#") {
    let comment = text.trimmed(end..<lines.upperBound)
    if let first = text[comment].first, marks.utf8.contains(first) {
      self.init(text.trimmed(lines).lowerBound..<comment.lowerBound)
    } else {
      self.init(lines)
    }
  }
}

extension TOMLDocument.Entry {
  /// The removal of the value from its file: its lines, or in an inline table only the text between its quotes.
  func removal(in text: UnsafeRawBufferPointer) -> Removal {
    guard let lines else { return Removal(value, replacement: .emptyString) }
    return Removal(lines, of: text, upToCommentAfter: value.upperBound)
  }
}

extension YAMLDocument.Entry {
  /// The removal of a scalar from its file: its lines, or only its value if they begin an element of a list, which has
  /// more.
  func removal(in text: UnsafeRawBufferPointer) -> Removal {
    let isFirst = text[lines].first { $0 != 0x20 } == UInt8(ascii: "-")
    if isFirst { return Removal(value, replacement: .emptyString) }
    return Removal(lines, of: text, upToCommentAfter: value.upperBound)
  }
}

extension GitConfiguration.Entry {
  func removal(in text: UnsafeRawBufferPointer) -> Removal {
    Removal(text.wholeLines(of: range), of: text, upToCommentAfter: valueEnd, marks: "#;")
  }
}

extension INIDocument.Option {
  /// The removal from its file: its lines, except for comments between them.
  func removals(in text: UnsafeRawBufferPointer) -> [Removal] {
    var removals: [Removal] = []
    var start = lines.lowerBound
    for line in FileLines(text.slice(lines)) {
      guard let first = line.text.trimmedSlice.first, "#;".utf8.contains(first) else { continue }
      let comment = lines.lowerBound + line.range.lowerBound
      if start < comment { removals.append(Removal(start..<comment)) }
      start = lines.lowerBound + line.range.upperBound
    }
    return start < lines.upperBound ? removals + [Removal(start..<lines.upperBound)] : removals
  }
}

extension SourceEntry {
  /// Names the parts of an element besides its text and the known ones.
  ///
  /// - Parameter known: the attributes that the reader takes.
  mutating func addRest(of element: XMLElement, besides known: [ByteString] = []) {
    if element.hasComments { add("comment", .part) }
    for (name, value) in element.attributes where !known.contains(name) && !value.isEmpty { add(name, .part) }
  }
}
