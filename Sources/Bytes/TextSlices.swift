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

  package func slice(_ range: some RangeExpression<Int>) -> UnsafeRawBufferPointer {
    slice(range.relative(to: indices))
  }

  package func begins(with part: StaticString, at position: Int) -> Bool {
    count - position >= part.utf8CodeUnitCount
      && self[position...].starts(with: part.bytes)
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// The slice as a buffer of its own, whose bytes count from 0.
  package var whole: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self) }
}
