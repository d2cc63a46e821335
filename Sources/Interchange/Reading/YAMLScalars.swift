import Bytes
import JSON
import TextFormats

/// A key of a YAML file with the value on its line, if there is one.
struct YAMLScalar {
  /// The keys that lead to it, from the top, and its own.
  let path: [ByteString]
  /// Its value as written, with quotes and without a comment. Empty if there is none, or other keys follow.
  let raw: UnsafeRawBufferPointer
  /// The line, counting from 1, and its range including the line ending.
  let line: Int
  let range: Range<Int>

  /// The value; `nil` if it is not a scalar in a supported form.
  var secret: Secret? { Self.decode(raw) }

  /// The value, if it is not confidential.
  var text: ByteString? {
    switch secret {
    case .none: nil
    case .some(let secret): secret.withUnsafeBytes { ByteString($0) }
    }
  }

  fileprivate static func decode(_ raw: UnsafeRawBufferPointer) -> Secret? {
    var decoded = Secret(capacity: raw.count)
    switch raw.first {
    case UInt8(ascii: "'"):
      guard raw.count > 1, raw.last == UInt8(ascii: "'") else { return nil }
      var index = 1
      while index < raw.count - 1 {
        if raw[index] == UInt8(ascii: "'") {
          index += 1
          guard index < raw.count - 1, raw[index] == UInt8(ascii: "'") else { return nil }
        }
        decoded.append(raw[index])
        index += 1
      }
    case UInt8(ascii: "\""):
      // Of YAML's escapes, those of JSON are the ones in use (YAML 1.2 section 5.7); control characters aren't read.
      guard raw.count > 1, raw.last == UInt8(ascii: "\"") else { return nil }
      var isRead = false
      do throws(JSONReader.Malformed) {
        var text = Secret(capacity: raw.count + 2)
        text.append("[")
        text.append(raw)
        text.append("]")
        try text.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
          try JSONReader.elements(of: text) { (value) throws(JSONReader.Malformed) in
            guard !isRead else { throw JSONReader.Malformed() }
            try value.appendString(to: &decoded)
            isRead = true
          }
        }
      } catch {
        return nil
      }
    case .some(let first):
      if Array("[]{}>|*&!%#@`,?".utf8).contains(first) { return nil }
      // YAML's words for nothing.
      if raw == "~" || raw == "null" { return Secret() }
      decoded.append(raw)
    case .none: break
    }
    return decoded
  }
}

/// A YAML file of mappings with a key on each line, as programs write their configuration: no sequences, and only
/// scalars on one line (YAML 1.2, sections 7.3 and 8.2.2).
///
/// A file with any other line is refused, because that line could continue a scalar, whose value would then be wrong.
struct YAMLScalars {
  /// Every key, in order.
  private(set) var scalars: [YAMLScalar] = []

  /// The first line of another form, counting from 1.
  struct Malformed: Error { let line: Int }

  /// The largest depth of nested keys; deeper ones are not read.
  private static let maximumDepth = 16

  init(_ file: UnsafeRawBufferPointer) throws(Malformed) {
    // The keys that lead to the present line, each with its indentation.
    var levels: [(indentation: Int, key: ByteString, isOpen: Bool)] = []
    var siblings: [Int] = []
    for line in FileLines(file) {
      let indentation = line.text.prefix { $0 == 0x20 }.count
      let text = UnsafeRawBufferPointer(rebasing: line.text[indentation...])
      if line.isBlank || text.first == UInt8(ascii: "#") || text == "---" || text == "{}" { continue }
      while let last = levels.last, last.indentation >= indentation { levels.removeLast() }
      siblings.removeLast(max(0, siblings.count - levels.count - 1))
      guard levels.count < Self.maximumDepth, levels.last?.isOpen ?? true, text[0] != 0x09,
        let (key, value) = Self.split(text)
      else { throw Malformed(line: line.number) }
      if siblings.count == levels.count {
        siblings.append(indentation)
      } else if siblings[levels.count] != indentation {
        throw Malformed(line: line.number)
      }
      levels.append((indentation, key, value.isEmpty))
      scalars.append(
        YAMLScalar(path: levels.map(\.key), raw: value, line: line.number, range: line.range))
    }
  }

  /// The key of a line and its value; `nil` if the line has another form.
  private static func split(
    _ text: UnsafeRawBufferPointer
  ) -> (key: ByteString, value: UnsafeRawBufferPointer)? {
    let keyEnd: Int
    if let quote = text.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
      guard let end = endOfQuoted(text) else { return nil }
      keyEnd = end
    } else {
      guard
        let colon = text.indices.first(where: {
          text[$0] == UInt8(ascii: ":") && ($0 + 1 == text.count || isBlank(text[$0 + 1]))
        }), colon > 0
      else { return nil }
      keyEnd = colon
    }
    let rawKey = UnsafeRawBufferPointer(rebasing: text[..<keyEnd])
    if rawKey.first == UInt8(ascii: "-"), rawKey.count == 1 || isBlank(rawKey[1]) { return nil }
    guard case .some(let key) = YAMLScalar.decode(rawKey.trimmedSlice) else { return nil }
    var position = keyEnd
    while position < text.count, isBlank(text[position]) { position += 1 }
    guard position < text.count, text[position] == UInt8(ascii: ":") else { return nil }
    guard let value = value(UnsafeRawBufferPointer(rebasing: text[(position + 1)...])) else { return nil }
    return (key.withUnsafeBytes { ByteString($0) }, value)
  }

  /// A value without its comment; `nil` if something else follows it.
  private static func value(_ rest: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    if let first = rest.first, !isBlank(first) { return nil }
    let text = rest.trimmedSlice
    if text.isEmpty { return text }
    var end: Int
    if text[0] == UInt8(ascii: "'") || text[0] == UInt8(ascii: "\"") {
      guard let quoteEnd = endOfQuoted(text) else { return nil }
      end = quoteEnd
      let behind = UnsafeRawBufferPointer(rebasing: text[end...])
      if !behind.isEmpty, !isBlank(behind[0]) { return nil }
      let more = behind.trimmedSlice
      if !more.isEmpty, more[0] != UInt8(ascii: "#") { return nil }
    } else {
      end =
        text.indices.first {
          text[$0] == UInt8(ascii: "#") && ($0 == 0 || isBlank(text[$0 - 1]))
        } ?? text.count
    }
    return UnsafeRawBufferPointer(rebasing: text[..<end]).trimmedSlice
  }

  /// Where a quoted scalar at the beginning ends, including its closing quote.
  private static func endOfQuoted(_ text: UnsafeRawBufferPointer) -> Int? {
    let quote = text[0]
    var index = 1
    while index < text.count {
      if quote == UInt8(ascii: "\""), text[index] == UInt8(ascii: "\\") {
        index += 2
      } else if text[index] == quote {
        let isDoubled = quote == UInt8(ascii: "'") && index + 1 < text.count && text[index + 1] == quote
        if !isDoubled { return index + 1 }
        index += 2
      } else {
        index += 1
      }
    }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
