import Bytes
import CredentialProtocols

/// How `security` writes values: text in quotes, and what is more than that in hexadecimal digits before it.
enum SecurityValue {
  /// Whether the byte stands for itself between quotes.
  static func isPlain(_ byte: UInt8) -> Bool {
    0x20...0x7e ~= byte && byte != UInt8(ascii: "\\")
  }

  /// Writes bytes: `"text"` if all are printable and none is a backslash; else `0xHEX`, and if any is, two spaces and
  /// the text with the others as `\ooo`; else one space. So the digits, where there are any, are the value, and else
  /// what is between the outer quotes.
  static func append(_ bytes: UnsafeRawBufferPointer, to output: inout Secret) {
    let hasText = bytes.contains(where: isPlain)
    if !bytes.allSatisfy(isPlain) {
      output.append("0x")
      appendHexadecimal(bytes, isUpperCase: true, to: &output)
      output.append(hasText ? "  " : " ")
      if !hasText { return }
    }
    output.append("\"")
    for byte in bytes {
      if isPlain(byte) {
        output.append(byte)
      } else {
        output.append("\\")
        for shift: UInt8 in [6, 3, 0] { output.append(0x30 + (byte >> shift & 7)) }
      }
    }
    output.append("\"")
  }

  /// Writes bytes as two digits each.
  static func appendHexadecimal(
    _ bytes: UnsafeRawBufferPointer, isUpperCase: Bool, to output: inout Secret
  ) {
    for byte in bytes {
      output.append(hexadecimalDigit(byte >> 4, isCapital: isUpperCase))
      output.append(hexadecimalDigit(byte & 15, isCapital: isUpperCase))
    }
  }

  /// Writes a secret as `-w` does, without a line feed: as it is, or in small hexadecimal digits if a byte of it isn't
  /// printable.
  static func appendSecret(_ bytes: UnsafeRawBufferPointer, to output: inout Secret) {
    if bytes.allSatisfy({ 0x20...0x7e ~= $0 }) {
      output.append(bytes)
    } else {
      appendHexadecimal(bytes, isUpperCase: false, to: &output)
    }
  }

  /// Reads hexadecimal digits, as `-X` has them; `nil` if they aren't.
  static func bytes(ofHexadecimal text: borrowing Secret) -> Secret? {
    if text.count % 2 != 0 { return nil }
    var bytes = Secret(capacity: text.count / 2)
    let isGood = text.withUnsafeBytes { text in
      for index in stride(from: 0, to: text.count, by: 2) {
        guard let high = hexadecimalValue(text[index]), let low = hexadecimalValue(text[index + 1]) else {
          return false
        }
        bytes.append(high << 4 | low)
      }
      return true
    }
    if !isGood { return nil }
    return bytes
  }
}
