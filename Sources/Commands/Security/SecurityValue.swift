import Bytes
import CredentialProtocols

/// The format in which `security` writes values: text in quotes, preceded by hexadecimal digits if it isn't all plain
/// text.
enum SecurityValue {
  /// Whether the byte is written unchanged between quotes.
  static func isPlain(_ byte: UInt8) -> Bool {
    0x20...0x7e ~= byte && byte != UInt8(ascii: "\\")
  }

  /// Writes bytes: `"text"` if all are printable and none is a backslash; otherwise `0xHEX`, and if any byte is
  /// printable, two spaces and the text with the other bytes as `\ooo`; else one space. So the digits are the value if
  /// there are any, and otherwise the text between the outer quotes.
  static func append(_ bytes: UnsafeRawBufferPointer, to output: inout Secret) {
    let hasText = bytes.contains(where: isPlain)
    if !bytes.allSatisfy(isPlain) {
      output.append("0x")
      output.append(hexadecimal: bytes, isCapital: true)
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

  /// Writes a secret as `-w` does, without a line feed: unchanged, or in lowercase hexadecimal digits if any byte
  /// isn't printable.
  static func appendSecret(_ bytes: UnsafeRawBufferPointer, to output: inout Secret) {
    if bytes.allSatisfy({ 0x20...0x7e ~= $0 }) {
      output.append(bytes)
    } else {
      output.append(hexadecimal: bytes)
    }
  }
}
