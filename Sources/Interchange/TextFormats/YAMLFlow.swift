package import Bytes

extension YAMLDocument {
  /// The values of a mapping in braces and of those in it, each with the keys that lead to it (YAML 1.2, section 7.4).
  ///
  /// - Parameters:
  ///   - range: the value in braces, on one line.
  ///   - text: the document.
  /// - Returns: `nil` if it has anything but mappings, and scalars without tags, anchors and aliases.
  package static func flowValues(
    of range: Range<Int>, in text: UnsafeRawBufferPointer
  ) -> [Path: ByteString]? {
    var reader = FlowReader(text: text, position: range.lowerBound, end: range.upperBound)
    guard reader.readMapping([]), reader.position == reader.end else { return nil }
    return reader.values
  }
}

private struct FlowReader {
  let text: UnsafeRawBufferPointer
  var position: Int
  let end: Int
  var values: [YAMLDocument.Path: ByteString] = [:]

  private var next: UInt8? { position < end ? text[position] : nil }

  private mutating func skip(_ byte: Character) -> Bool {
    while let next, isWhiteSpace(next) { position += 1 }
    guard next == byte.asciiValue else { return false }
    position += 1
    while let next, isWhiteSpace(next) { position += 1 }
    return true
  }

  /// Returns whether it could be read.
  mutating func readMapping(_ path: YAMLDocument.Path) -> Bool {
    guard skip("{") else { return false }
    while !skip("}") {
      guard let key = readScalar(endedBy: ":"), skip(":") else { return false }
      let own = path + [key]
      if next == UInt8(ascii: "{") {
        guard readMapping(own) else { return false }
      } else {
        guard let value = readScalar(endedBy: ",}"), values.updateValue(value, forKey: own) == nil else {
          return false
        }
      }
      if skip(",") { continue }
      guard next == UInt8(ascii: "}") else { return false }
    }
    return true
  }

  private mutating func readScalar(endedBy signs: String) -> ByteString? {
    let start = position
    if let quote = next, "'\"".utf8.contains(quote) {
      position += 1
      while let byte = next, byte != quote {
        if byte == UInt8(ascii: "\\") { return nil }
        position += 1
      }
      guard next != nil else { return nil }
      position += 1
    } else {
      if let first = next, "[&*!|>%@`?-#".utf8.contains(first) { return nil }
      while let byte = next, !signs.utf8.contains(byte) {
        if "[]{}#\"'".utf8.contains(byte) { return nil }
        position += 1
      }
    }
    return YAMLDocument.text(text.trimmed(start..<position), in: text)
  }
}
