/// Reads DER (ITU-T X.690 section 10) element by element. It is strict: it rejects a length that is not in its shortest
/// form, a tag of several bytes, and an element that is longer than its container.
package struct DERReader<Bytes: RandomAccessCollection>
where Bytes.Element == UInt8, Bytes.Index == Int, Bytes.SubSequence == Bytes {
  private var rest: Bytes

  /// - Parameter bytes: a slice, of an array or of memory that may be secret: nothing is copied.
  package init(_ bytes: Bytes) {
    rest = bytes
  }

  package struct Element {
    /// The identifier octet.
    package let tag: UInt8
    package let contents: Bytes
    /// The tag, length and contents.
    package let whole: Bytes
  }

  package var isAtEnd: Bool { rest.isEmpty }

  package var nextTag: UInt8? { rest.first }

  /// Reads the next element; `nil` if there is none, or it isn't DER. The reader can't be used after that.
  package mutating func next() -> Element? {
    guard rest.count >= 2 else { return nil }
    let start = rest.startIndex
    let tag = rest[start]
    let first = Int(rest[start + 1])
    if tag & 0x1f == 0x1f { return nil }
    var length = first
    var header = 2
    if first >= 0x80 {
      // Neither a certificate nor a key needs more than three bytes for its length, and 0x80 alone is BER's indefinite length.
      let count = first - 0x80
      guard 1...3 ~= count, rest.count >= 2 + count else { return nil }
      header += count
      length = rest[(start + 2)..<(start + header)].reduce(0) { $0 << 8 | Int($1) }
      if length < (count == 1 ? 0x80 : 1 << (8 * (count - 1))) { return nil }
    }
    guard length <= rest.count - header else { return nil }
    let end = start + header + length
    let element = Element(
      tag: tag, contents: rest[(start + header)..<end], whole: rest[start..<end])
    rest = rest[end...]
    return element
  }

  /// Reads the next element if it has this tag; otherwise returns `nil`.
  package mutating func next(_ tag: UInt8) -> Element? {
    guard nextTag == tag else { return nil }
    return next()
  }
}

/// Identifier octets (ITU-T X.690 section 8.1.2).
package enum DERTag {
  package static let integer: UInt8 = 0x02
  package static let bitString: UInt8 = 0x03
  package static let octetString: UInt8 = 0x04
  package static let objectIdentifier: UInt8 = 0x06
  package static let boolean: UInt8 = 0x01
  package static let sequence: UInt8 = 0x30
  package static let set: UInt8 = 0x31

  /// A context-specific tag for an element that contains elements.
  package static func tagged(_ number: UInt8) -> UInt8 { 0xa0 | number }

  /// A context-specific tag for an element that contains bytes.
  package static func taggedBytes(_ number: UInt8) -> UInt8 { 0x80 | number }
}
