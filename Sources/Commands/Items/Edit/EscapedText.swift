import Bytes
import ToolCommands

/// An attribute's bytes as one line of editable text.
///
/// `\n`, `\r` and `\t` are line feed, carriage return and tab, `\\` a backslash and `\"` a quotation mark; `\u{…}` is
/// the character with that hexadecimal number, and `\xHH` a byte. Invisible characters, spaces at either end, and bytes
/// that are not UTF-8 are escaped. `""` is the empty text.
enum EscapedText {
  struct Malformed: Error, Equatable {
    /// Follows the place in a message.
    let reason: String
  }

  static func text(of value: ByteString) -> String {
    if value.isEmpty { return "\"\"" }
    if value.bytes == Array("\"\"".utf8) { return #"\"\""# }
    var text = ""
    var decoder = UTF8.ForwardParser()
    var bytes = value.bytes.makeIterator()
    var position = 0
    while true {
      switch decoder.parseScalar(from: &bytes) {
      case .valid(let encoded):
        let isAtEnd = position == 0 || position + encoded.count == value.bytes.count
        text += escaped(UTF8.decode(encoded), isAtEnd: isAtEnd)
        position += encoded.count
      case .error(let length):
        for byte in value.bytes[position..<position + length] { text += escaped(byte) }
        position += length
      case .emptyInput: return text
      }
    }
  }

  /// The bytes of a line without surrounding spaces and tabs; `nil` for an empty line.
  static func value(of line: ArraySlice<UInt8>) throws(Malformed) -> ByteString? {
    let line = line.trimmed
    if line.isEmpty { return nil }
    if line.elementsEqual("\"\"".utf8) { return "" }
    var bytes: [UInt8] = []
    var rest = line
    while let byte = rest.popFirst() {
      guard byte == backslash else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "n"): bytes.append(0x0a)
      case UInt8(ascii: "r"): bytes.append(0x0d)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case backslash: bytes.append(backslash)
      case UInt8(ascii: "\""): bytes.append(UInt8(ascii: "\""))
      case UInt8(ascii: "x"): bytes.append(try byteNumber(&rest))
      case UInt8(ascii: "u"): bytes += try character(&rest)
      default: throw Malformed(reason: #"has a '\' that means nothing; a backslash itself is written '\\'"#)
      }
    }
    return ByteString(bytes)
  }

  private static let backslash = UInt8(ascii: "\\")

  private static func escaped(_ scalar: Unicode.Scalar, isAtEnd: Bool) -> String {
    switch scalar {
    case "\n": return #"\n"#
    case "\r": return #"\r"#
    case "\t": return #"\t"#
    case "\\": return #"\\"#
    case " " where isAtEnd: return #"\x20"#
    default: return terminalText(String(scalar))
    }
  }

  private static func escaped(_ byte: UInt8) -> String {
    #"\x"# + hexadecimal([byte])
  }

  private static func byteNumber(_ rest: inout ArraySlice<UInt8>) throws(Malformed) -> UInt8 {
    guard let high = rest.popFirst().flatMap(hexadecimalValue),
      let low = rest.popFirst().flatMap(hexadecimalValue)
    else {
      throw Malformed(reason: #"has a '\x' without two hexadecimal digits after it"#)
    }
    return high << 4 | low
  }

  private static func character(_ rest: inout ArraySlice<UInt8>) throws(Malformed) -> [UInt8] {
    let malformed = Malformed(reason: #"has a '\u' without a character's number in braces after it"#)
    guard rest.popFirst() == UInt8(ascii: "{") else { throw malformed }
    var number: UInt32 = 0
    var count = 0
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "}") {
        guard count > 0, let scalar = Unicode.Scalar(number) else { throw malformed }
        return Array(String(scalar).utf8)
      }
      count += 1
      guard count <= 6, let digit = hexadecimalValue(byte) else { throw malformed }
      number = number << 4 | UInt32(digit)
    }
    throw malformed
  }
}

extension ArraySlice<UInt8> {
  /// The bytes without spaces, tabs and carriage returns at either end.
  var trimmed: ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
    var rest = drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return rest
  }
}
