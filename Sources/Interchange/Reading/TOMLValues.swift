import Bytes
import Keychain

/// A value in a TOML file that is not in an array.
struct TOMLValue {
  /// How it is written.
  enum Kind { case basicString, literalString, other }

  /// The keys that lead to it: those of the table, then its own.
  let path: [ByteString]
  let kind: Kind
  /// Its text, without a string's quotes.
  fileprivate let raw: UnsafeRawBufferPointer
  /// Its range in the file, including a string's quotes.
  let range: Range<Int>
  /// The range of the whole lines of its statement; `nil` if the statement has other values, too.
  fileprivate(set) var statement: Range<Int>?
  /// The line on which it begins, counting from 1.
  let line: Int

  /// The value of a string; `nil` for anything else.
  var secret: Secret? {
    switch kind {
    case .other: return nil
    case .literalString: return Secret(copying: raw)
    case .basicString: return TOMLValue.unescaped(raw)
    }
  }

  /// The value of a string, if it is not confidential.
  var text: ByteString? {
    switch secret {
    case .none: nil
    case .some(let secret): secret.withUnsafeBytes { ByteString($0) }
    }
  }

  /// Resolves the escapes of a basic string (TOML 1.0, "String"; `\e` and `\x` are from 1.1).
  fileprivate static func unescaped(_ raw: UnsafeRawBufferPointer) -> Secret? {
    var text = Secret(capacity: raw.count)
    var index = 0
    while index < raw.count {
      guard raw[index] == UInt8(ascii: "\\") else {
        text.append(raw[index])
        index += 1
        continue
      }
      guard index + 1 < raw.count else { return nil }
      let letter = raw[index + 1]
      index += 2
      switch letter {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text.append(letter)
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "n"): text.append(0x0a)
      case UInt8(ascii: "f"): text.append(0x0c)
      case UInt8(ascii: "r"): text.append(0x0d)
      case UInt8(ascii: "e"): text.append(0x1b)
      case UInt8(ascii: "x"), UInt8(ascii: "u"), UInt8(ascii: "U"):
        let length = letter == UInt8(ascii: "x") ? 2 : letter == UInt8(ascii: "u") ? 4 : 8
        guard index + length <= raw.count else { return nil }
        var number: UInt32 = 0
        for digit in raw[index..<index + length] {
          switch digit {
          case 0x30...0x39: number = number << 4 | UInt32(digit - 0x30)
          case 0x41...0x46, 0x61...0x66: number = number << 4 | UInt32((digit | 0x20) - 0x61 + 10)
          default: return nil
          }
        }
        guard let scalar = Unicode.Scalar(number) else { return nil }
        for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { text.append(unit) }
        index += length
      default: return nil
      }
    }
    return text
  }
}

/// The values of a TOML file (toml.io, version 1.0). A malformed line ends its table.
struct TOMLValues {
  /// Every value that is not in an array, in order.
  private(set) var values: [TOMLValue] = []
  /// The malformed lines.
  private(set) var malformedLines: [Int] = []
  /// Whether there are comments or arrays, which are not among the values.
  private(set) var hasOthers = false

  private struct Malformed: Error {}

  /// The largest depth of nested values; deeper ones are refused.
  private static let maximumDepth = 32

  private let file: UnsafeRawBufferPointer
  private var position = 0
  private var line = 1
  private var table: [ByteString] = []

  init(_ file: UnsafeRawBufferPointer) {
    self.file = file
    while skipToStatement() {
      let first = line
      let count = values.count
      do throws(Malformed) {
        try readStatement()
      } catch {
        values.removeLast(values.count - count)
        malformedLines.append(first)
        // It may have been meant to begin another table, so that what follows belongs to none until the next one.
        table = [""]
        skipLine()
      }
    }
  }

  private mutating func readStatement() throws(Malformed) {
    let start = position
    if file[position] == UInt8(ascii: "[") {
      let isElement = position + 1 < file.count && file[position + 1] == UInt8(ascii: "[")
      position += isElement ? 2 : 1
      let name = try key()
      try expect("]")
      if isElement { try expect("]") }
      try expectEndOfLine()
      table = name
      return
    }
    let path = table + (try key())
    try expect("=")
    skipBlanks()
    let count = values.count
    try readValue(path, depth: 1, isKept: true)
    let end = position
    try expectEndOfLine()
    if values.count == count + 1, values[count].range.upperBound == end {
      values[count].statement = wholeLine(start)
    }
  }

  private mutating func readValue(_ path: [ByteString], depth: Int, isKept: Bool) throws(Malformed) {
    guard depth <= Self.maximumDepth, position < file.count else { throw Malformed() }
    let start = position
    let first = line
    var kind = TOMLValue.Kind.other
    var raw = UnsafeRawBufferPointer(rebasing: file[start..<start])
    switch file[position] {
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      let quote = file[position]
      if file[start...].starts(with: [quote, quote, quote]) {
        try readMultilineString(quote)
      } else {
        raw = try quoted()
        kind = quote == UInt8(ascii: "'") ? .literalString : .basicString
        if kind == .basicString {
          guard case .some = TOMLValue.unescaped(raw) else { throw Malformed() }
        }
      }
    case UInt8(ascii: "["):
      hasOthers = true
      position += 1
      try skipBetweenElements()
      while try !take("]") {
        try readValue(path, depth: depth + 1, isKept: false)
        try skipBetweenElements()
        if try take("]") { break }
        try expect(",")
        try skipBetweenElements()
      }
    case UInt8(ascii: "{"):
      position += 1
      try skipBetweenElements()
      while try !take("}") {
        let path = path + (try key())
        try expect("=")
        skipBlanks()
        try readValue(path, depth: depth + 1, isKept: isKept)
        try skipBetweenElements()
        if try take("}") { break }
        try expect(",")
        try skipBetweenElements()
      }
      return
    default:
      while position < file.count, !Array(" \t\r\n,]}#=\"'".utf8).contains(file[position]) { position += 1 }
      if position == start { throw Malformed() }
    }
    if isKept {
      values.append(
        TOMLValue(path: path, kind: kind, raw: raw, range: start..<position, statement: nil, line: first))
    }
  }

  /// A key, possibly of several parts separated by dots.
  private mutating func key() throws(Malformed) -> [ByteString] {
    var parts: [ByteString] = []
    while true {
      skipBlanks()
      guard position < file.count else { throw Malformed() }
      let start = position
      if file[position] == UInt8(ascii: "\"") || file[position] == UInt8(ascii: "'") {
        let isLiteral = file[position] == UInt8(ascii: "'")
        let raw = try quoted()
        if isLiteral {
          parts.append(ByteString(raw))
        } else {
          guard case .some(let text) = TOMLValue.unescaped(raw) else { throw Malformed() }
          parts.append(text.withUnsafeBytes { ByteString($0) })
        }
      } else {
        while position < file.count, Self.isBareKey(file[position]) { position += 1 }
        if position == start { throw Malformed() }
        parts.append(ByteString(UnsafeRawBufferPointer(rebasing: file[start..<position])))
      }
      guard parts.count <= Self.maximumDepth else { throw Malformed() }
      skipBlanks()
      guard position < file.count, file[position] == UInt8(ascii: ".") else { return parts }
      position += 1
    }
  }

  /// The text between this quote and the next one on this line.
  private mutating func quoted() throws(Malformed) -> UnsafeRawBufferPointer {
    let quote = file[position]
    position += 1
    let start = position
    while position < file.count, file[position] != 0x0a {
      if file[position] == quote {
        position += 1
        return UnsafeRawBufferPointer(rebasing: file[start..<position - 1])
      }
      let isEscape = quote == UInt8(ascii: "\"") && file[position] == UInt8(ascii: "\\")
      position += isEscape && position + 1 < file.count && file[position + 1] != 0x0a ? 2 : 1
    }
    throw Malformed()
  }

  private mutating func readMultilineString(_ quote: UInt8) throws(Malformed) {
    position += 3
    while position < file.count {
      if file[position...].starts(with: [quote, quote, quote]) {
        position += 3
        // Up to two quotes may precede the closing ones.
        while position < file.count, file[position] == quote { position += 1 }
        return
      }
      let isEscape = quote == UInt8(ascii: "\"") && file[position] == UInt8(ascii: "\\")
      if file[position] == 0x0a { line += 1 }
      position += 1
      if isEscape, position < file.count, file[position] != 0x0a { position += 1 }
    }
    throw Malformed()
  }

  // MARK: Between values

  private static func isBareKey(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }

  private mutating func skipBlanks() {
    while position < file.count, file[position] == 0x20 || file[position] == 0x09 { position += 1 }
  }

  private mutating func skipLine() {
    while position < file.count, file[position] != 0x0a { position += 1 }
  }

  /// Skips to the next statement. Returns whether there is one.
  private mutating func skipToStatement() -> Bool {
    while position < file.count {
      switch file[position] {
      case 0x20, 0x09, 0x0d: position += 1
      case 0x0a:
        line += 1
        position += 1
      case UInt8(ascii: "#"):
        hasOthers = true
        skipLine()
      default: return true
      }
    }
    return false
  }

  private mutating func skipBetweenElements() throws(Malformed) {
    guard skipToStatement() else { throw Malformed() }
  }

  private mutating func take(_ character: Unicode.Scalar) throws(Malformed) -> Bool {
    skipBlanks()
    guard position < file.count else { throw Malformed() }
    guard file[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(Malformed) {
    guard try take(character) else { throw Malformed() }
  }

  private mutating func expectEndOfLine() throws(Malformed) {
    skipBlanks()
    guard position < file.count else { return }
    if file[position] == UInt8(ascii: "#") {
      hasOthers = true
      return skipLine()
    }
    if file[position] == 0x0d { position += 1 }
    guard position == file.count || file[position] == 0x0a else { throw Malformed() }
  }

  /// The range from the beginning of a statement's line to the end of the present line.
  private func wholeLine(_ start: Int) -> Range<Int> {
    var lower = start
    while lower > 0, file[lower - 1] != 0x0a { lower -= 1 }
    return lower..<Swift.min(position + 1, file.count)
  }
}
