import Bytes

/// The positions in a file of a reader's slices.
struct FilePositions {
  private let file: UnsafeRawBufferPointer
  private var counted = 0
  private var line = 1

  init(_ file: UnsafeRawBufferPointer) {
    self.file = file
  }

  func range(of slice: UnsafeRawBufferPointer) -> Range<Int> {
    guard let start = file.baseAddress, let begin = slice.baseAddress else { return 0..<0 }
    return begin - start..<begin - start + slice.count
  }

  /// The line on which a slice begins, counting from 1. Fast if the slices are passed in order.
  mutating func line(of slice: UnsafeRawBufferPointer) -> Int {
    let position = range(of: slice).lowerBound
    if position < counted { (counted, line) = (0, 1) }
    while counted < position {
      if file[counted] == 0x0a { line += 1 }
      counted += 1
    }
    return line
  }
}
