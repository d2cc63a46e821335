/// Reads JSON (RFC 8259) in place: values are slices of the text, and a secret is copied only to its destination.
package enum JSONReader {
  /// The text is not JSON, or not the expected value. Holds none of the text.
  package struct Malformed: Error {
    package init() {}
  }

  /// The largest depth of nested values.
  package static let maximumDepth = 64

  /// Reads an object and passes each member to `body`, in order: its raw name (no quotes, raw escapes) and value.
  ///
  /// - Throws: ``Malformed`` if `text` is anything but one object; what `body` throws.
  package static func members(
    of text: UnsafeRawBufferPointer,
    _ body: (_ name: UnsafeRawBufferPointer, _ value: JSONValue) throws(Malformed) -> Void
  ) throws(Malformed) {
    guard isValidUTF8(text) else { throw Malformed() }
    var scanner = JSONScanner(text)
    try scanner.expect("{")
    if try scanner.peek() == UInt8(ascii: "}") {
      try scanner.expect("}")
    } else {
      while true {
        let name = try scanner.string()
        try scanner.expect(":")
        try body(name, try scanner.value(depth: 1))
        if try scanner.peek() == UInt8(ascii: ",") {
          try scanner.expect(",")
        } else {
          try scanner.expect("}")
          break
        }
      }
    }
    try scanner.expectEnd()
  }

  /// Reads an array and passes each element to `body`, in order.
  ///
  /// - Throws: ``Malformed`` if `text` is anything but one array; what `body` throws.
  package static func elements(
    of text: UnsafeRawBufferPointer, _ body: (JSONValue) throws(Malformed) -> Void
  ) throws(Malformed) {
    guard isValidUTF8(text) else { throw Malformed() }
    var scanner = JSONScanner(text)
    try scanner.expect("[")
    if try scanner.peek() == UInt8(ascii: "]") {
      try scanner.expect("]")
    } else {
      while true {
        try body(try scanner.value(depth: 1))
        if try scanner.peek() == UInt8(ascii: ",") {
          try scanner.expect(",")
        } else {
          try scanner.expect("]")
          break
        }
      }
    }
    try scanner.expectEnd()
  }
}

/// One value of a JSON text, not yet decoded.
package struct JSONValue {
  package enum Kind: UInt8 {
    case string, number, bool, null, object, array

    // Other modules would call the synthesized operators through a table that is built at each start.
    package static func == (left: Kind, right: Kind) -> Bool { left.rawValue == right.rawValue }
    package static func != (left: Kind, right: Kind) -> Bool { left.rawValue != right.rawValue }
  }

  package let kind: Kind
  /// The value's text, including the quotes of a string.
  package let raw: UnsafeRawBufferPointer

  init(kind: Kind, raw: UnsafeRawBufferPointer) {
    self.kind = kind
    self.raw = raw
  }

  /// A text that has to be an array.
  package init(array text: UnsafeRawBufferPointer) { self.init(kind: .array, raw: text) }

  /// Appends the contents of a string to `output`, escapes resolved.
  package func appendString(to output: inout Secret) throws(JSONReader.Malformed) {
    guard kind == .string else { throw JSONReader.Malformed() }
    try Self.append(UnsafeRawBufferPointer(rebasing: raw[1..<raw.count - 1]), to: &output)
  }

  /// The contents of a string that may be secret.
  package func secret() throws(JSONReader.Malformed) -> Secret {
    var contents = Secret(capacity: raw.count)
    try appendString(to: &contents)
    return contents
  }

  /// A member's name as passed by ``JSONReader/members(of:_:)``, escapes resolved.
  package static func name(_ text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> ByteString {
    var bytes = Secret(capacity: text.count)
    try append(text, to: &bytes)
    return bytes.withUnsafeBytes { ByteString($0) }
  }

  private static func append(
    _ text: UnsafeRawBufferPointer, to output: inout Secret
  ) throws(JSONReader.Malformed) {
    var index = 0
    while index < text.count {
      let byte = text[index]
      guard byte == UInt8(ascii: "\\") else {
        output.append(byte)
        index += 1
        continue
      }
      index += 1
      guard index < text.count else { throw JSONReader.Malformed() }
      switch text[index] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): output.append(text[index])
      case UInt8(ascii: "b"): output.append(0x08)
      case UInt8(ascii: "f"): output.append(0x0c)
      case UInt8(ascii: "n"): output.append(0x0a)
      case UInt8(ascii: "r"): output.append(0x0d)
      case UInt8(ascii: "t"): output.append(0x09)
      case UInt8(ascii: "u"):
        var scalar = try hexadecimal(text, at: index + 1)
        index += 4
        if 0xd800..<0xdc00 ~= scalar {
          guard index + 2 < text.count, text[index + 1] == UInt8(ascii: "\\"),
            text[index + 2] == UInt8(ascii: "u")
          else { throw JSONReader.Malformed() }
          let low = try hexadecimal(text, at: index + 3)
          guard 0xdc00..<0xe000 ~= low else { throw JSONReader.Malformed() }
          scalar = 0x10000 + (scalar - 0xd800) << 10 + (low - 0xdc00)
          index += 6
        }
        guard let scalar = Unicode.Scalar(scalar) else { throw JSONReader.Malformed() }
        for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { output.append(unit) }
      default: throw JSONReader.Malformed()
      }
      index += 1
    }
  }

  /// Appends the bytes that a string encodes in base64 to `output`.
  package func appendBase64(to output: inout Secret) throws(JSONReader.Malformed) {
    var text = Secret(capacity: raw.count)
    try appendString(to: &text)
    guard text.withUnsafeBytes({ Base64.decode($0, to: &output) }) else { throw JSONReader.Malformed() }
  }

  /// The contents of a string. Not for secrets.
  package func string() throws(JSONReader.Malformed) -> ByteString {
    guard kind == .string else { throw JSONReader.Malformed() }
    let text = UnsafeRawBufferPointer(rebasing: raw[1..<raw.count - 1])
    if !text.contains(UInt8(ascii: "\\")) { return ByteString(text) }
    var bytes = Secret(capacity: raw.count)
    try appendString(to: &bytes)
    return bytes.withUnsafeBytes { ByteString($0) }
  }

  /// The bytes that a string encodes in base64. Not for secrets.
  package func base64() throws(JSONReader.Malformed) -> ByteString {
    var bytes = Secret(capacity: raw.count)
    try appendBase64(to: &bytes)
    return bytes.withUnsafeBytes { ByteString($0) }
  }

  /// A whole number in range.
  ///
  /// There is one function for each type: a generic one, called from another module, looks up at each start how such
  /// numbers are added, which took a tenth of an answer's time.
  package func integer() throws(JSONReader.Malformed) -> Int64 {
    guard kind == .number else { throw JSONReader.Malformed() }
    let isNegative = raw.first == UInt8(ascii: "-")
    var number: Int64 = 0
    for digit in raw[(isNegative ? 1 : 0)...] {
      guard 0x30...0x39 ~= digit else { throw JSONReader.Malformed() }
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let value = Int64(digit - 0x30)
      let (sum, isSumTooLarge) =
        isNegative ? product.subtractingReportingOverflow(value) : product.addingReportingOverflow(value)
      if isTooLarge || isSumTooLarge { throw JSONReader.Malformed() }
      number = sum
    }
    return number
  }

  package func integer() throws(JSONReader.Malformed) -> Int { Int(try integer() as Int64) }

  package func integer() throws(JSONReader.Malformed) -> UInt16 {
    guard let number = UInt16(exactly: try integer() as Int64) else { throw JSONReader.Malformed() }
    return number
  }

  package func bool() throws(JSONReader.Malformed) -> Bool {
    guard kind == .bool else { throw JSONReader.Malformed() }
    return raw.count == 4
  }

  /// A moment as RFC 3339 in UTC.
  package func timestamp() throws(JSONReader.Malformed) -> Timestamp {
    guard let moment = try string().bytes.withUnsafeBytes({ Timestamp(rfc3339: $0) }) else {
      throw JSONReader.Malformed()
    }
    return moment
  }

  fileprivate static func hexadecimal(
    _ text: UnsafeRawBufferPointer, at start: Int
  ) throws(JSONReader.Malformed) -> UInt32 {
    guard start + 4 <= text.count else { throw JSONReader.Malformed() }
    var value: UInt32 = 0
    for index in start..<start + 4 {
      guard let digit = hexadecimalValue(text[index]) else { throw JSONReader.Malformed() }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}

/// A scanner that finds where values begin and end.
private struct JSONScanner {
  private let text: UnsafeRawBufferPointer
  private var position = 0

  init(_ text: UnsafeRawBufferPointer) {
    self.text = text
  }

  /// The next byte that is not white space, not consumed.
  mutating func peek() throws(JSONReader.Malformed) -> UInt8 {
    while position < text.count {
      switch text[position] {
      case 0x20, 0x09, 0x0a, 0x0d: position += 1
      case let byte: return byte
      }
    }
    throw JSONReader.Malformed()
  }

  mutating func expect(_ character: Unicode.Scalar) throws(JSONReader.Malformed) {
    guard try peek() == UInt8(ascii: character) else { throw JSONReader.Malformed() }
    position += 1
  }

  mutating func expectEnd() throws(JSONReader.Malformed) {
    while position < text.count {
      switch text[position] {
      case 0x20, 0x09, 0x0a, 0x0d: position += 1
      default: throw JSONReader.Malformed()
      }
    }
  }

  mutating func string() throws(JSONReader.Malformed) -> UnsafeRawBufferPointer {
    try expect("\"")
    let start = position
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "\""):
        position += 1
        return UnsafeRawBufferPointer(rebasing: text[start..<position - 1])
      case UInt8(ascii: "\\"): try escape()
      case 0..<0x20: throw JSONReader.Malformed()
      default: position += 1
      }
    }
    throw JSONReader.Malformed()
  }

  /// Skips an escape without decoding it.
  private mutating func escape() throws(JSONReader.Malformed) {
    guard position + 1 < text.count else { throw JSONReader.Malformed() }
    switch text[position + 1] {
    case UInt8(ascii: "u"):
      _ = try JSONValue.hexadecimal(text, at: position + 2)
      position += 6
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 2
    default: throw JSONReader.Malformed()
    }
  }

  mutating func value(depth: Int) throws(JSONReader.Malformed) -> JSONValue {
    guard depth <= JSONReader.maximumDepth else { throw JSONReader.Malformed() }
    let first = try peek()
    let start = position
    let kind: JSONValue.Kind
    switch first {
    case UInt8(ascii: "\""):
      _ = try string()
      kind = .string
    case UInt8(ascii: "{"):
      try nested(until: "}", depth: depth, hasNames: true)
      kind = .object
    case UInt8(ascii: "["):
      try nested(until: "]", depth: depth, hasNames: false)
      kind = .array
    case UInt8(ascii: "t"):
      try word("true")
      kind = .bool
    case UInt8(ascii: "f"):
      try word("false")
      kind = .bool
    case UInt8(ascii: "n"):
      try word("null")
      kind = .null
    default:
      try number()
      kind = .number
    }
    return JSONValue(kind: kind, raw: UnsafeRawBufferPointer(rebasing: text[start..<position]))
  }

  private mutating func nested(
    until end: Unicode.Scalar, depth: Int, hasNames: Bool
  ) throws(JSONReader.Malformed) {
    position += 1
    if try peek() == UInt8(ascii: end) {
      position += 1
      return
    }
    while true {
      if hasNames {
        _ = try string()
        try expect(":")
      }
      _ = try value(depth: depth + 1)
      if try peek() == UInt8(ascii: ",") {
        position += 1
      } else {
        return try expect(end)
      }
    }
  }

  private mutating func word(_ word: StaticString) throws(JSONReader.Malformed) {
    for offset in 0..<word.utf8CodeUnitCount {
      guard position < text.count, text[position] == word.utf8Start[offset] else {
        throw JSONReader.Malformed()
      }
      position += 1
    }
  }

  /// A number according to RFC 8259 section 6.
  private mutating func number() throws(JSONReader.Malformed) {
    if try peek() == UInt8(ascii: "-") { position += 1 }
    let start = position
    try digits()
    if text[start] == 0x30, position > start + 1 { throw JSONReader.Malformed() }
    if position < text.count, text[position] == UInt8(ascii: ".") {
      position += 1
      try digits()
    }
    if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < text.count, text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-") {
        position += 1
      }
      try digits()
    }
  }

  private mutating func digits() throws(JSONReader.Malformed) {
    let start = position
    while position < text.count, 0x30...0x39 ~= text[position] { position += 1 }
    if position == start { throw JSONReader.Malformed() }
  }
}
