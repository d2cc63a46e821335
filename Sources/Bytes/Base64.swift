/// Canonical base64 (RFC 4648, sections 4 and 3.5) of bytes that may be secret: padded with `=` to whole groups, or
/// unpadded as in the headers of age files.
package enum Base64 {
  /// The number of columns of unpadded base64 for `count` bytes.
  package static func encodedSize(_ count: Int) -> Int { (count * 4 + 2) / 3 }

  /// The number of bytes encoded by `columns` of unpadded base64; nil for an impossible number of columns.
  package static func decodedSize(_ columns: Int) -> Int? {
    columns % 4 == 1 ? nil : columns / 4 * 3 + (columns % 4) * 3 / 4
  }

  /// Appends the encoding of `bytes` to `text`, padded with `=` to whole groups if `padded`.
  package static func encode(
    _ bytes: UnsafeRawBufferPointer, padded: Bool = false, appendingTo text: inout [UInt8]
  ) {
    encode(bytes, padded: padded) { text.append($0) }
  }

  package static func encode(_ bytes: UnsafeRawBufferPointer, padded: Bool = false) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(encodedSize(bytes.count) + 2)
    encode(bytes, padded: padded, appendingTo: &text)
    return String(decoding: text, as: UTF8.self)
  }

  package static func encode(_ bytes: UnsafeRawBufferPointer, to output: inout Secret) {
    encode(bytes, padded: true) { output.append($0) }
  }

  private static func encode(_ bytes: UnsafeRawBufferPointer, padded: Bool, _ append: (UInt8) -> Void) {
    let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    var index = 0
    while index < bytes.count {
      let count = min(3, bytes.count - index)
      var group = UInt32(bytes[index]) << 16
      if count > 1 { group |= UInt32(bytes[index + 1]) << 8 }
      if count > 2 { group |= UInt32(bytes[index + 2]) }
      for column in 0...count { append(alphabet.utf8Start[Int(group >> (18 - 6 * column)) & 63]) }
      if padded {
        for _ in count..<3 { append(UInt8(ascii: "=")) }
      }
      index += 3
    }
  }

  /// Decodes unpadded base64 into the beginning of `output`, which must have room for all of it. Returns nil for text
  /// that no canonical encoder writes: a foreign character, an impossible length, or unused bits that aren't zero.
  package static func decode(_ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer)
    -> Int?
  {
    guard let size = decodedSize(text.count) else { return nil }
    precondition(output.count >= size)
    var count = 0
    var column = 0
    while column + 4 <= text.count {
      let (first, second) = (sextet(text[column]), sextet(text[column + 1]))
      let (third, fourth) = (sextet(text[column + 2]), sextet(text[column + 3]))
      guard first | second | third | fourth < 64 else { return nil }
      output[count] = UInt8(first << 2 | second >> 4)
      output[count + 1] = UInt8(truncatingIfNeeded: second << 4 | third >> 2)
      output[count + 2] = UInt8(truncatingIfNeeded: third << 6 | fourth)
      count += 3
      column += 4
    }
    var group: UInt32 = 0
    var bits: UInt32 = 0
    while column < text.count {
      let value = sextet(text[column])
      guard value < 64 else { return nil }
      group = group << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        output[count] = UInt8(truncatingIfNeeded: group >> bits)
        count += 1
      }
      column += 1
    }
    guard group & ((1 << bits) - 1) == 0 else { return nil }
    return count
  }

  /// The same for base64 padded with `=` to whole groups.
  package static func decode(
    padded text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Int? {
    guard text.count % 4 == 0 else { return nil }
    var columns = text.count
    while columns > 0, text.count - columns < 2, text[columns - 1] == UInt8(ascii: "=") { columns -= 1 }
    return decode(text.part(0, columns), into: output)
  }

  /// Decodes a line of at most 64 columns and appends the result to `bytes`. Returns `false` and appends nothing if
  /// the line isn't canonical base64.
  package static func decode(
    line: UnsafeRawBufferPointer, padded: Bool = false, appendingTo bytes: inout [UInt8]
  ) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 48, alignment: 1) { decoded in
      guard let count = padded ? decode(padded: line, into: decoded) : decode(line, into: decoded) else {
        return false
      }
      bytes.append(contentsOf: decoded.part(0, count))
      return true
    }
  }

  /// Decodes a stanza's argument, which must encode exactly `output.count` bytes.
  package static func decode(_ text: String, filling output: UnsafeMutableRawBufferPointer) -> Bool {
    guard text.utf8.count == encodedSize(output.count) else { return false }
    var text = text
    return text.withUTF8 { decode(UnsafeRawBufferPointer($0), into: output) == output.count }
  }

  /// The same for padded `text` of any length.
  package static func decode(_ text: UnsafeRawBufferPointer, to output: inout Secret) -> Bool {
    var isCanonical = false
    output.append(count: text.count / 4 * 3) { memory in
      guard let count = decode(padded: text, into: memory) else { return 0 }
      isCanonical = true
      return count
    }
    return isCanonical
  }

  private static func sextet(_ character: UInt8) -> UInt32 {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: 64
    }
  }
}

extension Secret {
  /// The bytes that padded base64 stands for; `nil` for text that no canonical encoder writes.
  package init?(base64 text: UnsafeRawBufferPointer) {
    self.init(capacity: text.count / 4 * 3)
    guard Base64.decode(text, to: &self) else { return nil }
  }

  /// The padded base64 of bytes.
  package init(base64Of bytes: UnsafeRawBufferPointer) {
    self.init(capacity: Base64.encodedSize(bytes.count) + 2)
    Base64.encode(bytes, to: &self)
  }
}

/// Base64 with the alphabet for URLs, unpadded (RFC 4648 section 5).
package enum Base64URL {
  package static func text(of secret: borrowing Secret) -> String { secret.withUnsafeBytes { text($0) } }

  package static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    var text: [UInt8] = []
    Base64.encode(bytes, appendingTo: &text)
    return String(
      decoding: text.map { byte in pairs.first { $0.standard == byte }?.url ?? byte }, as: UTF8.self)
  }

  /// The bytes of a text; `nil` if it has another form.
  package static func decode(_ text: UnsafeRawBufferPointer) -> Secret? {
    var standard = Secret(capacity: text.count + 2)
    for byte in text {
      if byte == UInt8(ascii: "=") || pairs.contains(where: { $0.standard == byte }) { return nil }
      standard.append(pairs.first { $0.url == byte }?.standard ?? byte)
    }
    while standard.count % 4 > 1 { standard.append("=") }
    return standard.withUnsafeBytes { Secret(base64: $0) }
  }

  private static let pairs: [(standard: UInt8, url: UInt8)] = [
    (UInt8(ascii: "+"), UInt8(ascii: "-")), (UInt8(ascii: "/"), UInt8(ascii: "_")),
  ]
}
