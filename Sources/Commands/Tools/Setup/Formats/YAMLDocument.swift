/// The part of YAML 1.2 that kubeconfigs are written in: mappings and sequences in blocks, with scalars in one line, in
/// several, or in blocks. A collection in braces or brackets stands in one line, and counts as a scalar. Whatever may be
/// read in more than one way is refused.
struct YAMLDocument {
  /// A scalar, or a key with what is below it.
  struct Entry {
    /// The keys from the root, and for an element of a sequence its number after a number sign.
    let path: [[UInt8]]
    /// The column of the key, or of the dash.
    let column: Int
    /// The value beside the key, without a comment; empty if it is below it, or there is none.
    var value: Range<Int>
    /// The position after the line of the key.
    let lineEnd: Int
    /// The lines that it takes, with all that is below it.
    var lines: Range<Int>
  }

  private(set) var entries: [Entry] = []
  private let text: [UInt8]

  /// - Throws: ``ConfigurationFault`` if the text has anything else.
  init(_ text: [UInt8]) throws(ConfigurationFault) {
    self.text = text
    if String(validating: text, as: UTF8.self) == nil { throw ConfigurationFault("it isn't UTF-8") }
    if text.hasLoneCarriageReturn || Self.hasOtherBreaks(text) {
      throw ConfigurationFault("it has other line ends than LF, or control characters")
    }
    for line in TextLines(text) { try read(line) }
  }

  /// Whether there are control characters, or what YAML 1.1 takes for the end of a line besides CR and LF.
  private static func hasOtherBreaks(_ text: [UInt8]) -> Bool {
    text.indices.contains { index in
      switch text[index] {
      case 0x0a, 0x0d: false
      case 0..<0x20, 0x7f: true
      case 0xc2: index + 1 < text.count && text[index + 1] == 0x85
      case 0xe2: index + 2 < text.count && text[index + 1] == 0x80 && text[index + 2] | 1 == 0xa9
      default: false
      }
    }
  }

  /// The entry with this path.
  func entry(_ path: [[UInt8]]) -> Entry? { entries.first { $0.path == path } }

  /// The entries right below a path.
  func children(of path: [[UInt8]]) -> [Entry] {
    entries.filter { $0.path.count == path.count + 1 && $0.path.starts(with: path) }
  }

  /// The text of a scalar; `nil` if there is none, or it isn't one line without escapes.
  func scalar(_ path: [[UInt8]]) -> String? {
    guard let value = entry(path)?.value, let first = text[value].first, !text[value].contains(0x0a) else {
      return nil
    }
    switch first {
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      let inside = text[(value.lowerBound + 1)..<(value.upperBound - 1)]
      return inside.contains(UInt8(ascii: "\\")) || inside.contains(first) ? nil : text.string(inside.indices)
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "|"), UInt8(ascii: ">"): return nil
    default: return text.string(value)
    }
  }

  // MARK: Reading

  /// A mapping or a sequence that is open.
  private struct Level {
    let column: Int
    let isSequence: Bool
    let path: [[UInt8]]
    var count = 0
  }

  private var levels: [Level] = []
  /// The key or element whose value would be on the next lines, and its column.
  private var open: (path: [[UInt8]], column: Int)? = ([], -1)
  /// The column of the key whose scalar may go on, and whether that is a block, to which everything below it belongs.
  private var scalar: (column: Int, isBlock: Bool)?

  private mutating func read(_ line: TextLine) throws(ConfigurationFault) {
    let content = text.trimmed(line.content)
    var column = content.lowerBound - line.content.lowerBound
    if content.isEmpty { return }
    let isComment = text[content.lowerBound] == UInt8(ascii: "#")
    if isComment, scalar.map({ !$0.isBlock || column <= $0.column }) ?? true { return }
    if text[line.content.lowerBound..<content.lowerBound].contains(where: { $0 != 0x20 }) {
      throw ConfigurationFault("line \(line.number) is indented by more than spaces")
    }
    if let scalar, column > scalar.column {
      return extend(to: line, scalar.isBlock ? nil : content.upperBound)
    }
    scalar = nil
    if column == 0, text.string(content) == "---", entries.isEmpty { return }
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

  /// Adds a line to the scalar that goes on in it.
  private mutating func extend(to line: TextLine, _ end: Int?) {
    let last = entries.count - 1
    if let end { entries[last].value = entries[last].value.lowerBound..<end }
    cover(line, entries[last].path)
  }

  /// Adds a line to all entries that have a part of it.
  private mutating func cover(_ line: TextLine, _ path: [[UInt8]]) {
    for index in entries.indices where path.starts(with: entries[index].path) {
      entries[index].lines = entries[index].lines.lowerBound..<line.end
    }
  }

  private mutating func beginElement(at column: Int, _ line: TextLine) throws(ConfigurationFault) {
    while let last = levels.last, last.column > column { levels.removeLast() }
    if let open, open.column <= column, levels.last.map({ !$0.isSequence || $0.column < column }) ?? true {
      levels.append(Level(column: column, isSequence: true, path: open.path))
    }
    guard let level = levels.last, level.isSequence, level.column == column else {
      throw ConfigurationFault("line \(line.number) has an element of no sequence")
    }
    levels[levels.count - 1].count += 1
    try begin(level.path + [Array("#\(level.count)".utf8)], at: column, line)
  }

  /// Notes a key or element, whose value is yet to come.
  private mutating func begin(
    _ path: [[UInt8]], at column: Int, _ line: TextLine
  ) throws(ConfigurationFault) {
    if entry(path) != nil { throw ConfigurationFault("line \(line.number) has a key for the second time") }
    let end = line.content.upperBound
    entries.append(
      Entry(
        path: path, column: column, value: end..<end, lineEnd: line.end,
        lines: line.content.lowerBound..<line.end))
    cover(line, path)
    open = (path, column)
  }

  private mutating func readKey(
    _ content: Range<Int>, at column: Int, _ line: TextLine
  ) throws(ConfigurationFault) {
    guard let (key, value) = try key(in: content, line) else {
      // An element that is a scalar.
      guard let open, open.path.last?.first == UInt8(ascii: "#"), open.column < column,
        open.path == entries.last?.path
      else { throw ConfigurationFault("line \(line.number) has no key") }
      return try take(content, of: open.column, line)
    }
    while let last = levels.last, last.column > column || last.column == column && last.isSequence {
      levels.removeLast()
    }
    if let open, open.column < column {
      levels.append(Level(column: column, isSequence: false, path: open.path))
    }
    guard let level = levels.last, !level.isSequence, level.column == column else {
      throw ConfigurationFault("line \(line.number) is indented as no other is")
    }
    try begin(level.path + [key], at: column, line)
    try take(value, of: column, line)
  }

  /// The key of a line, and what is behind its colon; `nil` if there is no key.
  private func key(
    in content: Range<Int>, _ line: TextLine
  ) throws(ConfigurationFault) -> (key: [UInt8], value: Range<Int>)? {
    let fault = ConfigurationFault("line \(line.number) is more than llavero reads of YAML")
    let first = text[content.lowerBound]
    var start = content.lowerBound
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
      guard let end = text[(start + 1)..<content.upperBound].firstIndex(of: first) else { throw fault }
      start = end
    } else if "{[?&*!|>%@`,]}".utf8.contains(first) {
      if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return nil }
      throw fault
    }
    let colon = text[start..<content.upperBound].indices.first {
      text[$0] == UInt8(ascii: ":") && ($0 + 1 == content.upperBound || text[$0 + 1] == 0x20)
    }
    guard let colon else { return nil }
    var key = Array(text[text.trimmed(content.lowerBound..<colon)])
    if key.contains(UInt8(ascii: "\\")) || key.contains(UInt8(ascii: "#")) { throw fault }
    if start > content.lowerBound { key = Array(key.dropFirst().dropLast()) }
    return (key, text.trimmed((colon + 1)..<content.upperBound))
  }

  /// Takes the value of the key or element that was begun last.
  private mutating func take(
    _ whole: Range<Int>, of column: Int, _ line: TextLine
  ) throws(ConfigurationFault) {
    let value = try withoutComment(whole, line)
    guard let first = text[value].first else { return }
    let last = text[value.upperBound - 1]
    let isClosed: Bool
    switch first {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): isClosed = value.count > 1 && last == first
    case UInt8(ascii: "{"): isClosed = last == UInt8(ascii: "}")
    case UInt8(ascii: "["): isClosed = last == UInt8(ascii: "]")
    case _ where "&*!%@`,]}".utf8.contains(first): isClosed = false
    default: isClosed = true
    }
    guard isClosed else {
      throw ConfigurationFault("line \(line.number) is more than llavero reads of YAML")
    }
    entries[entries.count - 1].value = value
    scalar = (column, first == UInt8(ascii: "|") || first == UInt8(ascii: ">"))
    open = nil
  }

  /// A value without the comment behind it.
  private func withoutComment(
    _ value: Range<Int>, _ line: TextLine
  ) throws(ConfigurationFault) -> Range<Int> {
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
