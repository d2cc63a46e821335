package import Bytes

/// A TOML file (toml.io, version 1.0), with the positions needed to change it, and nothing of its values.
package struct TOMLDocument {
  package typealias Path = [ByteString]

  /// How a value is written.
  package enum Form: Equatable, Sendable {
    /// On one line, in double quotes and in single ones.
    case basicString, literalString
    /// The ranges of the elements.
    case array([Range<Int>])
    case table
    /// A number, a date, a string over several lines, or something that TOML forbids.
    case other
  }

  /// `KEY = VALUE`, on a line of its own or in an inline table.
  package struct Entry {
    /// The keys that lead to the value: those of the table, then its own.
    package let path: Path
    /// The line on which the value begins, counting from 1.
    package let line: Int
    package let form: Form
    /// Where the value is, with the quotes of a string.
    package let value: Range<Int>
    /// The whole lines of its statement; `nil` in an inline table.
    package internal(set) var lines: Range<Int>?

    /// The elements of an array; `nil` for anything else.
    package var elements: [Range<Int>]? {
      if case .array(let elements) = form { elements } else { nil }
    }

    package var isTable: Bool { form == .table }
  }

  /// `[TABLE]`
  package struct Table {
    package let path: Path
    package let isElement: Bool
    package let header: Range<Int>
  }

  /// Every value that is not in an array, in order; an inline table comes before what is in it.
  package internal(set) var entries: [Entry] = []
  package internal(set) var tables: [Table] = []
  /// The lines of invalid statements. Each ends its table: it may have been meant to begin another one, so the entries
  /// after it belong to none until the next.
  package internal(set) var malformedLines: [Int] = []
  package internal(set) var hasComments = false
  /// The first violation of TOML, as a sentence without a full stop; `nil` if there is none.
  package internal(set) var fault: String?

  package init(_ text: UnsafeRawBufferPointer) {
    var reader = TOMLReader(text)
    reader.readAll()
    self = reader.document
  }

  init() {}

  package func entry(_ path: Path) -> Entry? { entries.first { $0.path == path } }

  /// The contents of a string on one line; `nil` for anything else.
  ///
  /// - Parameter range: where the value is in the text.
  package static func string(_ range: Range<Int>, in text: UnsafeRawBufferPointer) -> Secret? {
    let (basic, literal) = (UInt8(ascii: "\""), UInt8(ascii: "'"))
    guard range.count > 1, let quote = text[range].first, text[range].last == quote,
      quote == basic || quote == literal,
      range.count < 6 || !text[range].starts(with: [quote, quote, quote])
    else { return nil }
    let inside = text.slice(range.lowerBound + 1..<range.upperBound - 1)
    return quote == literal ? Secret(copying: inside) : unescaped(inside)
  }

  /// The same, if it is not confidential.
  package static func text(_ range: Range<Int>, in text: UnsafeRawBufferPointer) -> ByteString? {
    ByteString(string(range, in: text))
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5c, UInt8(ascii: "b"): 0x08, UInt8(ascii: "t"): 0x09,
    UInt8(ascii: "n"): 0x0a, UInt8(ascii: "f"): 0x0c, UInt8(ascii: "r"): 0x0d, UInt8(ascii: "e"): 0x1b,
  ]
  private static let digits: [UInt8: Int] = [
    UInt8(ascii: "x"): 2, UInt8(ascii: "u"): 4, UInt8(ascii: "U"): 8,
  ]

  /// Resolves the escapes of a basic string (TOML 1.0, "String"; `\e` and `\x` are from 1.1).
  static func unescaped(_ raw: UnsafeRawBufferPointer) -> Secret? {
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
      if let plain = escapes[letter] {
        text.append(plain)
        continue
      }
      guard let length = digits[letter], index + length <= raw.count else { return nil }
      var number: UInt32 = 0
      for digit in raw[index..<index + length] {
        guard let value = hexadecimalValue(digit) else { return nil }
        number = number << 4 | UInt32(value)
      }
      guard let scalar = Unicode.Scalar(number) else { return nil }
      for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { text.append(unit) }
      index += length
    }
    return text
  }
}
