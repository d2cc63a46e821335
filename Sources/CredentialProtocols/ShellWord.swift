import Keychain

/// A name as a person would type it after a command in a hint, quoted where a shell needs it; `nil` where quotes don't
/// suffice.
func shellWord(_ name: ByteString) -> String? {
  guard let text = name.text, !name.isEmpty else { return nil }
  func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    default: "-_.:/@+,=[]".utf8.contains(byte)
    }
  }
  if name.bytes.allSatisfy(isPlain) { return text }
  let needsMore = name.bytes.contains { $0 < 0x20 || $0 == 0x7f || "\"\\$`!'".utf8.contains($0) }
  return needsMore ? nil : "\"\(text)\""
}
