/// The escapes of RFC 3986 section 2.1.
package enum PercentEncoding {
  /// Appends bytes. Those that are neither unreserved (section 2.3) nor in `others` become `%XX`.
  package static func append(
    _ value: borrowing Secret, keeping others: StaticString = "", to text: inout Secret
  ) {
    value.withUnsafeBytes { value in
      for byte in value {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: text.append(byte)
        case _ where others.bytes.contains(byte): text.append(byte)
        default: text.append(escaped: byte)
        }
      }
    }
  }

  /// The encoded form. Not for secrets.
  package static func text(_ value: ByteString, keeping others: StaticString = "") -> String {
    var text = Secret(capacity: value.bytes.count)
    append(Secret(copying: value), keeping: others, to: &text)
    return text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// A text for one line: its control characters, its percent signs and, if `hasNoSpaces`, its spaces become `%XX`.
  package static func line(_ text: String, hasNoSpaces: Bool = false, isCapital: Bool = true) -> String {
    var line: [UInt8] = []
    for byte in text.utf8 {
      if byte < 0x20 || byte == 0x7f || byte == 0x25 || byte == 0x20 && hasNoSpaces {
        line.append(escaped: byte, isCapital: isCapital)
      } else {
        line.append(byte)
      }
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// The encoded form of a part of a URL for people to read and type. Only bytes that a reader could mistake become
  /// `%XX`: `%`, the space, invisible characters, bytes that are no UTF-8, and `delimiters`.
  package static func readable(_ value: ByteString, delimiters: StaticString = "") -> String {
    let isPlain = value.bytes.allSatisfy { 0x21..<0x7f ~= $0 && $0 != 0x25 && !delimiters.bytes.contains($0) }
    if isPlain { return "\(value)" }
    guard let text = value.text else { return Self.text(value, keeping: "!$&'()*+,;=:/") }
    var readable = ""
    for scalar in text.unicodeScalars {
      let isEscaped =
        scalar.isASCII
        ? scalar.value <= 0x20 || scalar.value == 0x7f || scalar == "%"
          || delimiters.bytes.contains(UInt8(scalar.value))
        : isInvisible(scalar) || scalar.properties.isWhitespace
      if isEscaped {
        readable += Self.text(ByteString("\(scalar)"))
      } else {
        readable.unicodeScalars.append(scalar)
      }
    }
    return readable
  }

  /// The bytes that an encoded text stands for; `nil` if an escape is malformed.
  ///
  /// - Parameter mark: what is before the two digits.
  package static func decoded(_ text: some Sequence<UInt8>, mark: UInt8 = 0x25) -> [UInt8]? {
    var bytes: [UInt8] = []
    return decode(text, mark: mark) { byte, _ in bytes.append(byte) } ? bytes : nil
  }

  /// The same, where text that is no escape stands for itself.
  package static func decodedEscapes(in text: some Sequence<UInt8>, mark: UInt8) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      if byte == mark, rest.count > 1, let escaped = [UInt8](hexadecimal: rest.prefix(2)) {
        bytes += escaped
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  /// The same for a text that may be secret.
  package static func decodedSecret(_ text: some Collection<UInt8>) -> Secret? {
    var bytes = Secret(capacity: text.count)
    guard decode(text, { byte, _ in bytes.append(byte) }) else { return nil }
    return bytes
  }

  /// Passes on each byte that an encoded text stands for, and whether it was escaped.
  ///
  /// - Returns: whether all escapes were well-formed. Otherwise those before the first wrong one were passed on.
  @inlinable
  package static func decode<Failure: Error>(
    _ text: some Sequence<UInt8>, mark: UInt8 = 0x25,
    _ body: (_ byte: UInt8, _ wasEscaped: Bool) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    var bytes = text.makeIterator()
    while let byte = bytes.next() {
      if byte != mark {
        try body(byte, false)
        continue
      }
      guard let high = bytes.next().flatMap(hexadecimalValue),
        let low = bytes.next().flatMap(hexadecimalValue)
      else { return false }
      try body(high << 4 | low, true)
    }
    return true
  }
}

extension [UInt8] {
  /// Adds a byte as an escape: a mark and two hexadecimal digits.
  package mutating func append(escaped byte: UInt8, mark: UInt8 = 0x25, isCapital: Bool = true) {
    append(mark)
    append(hexadecimal: byte, isCapital: isCapital)
  }
}

extension Secret {
  fileprivate mutating func append(escaped byte: UInt8) {
    append(0x25)
    append(hexadecimalDigit(byte >> 4, isCapital: true))
    append(hexadecimalDigit(byte & 15, isCapital: true))
  }
}
