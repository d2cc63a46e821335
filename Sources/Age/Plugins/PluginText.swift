import Bytes

/// The texts of plugins' recipients and identities (C2SP age-plugin.md, "Mapping recipients and identities to plugin
/// binaries").
enum PluginText {
  static let recipientPrefix: StaticString = "age1"
  static let identityPrefix: StaticString = "AGE-PLUGIN-"
  /// The largest size of such a text in bytes. Its data is up to the plugin.
  static let maximumSize = 64 << 10

  /// The plugin's name in `age1NAME1…`, which must be in lower case.
  static func name(inRecipient text: UnsafeRawBufferPointer) throws(AgeError) -> String {
    let prefix = try prefix(of: text)
    guard prefix.starts(with: recipientPrefix) else { throw .invalidKey(.unsupportedKind) }
    return try name(prefix.part(4, prefix.count - 4))
  }

  /// The plugin's name, in lower case, in `AGE-PLUGIN-NAME-1…`, which must be in upper case.
  static func name(inIdentity text: UnsafeRawBufferPointer) throws(AgeError) -> String {
    let prefix = try prefix(of: text)
    let size = identityPrefix.utf8CodeUnitCount
    guard prefix.starts(with: identityPrefix), prefix.count > size, prefix.last == UInt8(ascii: "-") else {
      throw .invalidKey(.unsupportedKind)
    }
    return try name(prefix.part(size, prefix.count - size - 1))
  }

  /// The part before the last `1`, after a check that the rest is Bech32.
  private static func prefix(of text: UnsafeRawBufferPointer) throws(AgeError) -> UnsafeRawBufferPointer {
    guard text.count <= maximumSize else { throw .invalidKey(.length) }
    let count = try withSecretScratch(text.count) {
      (data: UnsafeMutableRawBufferPointer) throws(AgeError) -> Int in
      try Bech32.decode(text, into: data).prefixCount
    }
    return text.part(0, count)
  }

  /// A plugin's name becomes part of a path, so characters that could leave the folder are refused (CVE-2024-56327).
  private static func name(_ text: UnsafeRawBufferPointer) throws(AgeError) -> String {
    guard !text.isEmpty, text.allSatisfy(isAllowed) else { throw .invalidKey(.pluginName) }
    return String(decoding: text, as: UTF8.self).lowercased()
  }

  private static func isAllowed(_ character: UInt8) -> Bool {
    switch character {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: ("+._-" as StaticString).bytes.contains(character)
    }
  }
}
