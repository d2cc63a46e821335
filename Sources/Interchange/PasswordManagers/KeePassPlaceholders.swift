import Bytes

/// The words in braces that KeePass and KeePassXC replace when an entry is used, for example by another entry's
/// password. Exports have them as typed.
enum KeePassPlaceholders {
  private static let names: [ByteString] = [
    "REF", "TITLE", "USERNAME", "PASSWORD", "NOTES", "TOTP", "URL", "UUID", "S", "DB", "DT", "T",
  ]

  /// Whether a text may have references to entries.
  static func areReferences(in text: UnsafeRawBufferPointer) -> Bool {
    text.indices.contains { index in
      text[index] == UInt8(ascii: "{")
        && text[index...].dropFirst().prefix(4).elementsEqual("REF:".utf8) { $0 & 0xdf == $1 & 0xdf }
    }
  }

  /// Whether a text has any.
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
