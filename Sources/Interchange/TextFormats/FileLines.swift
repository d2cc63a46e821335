import Bytes

package struct FileLine {
  /// Its number, counting from 1.
  package let number: Int
  /// Its bytes, without the LF or CRLF at its end.
  package let text: UnsafeRawBufferPointer
  package let range: Range<Int>

  package var isBlank: Bool { text.allSatisfy { $0 == 0x20 || $0 == 0x09 } }
}

/// The lines of a file. The last one needs no line ending.
package struct FileLines: Sequence, IteratorProtocol {
  private let file: UnsafeRawBufferPointer
  private var position = 0
  private var number = 0

  package init(_ file: UnsafeRawBufferPointer) {
    self.file = file
  }

  package mutating func next() -> FileLine? {
    guard position < file.count else { return nil }
    let start = position
    var end = start
    while end < file.count, file[end] != 0x0a { end += 1 }
    position = Swift.min(end + 1, file.count)
    number += 1
    if end > start, file[end - 1] == 0x0d { end -= 1 }
    return FileLine(
      number: number, text: UnsafeRawBufferPointer(rebasing: file[start..<end]), range: start..<position)
  }
}

package func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0d ~= byte }

extension UnsafeRawBufferPointer {
  package var trimmedSlice: UnsafeRawBufferPointer { slice(trimmed(0..<count)) }

  /// A range without surrounding white space.
  ///
  /// - Parameter atEnd: whether to trim its end, too.
  package func trimmed(_ range: Range<Int>, atEnd: Bool = true) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, isWhiteSpace(self[start]) { start += 1 }
    while atEnd, end > start, isWhiteSpace(self[end - 1]) { end -= 1 }
    return start..<end
  }

  /// The whole lines of a range if nothing else is on them, else the range.
  package func wholeLines(of range: Range<Int>) -> Range<Int> {
    let start = (self[..<range.lowerBound].lastIndex(of: 0x0a) ?? -1) + 1
    let end = self[range.upperBound...].firstIndex(of: 0x0a).map { $0 + 1 } ?? count
    let isAlone =
      self[start..<range.lowerBound].allSatisfy(isWhiteSpace)
      && self[range.upperBound..<end].allSatisfy(isWhiteSpace)
    return isAlone ? start..<end : range
  }

  package func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[range])
  }

  package func begins(with part: StaticString, at position: Int = 0) -> Bool {
    count - position >= part.utf8CodeUnitCount
      && self[position...].starts(
        with: UnsafeRawBufferPointer(start: part.utf8Start, count: part.utf8CodeUnitCount))
  }
}
