/// A replacement of bytes in a text.
struct TextEdit: Hashable, Sendable {
  let offset: Int
  let removed: [UInt8]
  let added: [UInt8]

  init(offset: Int, removed: [UInt8], added: [UInt8]) {
    (self.offset, self.removed, self.added) = (offset, removed, added)
  }

  init(replacing range: Range<Int>, of text: [UInt8], with added: [UInt8]) {
    self.init(offset: range.lowerBound, removed: Array(text[range]), added: added)
  }

  /// The shortest replacement that turns one text into the other. A pure addition begins with a line, if it can.
  init(from text: [UInt8], to result: [UInt8]) {
    var start = zip(text, result).prefix { $0 == $1 }.count
    let rest = min(text.count, result.count) - start
    let end = zip(text.reversed(), result.reversed()).prefix(rest).prefix { $0 == $1 }.count
    let removed = Array(text[start..<text.count - end])
    var added = Array(result[start..<result.count - end])
    while removed.isEmpty, start > 0, text[start - 1] != 0x0a, added.last == text[start - 1] {
      start -= 1
      added = added.suffix(1) + added.dropLast()
    }
    self.init(offset: start, removed: removed, added: added)
  }

  func applied(to text: [UInt8]) -> [UInt8] {
    Array(text[..<offset] + added + text[(offset + removed.count)...])
  }

  /// The text before the edit; `nil` if the added bytes aren't at their position.
  func undone(in text: [UInt8]) -> [UInt8]? {
    guard offset >= 0, offset <= text.count, text[offset...].starts(with: added) else { return nil }
    // Text that was appended later needs the line end that the edit gave to the line before.
    if removed.isEmpty, added.first == 0x0a || added.first == 0x0d, offset > 0, text[offset - 1] != 0x0a,
      offset + added.count < text.count
    {
      return nil
    }
    return Array(text[..<offset] + removed + text[(offset + added.count)...])
  }

  /// Undoes the edit where the added bytes have moved; `nil` if they aren't there, or more than once.
  func undoneElsewhere(in text: [UInt8]) -> [UInt8]? {
    guard removed.isEmpty, added.count >= 8 else { return nil }
    if added.last != 0x0a { return removing(added[...], from: text, isLines: false) }
    // A line end at the beginning either is an empty line, or ended an unfinished line.
    var lines = added[...]
    while true {
      if let result = removing(lines, from: text, isLines: true) { return result }
      guard let first = lines.first, first == 0x0a || first == 0x0d else { return nil }
      lines.removeFirst()
    }
  }

  /// The text without a part that occurs exactly once.
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
