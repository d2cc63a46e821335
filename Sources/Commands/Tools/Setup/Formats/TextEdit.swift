/// Bytes of a text that others take the place of.
struct TextEdit: Hashable, Sendable {
  /// Where they begin.
  let offset: Int
  /// What stood there.
  let removed: [UInt8]
  /// What stands there now.
  let added: [UInt8]

  /// Adds a text and takes away none.
  static func insertion(of added: [UInt8], at offset: Int) -> TextEdit {
    TextEdit(offset: offset, removed: [], added: added)
  }

  /// Puts a text in the place of a part of another.
  static func replacement(of range: Range<Int>, in text: [UInt8], with added: [UInt8]) -> TextEdit {
    TextEdit(offset: range.lowerBound, removed: Array(text[range]), added: added)
  }

  func applied(to text: [UInt8]) -> [UInt8] {
    Array(text[..<offset] + added + text[(offset + removed.count)...])
  }

  /// The text as it was before; `nil` if what was added isn't where it was put.
  func undone(in text: [UInt8]) -> [UInt8]? {
    guard offset >= 0, offset <= text.count, text[offset...].starts(with: added) else { return nil }
    // What has come behind it needs the end that it gave to the line before.
    if removed.isEmpty, added.first == 0x0a || added.first == 0x0d, offset > 0, text[offset - 1] != 0x0a,
      offset + added.count < text.count
    {
      return nil
    }
    return Array(text[..<offset] + removed + text[(offset + added.count)...])
  }

  /// The same, where what was added stands elsewhere by now; `nil` if it isn't there, or more than once.
  func undoneElsewhere(in text: [UInt8]) -> [UInt8]? {
    guard removed.isEmpty, added.count >= 8 else { return nil }
    if added.last != 0x0a { return removing(added[...], from: text, isLines: false) }
    // The LF that it begins with is an empty line, or has ended a line that had no end.
    var lines = added[...]
    while true {
      if let result = removing(lines, from: text, isLines: true) { return result }
      guard let first = lines.first, first == 0x0a || first == 0x0d else { return nil }
      lines.removeFirst()
    }
  }

  /// A text without a part that is in it once.
  private func removing(_ part: ArraySlice<UInt8>, from text: [UInt8], isLines: Bool) -> [UInt8]? {
    var found: Int?
    for start in text.indices where !isLines || start == 0 || text[start - 1] == 0x0a {
      guard text[start...].starts(with: part) else { continue }
      if found != nil { return nil }
      found = start
    }
    return found.map { Array(text[..<$0] + text[($0 + part.count)...]) }
  }
}

extension [TextEdit] {
  /// Each is made in the text that the one before it has left.
  func applied(to text: [UInt8]) -> [UInt8] {
    reduce(text) { $1.applied(to: $0) }
  }
}
