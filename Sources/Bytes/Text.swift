/// Whether a character shows nothing but does something to a terminal or to the order of text: C0, DEL, C1, and
/// the bidirectional controls of Unicode's UAX #9 with the line and paragraph separators.
package func isInvisibleControl(_ scalar: UInt32) -> Bool {
  switch scalar {
  case 0..<0x20, 0x7f..<0xa0, 0x061c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
  default: false
  }
}

/// Whether the bytes are well-formed UTF-8 (Unicode table 3-7). Copies nothing.
package func isValidUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
  (try? UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span)) != nil
}
