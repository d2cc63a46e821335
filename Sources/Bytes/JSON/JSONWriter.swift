/// A writer of JSON (RFC 8259) into memory that is wiped, because the values may be secret.
///
/// A value is written as base64, under its name with `_b64` appended, if it isn't UTF-8 or if escapes would make it
/// longer than base64; so JSON can hold every byte string within bounds. Control characters and those that change the
/// direction of text are escaped, so that output does no harm on a terminal (Trojan Source, CVE-2021-42574;
/// CVE-2024-50349).
package struct JSONWriter: ~Copyable {
  package var bytes: Secret
  private var needsComma = false

  package init(capacity: Int = 256) {
    bytes = Secret(capacity: capacity)
  }

  package consuming func finish() -> Secret {
    bytes
  }

  /// Ends writing with a line feed and returns the line.
  package consuming func finishLine() -> Secret {
    bytes.append("\n")
    return bytes
  }

  /// Begins an object as an array's element or as the whole text.
  package mutating func beginObject() {
    separate()
    bytes.append("{")
    needsComma = false
  }

  package mutating func beginObject(_ name: StaticString) {
    self.name(name)
    bytes.append("{")
    needsComma = false
  }

  package mutating func endObject() {
    bytes.append("}")
    needsComma = true
  }

  /// Begins an array as the whole text.
  package mutating func beginArray() {
    separate()
    bytes.append("[")
    needsComma = false
  }

  package mutating func beginArray(_ name: StaticString) {
    self.name(name)
    bytes.append("[")
    needsComma = false
  }

  package mutating func endArray() {
    bytes.append("]")
    needsComma = true
  }

  /// Writes a member, or nothing if the value is absent.
  package mutating func member(_ name: StaticString, _ value: ByteString?) {
    guard let value else { return }
    value.bytes.withUnsafeBytes { member(name, $0) }
  }

  package mutating func member(_ name: StaticString, _ value: borrowing Secret) {
    value.withUnsafeBytes { member(name, $0) }
  }

  package mutating func member(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
    if isValidUTF8(value), !Self.isMostlyEscapes(value) {
      self.name(name)
      string(value)
    } else {
      self.name(name, suffix: "_b64")
      bytes.append("\"")
      Base64.encode(value, to: &bytes)
      bytes.append("\"")
    }
    needsComma = true
  }

  package mutating func member(_ name: StaticString, _ value: Int64?) {
    guard let value else { return }
    self.name(name)
    append(value)
    needsComma = true
  }

  package mutating func member(_ name: StaticString, _ value: Int?) { member(name, value.map { Int64($0) }) }

  package mutating func member(_ name: StaticString, _ value: UInt16?) {
    member(name, value.map { Int64($0) })
  }

  package mutating func member(_ name: StaticString, _ value: UInt32?) {
    member(name, value.map { Int64($0) })
  }

  /// Writes a member. The name must need no escaping.
  package mutating func member(_ name: ByteString, _ value: ByteString) {
    value.bytes.withUnsafeBytes { value in
      let isText = isValidUTF8(value) && !Self.isMostlyEscapes(value)
      separate()
      bytes.append("\"")
      bytes.append(contentsOf: name)
      bytes.append(isText ? "\":" : "_b64\":")
      if isText {
        string(value)
      } else {
        bytes.append("\"")
        Base64.encode(value, to: &bytes)
        bytes.append("\"")
      }
    }
    needsComma = true
  }

  private mutating func append(_ number: Int64) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    var divisor: UInt64 = 1
    while rest / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(rest / divisor))
      rest %= divisor
      divisor /= 10
    }
  }

  package mutating func member(_ name: StaticString, _ value: Bool) {
    self.name(name)
    bytes.append(value ? "true" : "false")
    needsComma = true
  }

  package mutating func member(_ name: StaticString, _ value: Timestamp?) {
    guard let value else { return }
    member(name, ByteString(value.text))
  }

  package mutating func element(_ value: Int64) {
    separate()
    append(value)
    needsComma = true
  }

  package mutating func element(_ value: Bool) {
    separate()
    bytes.append(value ? "true" : "false")
    needsComma = true
  }

  /// Writes a string as an array's element.
  package mutating func element(_ value: ByteString) {
    value.bytes.withUnsafeBytes { textElement($0) }
  }

  /// The same from bytes, which must be valid UTF-8.
  package mutating func textElement(_ value: UnsafeRawBufferPointer) {
    separate()
    string(value)
    needsComma = true
  }

  /// Writes a member as a string in any case, for protocols without our base64. Name and value must be valid UTF-8.
  package mutating func textMember(_ name: ByteString, _ value: UnsafeRawBufferPointer) {
    separate()
    name.bytes.withUnsafeBytes { string($0) }
    bytes.append(":")
    string(value)
    needsComma = true
  }

  package mutating func textMember(_ name: ByteString, _ value: ByteString) {
    value.bytes.withUnsafeBytes { textMember(name, $0) }
  }

  /// Writes a member whose value is raw JSON text.
  package mutating func rawMember(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
    self.name(name)
    bytes.append(value)
    needsComma = true
  }

  /// Writes a member as it was read: both are raw JSON text, the name without its quotes.
  package mutating func rawMember(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    separate()
    bytes.append("\"")
    bytes.append(name)
    bytes.append("\":")
    bytes.append(value)
    needsComma = true
  }

  /// Takes back what was written last.
  ///
  /// - Parameters:
  ///   - count: how many bytes stay.
  ///   - isFirst: whether the next element or member is the first.
  package mutating func truncate(to count: Int, isFirst: Bool) {
    bytes.truncate(to: count)
    needsComma = !isFirst
  }

  /// Whether base64 is shorter: a control character takes six bytes as an escape.
  private static func isMostlyEscapes(_ text: UnsafeRawBufferPointer) -> Bool {
    var controls = 0
    for byte in text where (byte < 0x20 && byte != 0x0a) || byte == 0x7f { controls += 1 }
    return 5 * controls > text.count / 3 + 16
  }

  private mutating func separate() {
    if needsComma { bytes.append(",") }
  }

  private mutating func name(_ name: StaticString, suffix: StaticString = "") {
    separate()
    bytes.append("\"")
    bytes.append(name)
    bytes.append(suffix)
    bytes.append("\":")
    needsComma = false
  }

  private mutating func string(_ text: UnsafeRawBufferPointer) {
    bytes.append("\"")
    var index = 0
    while index < text.count {
      // Bytes that need no escape are taken in runs.
      let start = index
      while index < text.count, Self.standsForItself(text[index]) { index += 1 }
      if index > start { bytes.append(UnsafeRawBufferPointer(rebasing: text[start..<index])) }
      guard index < text.count else { break }
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "\""): bytes.append("\\\"")
      case UInt8(ascii: "\\"): bytes.append("\\\\")
      case 0x0a: bytes.append("\\n")
      case 0xc2, 0xd8, 0xe2:
        let length = byte == 0xe2 ? 3 : 2
        var scalar = UInt32(byte) & (byte == 0xe2 ? 0x0f : 0x1f)
        for offset in 1..<length { scalar = scalar << 6 | UInt32(text[index + offset] & 0x3f) }
        if isInvisibleControl(scalar) {
          escape(scalar)
        } else {
          bytes.append(UnsafeRawBufferPointer(rebasing: text[index..<index + length]))
        }
        index += length
        continue
      default: escape(UInt32(byte))
      }
      index += 1
    }
    bytes.append("\"")
  }

  private static func standsForItself(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<0x20, 0x7f, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0xc2, 0xd8, 0xe2: false
    default: true
    }
  }

  private mutating func escape(_ scalar: UInt32) {
    bytes.append("\\u")
    for shift in [12, 8, 4, 0] as [UInt32] {
      bytes.append(hexadecimalDigit(UInt8(scalar >> shift & 15)))
    }
  }
}
