package import Bytes

/// Base32 (RFC 4648 section 6) as people type it: in upper or lower case, with or without padding, and with spaces and
/// hyphens between groups.
package enum Base32 {
  /// The bytes; `nil` for an invalid character, or an incomplete last byte.
  static func decode(_ text: UnsafeRawBufferPointer) -> Secret? {
    var bytes = Secret(capacity: text.count * 5 / 8 + 1)
    var (bits, count): (UInt16, Int) = (0, 0)
    var (digits, hasEnded) = (0, false)
    for byte in text {
      if isSeparator(byte) { continue }
      if byte == UInt8(ascii: "=") {
        hasEnded = true
        continue
      }
      guard !hasEnded, let value = value(byte) else { return nil }
      digits += 1
      bits = bits << 5 | UInt16(value)
      count += 5
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      bits &= 1 << count - 1
    }
    // One, three or six characters more than whole groups end within a byte.
    if [1, 3, 6].contains(digits % 8) { return nil }
    return bytes
  }

  /// The text in upper case without separators and padding; `nil` if it isn't Base32 of at least ten bytes.
  ///
  /// RFC 4226 section 4 demands 16 bytes, and Google's program takes 10.
  static func normal(_ text: UnsafeRawBufferPointer) -> Secret? {
    switch decode(text) {
    case .none: return nil
    case .some(let bytes): if bytes.count < 10 { return nil }
    }
    var normal = Secret(capacity: text.count)
    for byte in text where !isSeparator(byte) && byte != UInt8(ascii: "=") { normal.append(uppercased(byte)) }
    return normal
  }

  /// The text of bytes, in upper case without padding.
  package static func encode(_ bytes: UnsafeRawBufferPointer) -> Secret {
    var text = Secret(capacity: bytes.count * 8 / 5 + 1)
    var (bits, count): (UInt32, Int) = (0, 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text.append(digit(bits >> count & 31))
      }
      bits &= 1 << count - 1
    }
    if count > 0 { text.append(digit(bits << (5 - count) & 31)) }
    return text
  }

  private static func digit(_ value: UInt32) -> UInt8 { UInt8(value < 26 ? 0x41 + value : 0x32 + value - 26) }

  private static func isSeparator(_ byte: UInt8) -> Bool { byte == 0x20 || byte == UInt8(ascii: "-") }

  private static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x41...0x5a: byte - 0x41
    case 0x61...0x7a: byte - 0x61
    case 0x32...0x37: byte - 0x32 + 26
    default: nil
    }
  }
}
