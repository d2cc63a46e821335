import Bytes

extension Removal {
  /// Takes a setting out of a file, up to a comment behind it, which then has the line for itself.
  ///
  /// - Parameters:
  ///   - lines: the setting's lines.
  ///   - end: where what belongs to its value ends.
  ///   - marks: the characters with which a comment begins.
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
  /// What takes the value out of its file: its lines, or in an inline table only what is between its quotes.
  func removal(in text: UnsafeRawBufferPointer) -> Removal {
    guard let lines else { return Removal(value, replacement: .emptyString) }
    return Removal(lines, of: text, upToCommentAfter: value.upperBound)
  }
}

extension YAMLDocument.Entry {
  /// What takes a scalar out of its file: its lines, or only its value if they begin an element of a list, which has more.
  func removal(in text: UnsafeRawBufferPointer) -> Removal {
    let isFirst = text[lines].first { $0 != 0x20 } == UInt8(ascii: "-")
    if isFirst { return Removal(value, replacement: .emptyString) }
    return Removal(lines, of: text, upToCommentAfter: value.upperBound)
  }
}

extension GitConfiguration.Entry {
  /// What takes it out of its file.
  func removal(in text: UnsafeRawBufferPointer) -> Removal {
    Removal(text.wholeLines(of: range), of: text, upToCommentAfter: valueEnd, marks: "#;")
  }
}

extension INIDocument.Option {
  /// What takes it out of its file: its lines, but for the comments between them.
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
  /// Names what goes with an element beside its text and what its reader takes.
  ///
  /// - Parameter known: the attributes that the reader takes.
  mutating func addRest(of element: XMLElement, besides known: [ByteString] = []) {
    if element.hasComments { add("comment", .part) }
    for (name, value) in element.attributes where !known.contains(name) && !value.isEmpty { add(name, .part) }
  }
}
