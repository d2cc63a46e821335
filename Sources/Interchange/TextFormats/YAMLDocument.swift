package import Bytes

/// The part of YAML 1.2 used by programs for their configuration: mappings and sequences in blocks, with scalars in one
/// line, in several, or in blocks. A collection in braces or brackets is in one line, and counts as a scalar. Ambiguous
/// input is refused. It has the positions needed to change the text, and nothing of its values.
package struct YAMLDocument {
  package typealias Path = [ByteString]

  /// A scalar, or a key with everything below it.
  package struct Entry {
    /// The keys from the root; an element of a sequence is its number after a number sign.
    package let path: Path
    /// The line of the key, counting from 1.
    package let line: Int
    /// The value beside the key, without a comment; empty if it is below, or there is none.
    package fileprivate(set) var value: Range<Int>
    /// The position after the line of the key.
    package let lineEnd: Int
    /// Its lines, with everything below it.
    package fileprivate(set) var lines: Range<Int>
  }

  /// The text has something else.
  package struct Malformed: Error {
    /// The line, counting from 1.
    package let line: Int
    /// A sentence without a full stop.
    package let reason: String

    fileprivate init(_ reason: String, line: Int) {
      self.line = line
      self.reason = "line \(line) \(reason)"
    }
  }

  package private(set) var entries: [Entry] = []
  /// The first value that programs may read differently, such as one with an alias; `nil` if there is none.
  package private(set) var fault: Malformed?
  /// Lent while it is read.
  private var text: UnsafeRawBufferPointer
  private var known: Set<Path> = []

  package init(_ text: UnsafeRawBufferPointer) throws(Malformed) {
    self.text = text
    if let index = Self.otherBreak(in: text) {
      throw Malformed(
        "has another line end than LF, or a control character",
        line: 1 + text[..<index].count { $0 == 0x0a })
    }
    for line in FileLines(text) { try read(line) }
    self.text = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Where there is a control character, or a line ending in YAML 1.1 other than CRLF and LF.
  private static func otherBreak(in text: UnsafeRawBufferPointer) -> Int? {
    text.indices.first { index in
      switch text[index] {
      case 0x0a: false
      case 0x0d: index + 1 == text.count || text[index + 1] != 0x0a
      case 0..<0x20, 0x7f: true
      case 0xc2: index + 1 < text.count && text[index + 1] == 0x85
      case 0xe2: index + 2 < text.count && text[index + 1] == 0x80 && text[index + 2] | 1 == 0xa9
      default: false
      }
    }
  }

  package func entry(_ path: Path) -> Entry? { entries.first { $0.path == path } }

  package func children(of path: Path) -> [Entry] {
    entries.filter { $0.path.count == path.count + 1 && $0.path.starts(with: path) }
  }

  /// The value of a scalar on one line; `nil` if it is none, or has an unsupported form.
  ///
  /// - Parameter range: where the value is in the text.
  package static func scalar(_ range: Range<Int>, in text: UnsafeRawBufferPointer) -> Secret? {
    let raw = text.slice(range)
    if raw.contains(0x0a) { return nil }
    var decoded = Secret(capacity: raw.count)
    switch raw.first {
    case UInt8(ascii: "'"):
      guard raw.count > 1, raw.last == UInt8(ascii: "'") else { return nil }
      var index = 1
      while index < raw.count - 1 {
        if raw[index] == UInt8(ascii: "'") {
          index += 1
          guard index < raw.count - 1, raw[index] == UInt8(ascii: "'") else { return nil }
        }
        decoded.append(raw[index])
        index += 1
      }
    case UInt8(ascii: "\""):
      // Of YAML's escapes, those of JSON are the ones in use (YAML 1.2 section 5.7); control characters aren't read.
      return doubleQuoted(raw)
    case .some(let first):
      if "[]{}>|*&!%#@`,?".utf8.contains(first) { return nil }
      // YAML's words for nothing.
      if raw == "~" || raw == "null" { return decoded }
      decoded.append(raw)
    case .none: break
    }
    return decoded
  }

  private static func doubleQuoted(_ raw: UnsafeRawBufferPointer) -> Secret? {
    var decoded = Secret(capacity: raw.count)
    var text = Secret(capacity: raw.count + 2)
    text.append("[")
    text.append(raw)
    text.append("]")
    var count = 0
    do throws(JSONReader.Malformed) {
      try text.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
        try JSONReader.elements(of: text) { (value) throws(JSONReader.Malformed) in
          count += 1
          try value.appendString(to: &decoded)
        }
      }
    } catch {
      return nil
    }
    if count != 1 { return nil }
    return decoded
  }

  /// The same, if it is not confidential.
  package static func text(_ range: Range<Int>, in text: UnsafeRawBufferPointer) -> ByteString? {
    ByteString(scalar(range, in: text))
  }

  // MARK: Reading

  /// A mapping or a sequence that is open.
  private struct Level {
    let column: Int
    let isSequence: Bool
    let path: Path
    var count = 0
  }

  private var levels: [Level] = []
  /// The key or element whose value would be on the next lines, and its column.
  private var open: (path: Path, column: Int)? = ([], -1)
  /// The column of the key whose scalar may go on, and whether that is a block, which includes everything below it.
  private var scalar: (column: Int, isBlock: Bool)?

  private mutating func read(_ line: FileLine) throws(Malformed) {
    let start = line.range.lowerBound
    let content = text.trimmed(start..<start + line.text.count)
    var column = content.lowerBound - start
    if content.isEmpty { return }
    let isComment = text[content.lowerBound] == UInt8(ascii: "#")
    if isComment, scalar.map({ !$0.isBlock || column <= $0.column }) ?? true { return }
    if text[start..<content.lowerBound].contains(where: { $0 != 0x20 }) {
      throw Malformed("is indented by more than spaces", line: line.number)
    }
    if let scalar, column > scalar.column {
      return extend(to: line, scalar.isBlock ? nil : content.upperBound)
    }
    scalar = nil
    let word = text.slice(content)
    if column == 0, word == "---" || word == "{}", entries.isEmpty { return }
    var rest = content
    while text[rest].first == UInt8(ascii: "-"), rest.count == 1 || text[rest.lowerBound + 1] == 0x20 {
      try beginElement(at: column, line)
      let start = rest.lowerBound
      rest = text.trimmed((start + 1)..<rest.upperBound)
      if rest.isEmpty || text[rest.lowerBound] == UInt8(ascii: "#") { return }
      column += rest.lowerBound - start
    }
    try readKey(rest, at: column, line)
  }

  /// Adds a line to the continued scalar.
  private mutating func extend(to line: FileLine, _ end: Int?) {
    let last = entries.count - 1
    if let end { entries[last].value = entries[last].value.lowerBound..<end }
    cover(line, entries[last].path)
  }

  /// Adds a line to all entries that have a part of it.
  private mutating func cover(_ line: FileLine, _ path: Path) {
    for index in entries.indices where path.starts(with: entries[index].path) {
      entries[index].lines = entries[index].lines.lowerBound..<line.range.upperBound
    }
  }

  private mutating func beginElement(at column: Int, _ line: FileLine) throws(Malformed) {
    while let last = levels.last, last.column > column { levels.removeLast() }
    if let open, open.column <= column, levels.last.map({ !$0.isSequence || $0.column < column }) ?? true {
      levels.append(Level(column: column, isSequence: true, path: open.path))
    }
    guard let level = levels.last, level.isSequence, level.column == column else {
      throw Malformed("has an element of no sequence", line: line.number)
    }
    levels[levels.count - 1].count += 1
    try begin(level.path + [ByteString("#\(level.count)")], at: column, line)
  }

  /// Notes a key or element, whose value is yet to come.
  private mutating func begin(
    _ path: Path, at column: Int, _ line: FileLine
  ) throws(Malformed) {
    if !known.insert(path).inserted { throw Malformed("has a key for the second time", line: line.number) }
    let end = line.range.lowerBound + line.text.count
    entries.append(
      Entry(
        path: path, line: line.number, value: end..<end, lineEnd: line.range.upperBound,
        lines: line.range.lowerBound..<line.range.upperBound))
    cover(line, path)
    open = (path, column)
  }

  private mutating func readKey(
    _ content: Range<Int>, at column: Int, _ line: FileLine
  ) throws(Malformed) {
    guard let (key, value) = try key(in: content, line) else {
      // An element that is a scalar.
      guard let open, open.path.last?.bytes.first == UInt8(ascii: "#"), open.column < column,
        open.path == entries.last?.path
      else { throw Malformed("has no key", line: line.number) }
      return try take(content, of: open.column, line)
    }
    while let last = levels.last, last.column > column || last.column == column && last.isSequence {
      levels.removeLast()
    }
    if let open, open.column < column {
      levels.append(Level(column: column, isSequence: false, path: open.path))
    }
    guard let level = levels.last, !level.isSequence, level.column == column else {
      throw Malformed("is indented as no other is", line: line.number)
    }
    try begin(level.path + [key], at: column, line)
    try take(value, of: column, line)
  }

  /// The key of a line, and the text after its colon; `nil` if there is no key.
  private func key(
    in content: Range<Int>, _ line: FileLine
  ) throws(Malformed) -> (key: ByteString, value: Range<Int>)? {
    let fault = Malformed("is more than llavero reads of YAML", line: line.number)
    let first = text[content.lowerBound]
    var start = content.lowerBound
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
      guard let end = text[(start + 1)..<content.upperBound].firstIndex(of: first) else { throw fault }
      start = end
    } else if "{[?&*!|>%@`,]}".utf8.contains(first) {
      // A collection, or a scalar in a block, as an element.
      if "{[|>".utf8.contains(first) { return nil }
      throw fault
    }
    let colon = text[start..<content.upperBound].indices.first {
      text[$0] == UInt8(ascii: ":") && ($0 + 1 == content.upperBound || text[$0 + 1] == 0x20)
    }
    guard let colon else { return nil }
    var key = text[text.trimmed(content.lowerBound..<colon)]
    if key.contains(UInt8(ascii: "\\")) || key.contains(UInt8(ascii: "#")) { throw fault }
    if start > content.lowerBound { key = key.dropFirst().dropLast() }
    return (ByteString(key.whole), text.trimmed((colon + 1)..<content.upperBound))
  }

  /// Takes the value of the key or element that was begun last.
  private mutating func take(
    _ whole: Range<Int>, of column: Int, _ line: FileLine
  ) throws(Malformed) {
    var value = withoutComment(whole)
    // glab tags its tokens like this, and reads them unchanged.
    for tag: StaticString in ["!!null ", "!!str "] where text.slice(value).starts(with: tag) {
      value = text.trimmed(value.lowerBound + tag.utf8CodeUnitCount..<value.upperBound)
    }
    guard let first = text[value].first else { return }
    let last = text[value.upperBound - 1]
    let isClosed: Bool
    switch first {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): isClosed = value.count > 1 && last == first
    case UInt8(ascii: "{"): isClosed = last == UInt8(ascii: "}")
    case UInt8(ascii: "["): isClosed = last == UInt8(ascii: "]")
    case _ where "&*!%@`,]}".utf8.contains(first):
      fault = fault ?? Malformed("is more than llavero reads of YAML", line: line.number)
      isClosed = true
    default: isClosed = true
    }
    guard isClosed else {
      throw Malformed("is more than llavero reads of YAML", line: line.number)
    }
    entries[entries.count - 1].value = value
    scalar = (column, first == UInt8(ascii: "|") || first == UInt8(ascii: ">"))
    open = nil
  }

  /// A value without the comment behind it.
  private func withoutComment(_ value: Range<Int>) -> Range<Int> {
    guard let first = text[value].first else { return value }
    if first == UInt8(ascii: "#") { return value.lowerBound..<value.lowerBound }
    var start = value.lowerBound
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
      // An escaped quote would end it too early, and then something other than a comment follows.
      guard let end = text[(start + 1)..<value.upperBound].firstIndex(of: first) else { return value }
      start = end + 1
    }
    let comment = text[start..<value.upperBound].indices.first {
      text[$0] == UInt8(ascii: "#") && text[$0 - 1] == 0x20
    }
    guard let comment else { return value }
    return text.trimmed(value.lowerBound..<comment)
  }
}
