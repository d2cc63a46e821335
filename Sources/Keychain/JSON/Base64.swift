/// Base64 with the standard alphabet and padding (RFC 4648 section 4), over bytes that may be secret.
package enum Base64 {
  /// Appends the encoding of `bytes` to `output`.
  package static func encode(_ bytes: UnsafeRawBufferPointer, to output: inout Secret) {
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let taken = min(3, bytes.count - start)
      var group: UInt32 = 0
      for offset in 0..<3 {
        group = group << 8 | (offset < taken ? UInt32(bytes[start + offset]) : 0)
      }
      for position in 0..<4 {
        output.append(position <= taken ? digit(UInt8(group >> (18 - 6 * UInt32(position)) & 63)) : padding)
      }
    }
  }

  /// Appends what `text` encodes to `output`. Returns `false`, having appended nothing that counts, if it isn't
  /// the canonical encoding of anything: a wrong length, a foreign character, bits set behind the end.
  package static func decode(_ text: UnsafeRawBufferPointer, to output: inout Secret) -> Bool {
    guard text.count % 4 == 0 else { return false }
    var end = text.count
    while end > 0, text.count - end < 2, text[end - 1] == padding { end -= 1 }
    var group: UInt32 = 0
    var bits: UInt32 = 0
    for index in 0..<end {
      guard let value = value(of: text[index]) else { return false }
      group = group << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        output.append(UInt8(truncatingIfNeeded: group >> bits))
        group &= (1 << bits) - 1
      }
    }
    return group == 0
  }

  private static let padding = UInt8(ascii: "=")

  private static func digit(_ value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: UInt8(ascii: "A") + value
    case 26..<52: UInt8(ascii: "a") + value - 26
    case 52..<62: UInt8(ascii: "0") + value - 52
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
