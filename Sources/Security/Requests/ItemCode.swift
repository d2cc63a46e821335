import Keychain

/// Converts between the number of a four-character code and its form in a password item: the characters without
/// trailing spaces if all of them are printable, otherwise `0x` and eight hexadecimal digits.
enum ItemCode {
  /// The stored form of the code with these decimal digits.
  static func kept(_ digits: ByteString) -> ByteString {
    let code = FourCharacterCode(rawValue: digits.text.flatMap { UInt32($0) } ?? 0)
    if code.bytes.allSatisfy({ 0x20...0x7e ~= $0 }), !code.name.isEmpty { return code.name }
    let hex = String(code.rawValue, radix: 16)
    return ByteString("0x" + String(repeating: "0", count: 8 - hex.count) + hex)
  }

  /// The decimal digits of a code in its stored form.
  static func digits(_ kept: ByteString) -> ByteString {
    if kept.bytes.count == 10, let text = kept.text, text.hasPrefix("0x"),
      let number = UInt32(text.dropFirst(2), radix: 16)
    {
      return ByteString(String(number))
    }
    return ByteString(String(FourCharacterCode(abbreviating: kept).rawValue))
  }
}
