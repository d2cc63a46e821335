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
      number: number, text: file.slice(start..<end), range: start..<position)
  }
}
