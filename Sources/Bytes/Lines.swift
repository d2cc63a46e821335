/// Splits bytes at LF and CRLF. A carriage return anywhere else belongs to its line.
package struct Lines {
  private let bytes: UnsafeRawBufferPointer
  /// Where the next line begins.
  package private(set) var offset = 0

  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// The next line without its ending; nil after the last one, which needs no ending.
  package mutating func next() -> UnsafeRawBufferPointer? {
    guard offset < bytes.count else { return nil }
    let start = offset
    guard let end = bytes.firstIndex(of: 0x0a, from: start) else {
      offset = bytes.count
      return bytes.part(start, bytes.count - start)
    }
    offset = end + 1
    let hasReturn = end > start && bytes[end - 1] == 0x0d
    return bytes.part(start, end - start - (hasReturn ? 1 : 0))
  }
}
