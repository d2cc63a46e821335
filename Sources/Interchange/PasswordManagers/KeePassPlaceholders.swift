import Bytes

/// The words in braces that KeePass and KeePassXC replace by other text when an entry is used, such as another entry's
/// password. Exports have them as typed.
enum KeePassPlaceholders {
  private static let names: [ByteString] = [
    "REF", "TITLE", "USERNAME", "PASSWORD", "NOTES", "TOTP", "URL", "UUID", "S", "DB", "DT", "T",
  ]

  /// Whether there may be references to entries in a text.
  static func areReferences(in text: UnsafeRawBufferPointer) -> Bool {
    text.indices.contains { index in
      text[index] == UInt8(ascii: "{")
        && text[index...].dropFirst().prefix(4).elementsEqual("REF:".utf8) { $0 & 0xdf == $1 & 0xdf }
    }
  }

  /// Whether there are any in a text.
  static func areIn(_ text: UnsafeRawBufferPointer) -> Bool {
    for index in text.indices where text[index] == UInt8(ascii: "{") {
      for name in names.map(\.bytes) {
        // The name in upper or lower case, then `}` or the separator before a parameter.
        let rest = text[(index + 1)...].prefix(name.count + 1)
        guard rest.count > name.count, let end = rest.last, Array("}:-_".utf8).contains(end) else { continue }
        if zip(rest, name).allSatisfy({ $0 & 0xdf == $1 }) { return true }
      }
    }
    return false
  }
}
