import Bytes

struct TextLine {
  /// From 1.
  let number: Int
  /// Without the line's end.
  let content: Range<Int>
  /// The position after the line, its LF included.
  let end: Int
}

/// The lines of a text. LF ends a line, perhaps after a CR; the last line needs no end.
struct TextLines: Sequence, IteratorProtocol {
  private let text: [UInt8]
  private var position = 0
  private var number = 0

  init(_ text: [UInt8]) {
    self.text = text
  }

  mutating func next() -> TextLine? {
    guard position < text.count else { return nil }
    let start = position
    var end = text[start...].firstIndex(of: 0x0a) ?? text.count
    position = Swift.min(end + 1, text.count)
    number += 1
    if end > start, end < text.count, text[end - 1] == 0x0d { end -= 1 }
    return TextLine(number: number, content: start..<end, end: position)
  }
}

extension [UInt8] {
  /// That of the first line.
  var lineEnd: [UInt8] {
    guard let end = firstIndex(of: 0x0a), end > 0, self[end - 1] == 0x0d else { return [0x0a] }
    return [0x0d, 0x0a]
  }

  var isBlank: Bool { allSatisfy(isWhiteSpace) }

  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, isWhiteSpace(self[start]) { start += 1 }
    while end > start, isWhiteSpace(self[end - 1]) { end -= 1 }
    return start..<end
  }

  func string(_ range: Range<Int>) -> String { String(decoding: self[range], as: UTF8.self) }

  /// From 1.
  func line(of position: Int) -> Int { 1 + self[..<position].count { $0 == 0x0a } }

  /// Lowers ASCII letters only.
  var lowercased: [UInt8] { map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 } }

  /// Whether there is a CR that is not followed by LF.
  var hasLoneCarriageReturn: Bool {
    indices.contains { self[$0] == 0x0d && ($0 + 1 == count || self[$0 + 1] != 0x0a) }
  }
}
