import Bytes

/// Reads a TOML file. Forbidden but unambiguous input is read and noted.
struct TOMLReader {
  private(set) var document = TOMLDocument()

  private struct Malformed: Error {}

  private enum Definition {
    case value, implicit, explicit, elements
    /// Defined by keys with dots, below the header with this number.
    case dotted(Int)
  }

  /// The largest depth of nested values, and of keys; deeper ones are refused.
  private static let maximumDepth = 32

  private let text: UnsafeRawBufferPointer
  private var position = 0
  private var line = 1
  private var table: TOMLDocument.Path = []
  private var definitions: [TOMLDocument.Path: Definition] = [:]

  init(_ text: UnsafeRawBufferPointer) {
    self.text = text
  }

  mutating func readAll() {
    if text.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    skip(overLines: true)
    while let byte = peek {
      let first = line
      let count = document.entries.count
      do throws(Malformed) {
        if byte == UInt8(ascii: "[") { try readHeader(lineStart) } else { try readStatement(lineStart) }
      } catch {
        note("line \(line) isn't TOML")
        document.entries.removeLast(document.entries.count - count)
        document.malformedLines.append(first)
        table = [""]
        while position < text.count, text[position] != 0x0a { position += 1 }
      }
      skip(overLines: true)
    }
  }

  // MARK: Statements

  private mutating func readHeader(_ start: Int) throws(Malformed) {
    position += 1
    let isElement = take("[")
    let name = try key()
    try expect("]")
    if isElement, !take("]", afterBlanks: false) {
      try expect("]")
      note("line \(line) isn't TOML")
    }
    try endLine()
    for count in 1..<name.count {
      let prefix = Array(name[..<count])
      switch definitions[prefix] {
      case nil: definitions[prefix] = .implicit
      case .value: note("line \(line) isn't TOML")
      default: break
      }
    }
    switch (definitions[name], isElement) {
    case (nil, true): definitions[name] = .elements
    case (.elements, true):
      // Each element has keys of its own.
      definitions = definitions.filter { $0.key.count <= name.count || !$0.key.starts(with: name) }
    case (nil, false), (.implicit, false): definitions[name] = .explicit
    default: note("line \(line) names a table that was there before")
    }
    table = name
    document.tables.append(
      .init(path: name, isElement: isElement, header: start..<afterLine))
  }

  private mutating func readStatement(_ start: Int) throws(Malformed) {
    let own = try key()
    define(own, below: table, as: document.tables.count)
    try expect("=")
    let index = document.entries.count
    try readValue(table + own, depth: 0, isKept: true)
    try endLine()
    document.entries[index].lines = start..<afterLine
  }

  private mutating func define(_ key: TOMLDocument.Path, below path: TOMLDocument.Path, as number: Int) {
    for count in 1..<key.count {
      let prefix = path + key[..<count]
      switch definitions[prefix] {
      case nil: definitions[prefix] = .dotted(number)
      case .dotted(let former) where former == number || number < 0: break
      default: note("line \(line) has a key that was there before")
      }
    }
  }

  /// Reads a value and stores it; the entry of an inline table comes before those inside it.
  ///
  /// - Parameter isKept: whether it is not in an array.
  private mutating func readValue(
    _ path: TOMLDocument.Path, depth: Int, isKept: Bool
  ) throws(Malformed) {
    guard depth < Self.maximumDepth else { throw Malformed() }
    if isKept {
      if definitions[path] != nil { note("line \(line) has a key that was there before") }
      definitions[path] = .value
    }
    skip(overLines: false)
    let (start, first, index) = (position, line, document.entries.count)
    let isTable = peek == UInt8(ascii: "{")
    let form: TOMLDocument.Form
    switch peek {
    case UInt8(ascii: "["): form = .array(try readArray(depth: depth))
    case UInt8(ascii: "{"): form = try readInlineTable(path, depth: depth, isKept: isKept)
    case UInt8(ascii: "\""), UInt8(ascii: "'"): form = try readString()
    default:
      try readBare()
      form = .other
    }
    if !isKept { return }
    document.entries.insert(
      .init(path: path, line: first, form: form, value: start..<position),
      at: isTable ? index : document.entries.count)
  }

  private mutating func readInlineTable(
    _ path: TOMLDocument.Path, depth: Int, isKept: Bool
  ) throws(Malformed) -> TOMLDocument.Form {
    let first = line
    position += 1
    skip(overLines: true)
    while !take("}") {
      let own = try key()
      if isKept { define(own, below: path, as: -position) }
      try expect("=")
      try readValue(path + own, depth: depth + 1, isKept: isKept)
      skip(overLines: true)
      if take("}") { break }
      try expect(",")
      skip(overLines: true)
      // From version 1.1 on.
      if peek == UInt8(ascii: "}") { note("line \(line) isn't TOML") }
    }
    if line != first { note("line \(first) isn't TOML") }
    return .table
  }

  private mutating func readArray(depth: Int) throws(Malformed) -> [Range<Int>] {
    position += 1
    var elements: [Range<Int>] = []
    skip(overLines: true)
    while !take("]") {
      let start = position
      try readValue([], depth: depth + 1, isKept: false)
      elements.append(start..<position)
      skip(overLines: true)
      if take("]") { break }
      try expect(",")
      skip(overLines: true)
    }
    return elements
  }

  /// Reads a value without quotes and brackets.
  private mutating func readBare() throws(Malformed) {
    let start = position
    skipBare()
    // A date may be followed by a space and a time.
    if position - start == 10, text[start + 4] == UInt8(ascii: "-"), peek == 0x20, position + 1 < text.count,
      0x30...0x39 ~= text[position + 1]
    {
      position += 1
      skipBare()
    }
    guard let first = text[start..<position].first else { throw Malformed() }
    let word = text.slice(start..<position)
    let isWord = ["true", "false", "inf", "nan"].contains { $0.utf8.elementsEqual(word) }
    let isNumber = 0x30...0x39 ~= first || "+-".utf8.contains(first)
    let isPlain = word.allSatisfy { Self.isBareKey($0) || "+.: ".utf8.contains($0) }
    if !isWord, !isNumber || !isPlain { note("line \(line) isn't TOML") }
  }

  private mutating func skipBare() {
    while position < text.count, !" \t\r\n,]}#=\"'".utf8.contains(text[position]) { position += 1 }
  }

  /// Reads a string in quotes of any kind.
  private mutating func readString() throws(Malformed) -> TOMLDocument.Form {
    let quote = text[position]
    let isBasic = quote == UInt8(ascii: "\"")
    if text[position...].starts(with: [quote, quote, quote]) {
      try readLongString(quote)
      return .other
    }
    let raw = try quoted()
    if isBasic {
      guard case .some = TOMLDocument.unescaped(raw) else { throw Malformed() }
    }
    if raw.contains(where: { $0 < 0x20 && $0 != 0x09 }) { note("line \(line) isn't TOML") }
    return isBasic ? .basicString : .literalString
  }

  /// The text between this quote and the next one on this line.
  private mutating func quoted() throws(Malformed) -> UnsafeRawBufferPointer {
    let quote = text[position]
    position += 1
    let start = position
    while let byte = peek, byte != 0x0a {
      position += 1
      if byte == quote { return text.slice(start..<position - 1) }
      let isEscape = quote == UInt8(ascii: "\"") && byte == UInt8(ascii: "\\")
      if isEscape, position < text.count, text[position] != 0x0a { position += 1 }
    }
    throw Malformed()
  }

  private mutating func readLongString(_ quote: UInt8) throws(Malformed) {
    let isBasic = quote == UInt8(ascii: "\"")
    position += 3
    while let byte = peek {
      if byte == quote {
        let count = text[position...].prefix { $0 == quote }.count
        position += count
        if count > 5 { throw Malformed() }
        if count >= 3 { return }
      } else if byte == UInt8(ascii: "\\"), isBasic {
        position += 1
        guard let next = peek else { throw Malformed() }
        // The escaped character may be the end of the line.
        if next == 0x0a || next == 0x0d { continue }
        if !"btnferxuU\"\\ ".utf8.contains(next) { note("line \(line) isn't TOML") }
        position += 1
      } else {
        if byte == 0x0a { line += 1 }
        if byte < 0x20, ![0x09, 0x0a, 0x0d].contains(byte) { note("line \(line) isn't TOML") }
        position += 1
      }
    }
    throw Malformed()
  }

  private mutating func key() throws(Malformed) -> TOMLDocument.Path {
    var parts: TOMLDocument.Path = []
    repeat {
      skip(overLines: false)
      let start = position
      switch peek {
      case UInt8(ascii: "'"): parts.append(ByteString(try quoted()))
      case UInt8(ascii: "\""):
        guard case .some(let part) = TOMLDocument.unescaped(try quoted()) else { throw Malformed() }
        parts.append(ByteString(part))
      default:
        while position < text.count, Self.isBareKey(text[position]) { position += 1 }
        if position == start { throw Malformed() }
        parts.append(ByteString(text.slice(start..<position)))
      }
      if parts.count > Self.maximumDepth { throw Malformed() }
    } while take(".")
    return parts
  }

  // MARK: Between

  private var peek: UInt8? { position < text.count ? text[position] : nil }
  private var lineStart: Int { (text[..<position].lastIndex(of: 0x0a) ?? -1) + 1 }
  /// The position after the end of the line that has just been read.
  private var afterLine: Int { min(position + 1, text.count) }

  private static func isBareKey(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "_-".utf8.contains(byte)
  }

  private mutating func note(_ fault: String) {
    if document.fault == nil { document.fault = fault }
  }

  private mutating func skip(overLines: Bool) {
    while let byte = peek {
      if byte == 0x20 || byte == 0x09 {
        position += 1
      } else if overLines, byte == 0x0a || byte == 0x0d {
        if byte == 0x0a { line += 1 }
        position += 1
      } else if overLines, byte == UInt8(ascii: "#") {
        skipComment()
      } else {
        return
      }
    }
  }

  private mutating func skipComment() {
    document.hasComments = true
    while let byte = peek, byte != 0x0a {
      if byte < 0x20 && byte != 0x09 && byte != 0x0d || byte == 0x7f { note("line \(line) isn't TOML") }
      position += 1
    }
  }

  private mutating func take(_ character: Unicode.Scalar, afterBlanks: Bool = true) -> Bool {
    let start = position
    while afterBlanks, peek == 0x20 || peek == 0x09 { position += 1 }
    guard peek == UInt8(ascii: character) else {
      position = start
      return false
    }
    position += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(Malformed) {
    guard take(character) else { throw Malformed() }
  }

  private mutating func endLine() throws(Malformed) {
    skip(overLines: false)
    if peek == UInt8(ascii: "#") { skipComment() }
    if peek == 0x0d { position += 1 }
    guard peek == nil || peek == 0x0a else { throw Malformed() }
  }
}
