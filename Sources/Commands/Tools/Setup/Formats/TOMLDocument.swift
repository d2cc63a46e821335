/// A TOML file (toml.io, version 1.0), parsed strictly, with the positions needed to change it. To extract from such a
/// file whatever can be understood, use `TOMLValues`.
struct TOMLDocument {
  typealias Path = [[UInt8]]

  /// `KEY = VALUE`, on a line of its own or in an inline table.
  struct Entry {
    /// The keys that lead to the value: those of the table, then its own.
    let path: Path
    /// The number of keys in the path that belong to the table header above its line.
    let tableDepth: Int
    let value: Range<Int>
    /// The elements of an array; `nil` for anything else.
    let elements: [Range<Int>]?
    /// Whether it is an inline table, and whether that is empty.
    let inline: (isTable: Bool, isEmpty: Bool)
    /// The whole lines of its statement; `nil` in an inline table.
    fileprivate(set) var lines: Range<Int>?
  }

  /// `[TABLE]`
  struct Table {
    let path: Path
    let isElement: Bool
    /// The header line.
    let header: Range<Int>
    /// The position for another statement.
    fileprivate(set) var end: Int
  }

  private(set) var entries: [Entry] = []
  private(set) var tables: [Table] = []
  /// The position for another statement before the first table.
  private(set) var rootEnd = 0

  private enum Definition {
    case value, implicit, explicit, elements
    /// Defined by keys with dots, below the header with this number.
    case dotted(Int)
  }

  private let text: [UInt8]
  private var position = 0
  private var line = 1
  private var table: Path = []
  private var definitions: [Path: Definition] = [:]

  /// - Throws: ``ConfigurationFault`` for anything that TOML forbids.
  init(_ text: [UInt8]) throws(ConfigurationFault) {
    self.text = text
    if String(validating: text, as: UTF8.self) == nil { throw ConfigurationFault("it isn't UTF-8") }
    if text.hasLoneCarriageReturn { throw ConfigurationFault("it has a line that ends with CR alone") }
    if text.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    rootEnd = position
    try skip(overLines: true)
    while let byte = peek {
      let start = lineStart
      if byte == UInt8(ascii: "[") { try readHeader(start) } else { try readStatement(start) }
      try skip(overLines: true)
    }
  }

  /// The value at a path.
  func entry(_ path: Path) -> Entry? { entries.first { $0.path == path } }

  // MARK: Statements

  private mutating func readHeader(_ start: Int) throws(ConfigurationFault) {
    position += 1
    let isElement = take("[")
    let name = try key()
    try expect("]")
    if isElement {
      guard take("]", afterBlanks: false) else { throw fault }
    }
    try endLine()
    for count in 1..<name.count {
      let prefix = Array(name[..<count])
      switch definitions[prefix] {
      case nil: definitions[prefix] = .implicit
      case .value: throw fault
      default: break
      }
    }
    switch (definitions[name], isElement) {
    case (nil, true): definitions[name] = .elements
    case (.elements, true):
      // Each element has keys of its own.
      definitions = definitions.filter { $0.key.count <= name.count || !$0.key.starts(with: name) }
    case (nil, false), (.implicit, false): definitions[name] = .explicit
    default: throw ConfigurationFault("line \(line) names a table that was there before")
    }
    table = name
    tables.append(Table(path: name, isElement: isElement, header: start..<afterLine, end: afterLine))
  }

  private mutating func readStatement(_ start: Int) throws(ConfigurationFault) {
    let own = try key()
    for count in 1..<own.count {
      let prefix = table + own[..<count]
      switch definitions[prefix] {
      case nil: definitions[prefix] = .dotted(tables.count)
      case .dotted(let number) where number == tables.count: break
      default: throw ConfigurationFault("line \(line) has a key that was there before")
      }
    }
    try expect("=")
    let index = entries.count
    try readValue(table + own, depth: 0)
    try endLine()
    entries[index].lines = start..<afterLine
    if tables.isEmpty { rootEnd = afterLine } else { tables[tables.count - 1].end = afterLine }
  }

  /// Reads a value and stores it; the entry of an inline table comes before those inside it.
  private mutating func readValue(_ path: Path, depth: Int) throws(ConfigurationFault) {
    if definitions[path] != nil { throw ConfigurationFault("line \(line) has a key that was there before") }
    definitions[path] = .value
    try skip(overLines: false)
    let start = position
    let index = entries.count
    func entry(_ elements: [Range<Int>]? = nil, _ inline: (Bool, Bool) = (false, false)) -> Entry {
      Entry(
        path: path, tableDepth: table.count, value: start..<position, elements: elements,
        inline: (inline.0, inline.1), lines: nil)
    }
    if peek == UInt8(ascii: "["), depth < 32 {
      let elements = try readArray(depth: depth)
      entries.append(entry(elements))
    } else if peek == UInt8(ascii: "{"), depth < 32 {
      let isEmpty = try readInlineTable(path, depth: depth)
      entries.insert(entry(nil, (true, isEmpty)), at: index)
    } else {
      try readScalar()
      entries.append(entry())
    }
  }

  private mutating func readInlineTable(_ path: Path, depth: Int) throws(ConfigurationFault) -> Bool {
    position += 1
    if take("}") { return true }
    repeat {
      let own = try key()
      for count in 1..<own.count {
        let prefix = path + own[..<count]
        switch definitions[prefix] {
        case nil: definitions[prefix] = .dotted(-position)
        case .dotted: break
        default: throw fault
        }
      }
      try expect("=")
      try readValue(path + own, depth: depth + 1)
    } while take(",")
    try expect("}")
    return false
  }

  private mutating func readArray(depth: Int) throws(ConfigurationFault) -> [Range<Int>] {
    position += 1
    var elements: [Range<Int>] = []
    while true {
      try skip(overLines: true)
      if take("]") { return elements }
      let start = position
      if peek == UInt8(ascii: "["), depth < 32 {
        _ = try readArray(depth: depth + 1)
      } else if peek == UInt8(ascii: "{"), depth < 32 {
        // Tables in an array are ignored, except for where they end.
        let kept = (entries, definitions)
        _ = try readInlineTable([], depth: depth + 1)
        (entries, definitions) = kept
      } else {
        try readScalar()
      }
      elements.append(start..<position)
      try skip(overLines: true)
      if take("]") { return elements }
      try expect(",")
    }
  }

  private mutating func readScalar() throws(ConfigurationFault) {
    guard let byte = peek else { throw fault }
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return try readString(byte) }
    let start = position
    func isBare(_ byte: UInt8?) -> Bool {
      byte.map { Self.isBareKey($0) || "+.:".utf8.contains($0) } ?? false
    }
    while isBare(peek) { position += 1 }
    // A date may be followed by a space and a time.
    if position - start == 10, text[start + 4] == UInt8(ascii: "-"), peek == 0x20, position + 1 < text.count,
      0x30...0x39 ~= text[position + 1]
    {
      position += 1
      while isBare(peek) { position += 1 }
    }
    let word = text.string(start..<position)
    let isNumber = word.first.map { "+-0123456789".contains($0) } ?? false
    guard isNumber || ["true", "false", "inf", "nan"].contains(word) else { throw fault }
  }

  private mutating func readString(_ quote: UInt8) throws(ConfigurationFault) {
    let isBasic = quote == UInt8(ascii: "\"")
    let start = fault
    let isLong = text[position...].starts(with: [quote, quote, quote])
    position += isLong ? 3 : 1
    while let byte = peek {
      if byte == quote {
        if !isLong {
          position += 1
          return
        }
        let count = text[position...].prefix { $0 == quote }.count
        position += count
        if count > 5 { throw start }
        if count >= 3 { return }
      } else if byte == 0x0a {
        if !isLong { throw start }
        line += 1
        position += 1
      } else if byte == UInt8(ascii: "\\"), isBasic {
        guard position + 1 < text.count else { throw start }
        let isEnd = text[position + 1] == 0x0a || text[position + 1] == 0x0d
        guard isEnd ? isLong : "btnfr\"\\uU ".utf8.contains(text[position + 1]) else { throw start }
        position += isEnd ? 1 : 2
      } else {
        if byte < 0x20, byte != 0x09, !(isLong && byte == 0x0d) { throw start }
        position += 1
      }
    }
    throw start
  }

  /// Reads a key, perhaps of several parts separated by dots.
  private mutating func key() throws(ConfigurationFault) -> Path {
    var parts: Path = []
    repeat {
      try skip(overLines: false)
      let start = position
      if let quote = peek, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
        if text[position...].starts(with: [quote, quote, quote]) { throw fault }
        try readString(quote)
        guard let part = Self.string(text, start..<position) else { throw fault }
        parts.append(Array(part.utf8))
      } else {
        while let byte = peek, Self.isBareKey(byte) {
          _ = byte
          position += 1
        }
        if position == start { throw fault }
        parts.append(Array(text[start..<position]))
      }
    } while take(".")
    if parts.count > 32 { throw fault }
    return parts
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "b"): 0x08, UInt8(ascii: "t"): 0x09, UInt8(ascii: "n"): 0x0a, UInt8(ascii: "f"): 0x0c,
    UInt8(ascii: "r"): 0x0d, UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5c,
  ]

  /// The contents of a single-line string; `nil` for anything else, and for numeric escapes.
  static func string(_ text: [UInt8], _ range: Range<Int>) -> String? {
    guard range.count > 1, let quote = text[range].first, text[range].last == quote,
      !(range.count > 5 && text[range].starts(with: [quote, quote, quote]))
    else { return nil }
    let inside = text[(range.lowerBound + 1)..<(range.upperBound - 1)]
    if quote == UInt8(ascii: "'") { return String(decoding: inside, as: UTF8.self) }
    guard quote == UInt8(ascii: "\"") else { return nil }
    var bytes: [UInt8] = []
    var isEscaped = false
    for byte in inside {
      if !isEscaped, byte == UInt8(ascii: "\\") {
        isEscaped = true
        continue
      }
      if isEscaped {
        guard let plain = escapes[byte] else { return nil }
        bytes.append(plain)
        isEscaped = false
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Between

  private var fault: ConfigurationFault { ConfigurationFault("line \(line) isn't TOML") }
  private var peek: UInt8? { position < text.count ? text[position] : nil }
  private var lineStart: Int { (text[..<position].lastIndex(of: 0x0a) ?? -1) + 1 }
  /// The position after the end of the line that has just been read.
  private var afterLine: Int { min(position + 1, text.count) }

  private static func isBareKey(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }

  private mutating func skip(overLines: Bool) throws(ConfigurationFault) {
    while let byte = peek {
      if byte == 0x20 || byte == 0x09 {
        position += 1
      } else if overLines, byte == 0x0a || byte == 0x0d {
        if byte == 0x0a { line += 1 }
        position += 1
      } else if overLines, byte == UInt8(ascii: "#") {
        try skipComment()
      } else {
        return
      }
    }
  }

  private mutating func skipComment() throws(ConfigurationFault) {
    while let byte = peek, byte != 0x0a {
      if byte < 0x20 && byte != 0x09 && byte != 0x0d || byte == 0x7f { throw fault }
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

  private mutating func expect(_ character: Unicode.Scalar) throws(ConfigurationFault) {
    guard take(character) else { throw fault }
  }

  private mutating func endLine() throws(ConfigurationFault) {
    try skip(overLines: false)
    if peek == UInt8(ascii: "#") { try skipComment() }
    if peek == 0x0d { position += 1 }
    guard peek == nil || peek == 0x0a else { throw fault }
  }
}
