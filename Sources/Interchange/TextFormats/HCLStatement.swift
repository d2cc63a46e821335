package import Bytes

/// A statement at the top of Terraform's CLI configuration (HCL, version 1): a block, or a line.
package struct HCLStatement {
  /// Its words, brackets and strings with their quotes.
  package let words: [Range<Int>]

  /// The text can't be read, or Terraform reads a character differently than people see it.
  package struct Malformed: Error {
    package let reason: String
  }

  /// The label in the quotes of a block with this name.
  package func label(of name: StaticString, in text: UnsafeRawBufferPointer) -> ByteString? {
    guard words.count > 1 else { return nil }
    let unquoted = words.prefix(2).map { text[$0].filter { $0 != UInt8(ascii: "\"") } }
    guard unquoted[0].elementsEqual(ByteString(stringLiteral: name).bytes),
      words[0].count - unquoted[0].count == 0 || words[0].count - unquoted[0].count == 2
    else { return nil }
    return ByteString(unquoted[1])
  }

  /// Its range; the whole lines if nothing else is on them.
  package func lines(in text: UnsafeRawBufferPointer) -> Range<Int> {
    guard let start = words.first?.lowerBound, let end = words.last?.upperBound else { return 0..<0 }
    return text.wholeLines(of: start..<end)
  }

  /// Whether one of these comments is in it.
  package func has(_ comments: [Range<Int>]) -> Bool {
    guard let start = words.first?.lowerBound, let end = words.last?.upperBound else { return false }
    return comments.contains { start <= $0.lowerBound && $0.upperBound <= end }
  }

  package static func comments(in text: UnsafeRawBufferPointer) throws(Malformed) -> [Range<Int>] {
    var reader = Reader(text)
    _ = try reader.statements()
    return reader.comments
  }

  package static func all(in text: UnsafeRawBufferPointer) throws(Malformed) -> [HCLStatement] {
    var reader = Reader(text)
    return try reader.statements()
  }

  private struct Reader {
    private let text: UnsafeRawBufferPointer
    private var position = 0
    private(set) var comments: [Range<Int>] = []

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    mutating func statements() throws(Malformed) -> [HCLStatement] {
      if text.starts(with: [0xef, 0xbb, 0xbf]) {
        throw Malformed(reason: "it begins with a byte order mark")
      }
      var statements: [HCLStatement] = []
      var words: [Range<Int>] = []
      var depth = 0
      while position < text.count {
        let (start, byte) = (position, text[position])
        if byte == 0x0d, position + 1 == text.count || text[position + 1] != 0x0a {
          throw Malformed(reason: "it has a line that ends with CR alone")
        }
        if byte == 0x0a, depth == 0, !words.isEmpty {
          statements.append(HCLStatement(words: words))
          words = []
        }
        if try skip() { continue }
        if byte == UInt8(ascii: "\"") { try readString() } else { readWord() }
        words.append(start..<position)
        if "{[".utf8.contains(byte) { depth += 1 }
        if "}]".utf8.contains(byte) { depth -= 1 }
        if depth < 0 { throw Malformed(reason: "a bracket is closed that wasn't opened") }
        if depth == 0, byte == UInt8(ascii: "}") {
          statements.append(HCLStatement(words: words))
          words = []
        }
      }
      if depth > 0 { throw Malformed(reason: "a block, string or comment isn't closed") }
      return words.isEmpty ? statements : statements + [HCLStatement(words: words)]
    }

    /// Skips a blank, the end of a line, or a comment. Returns whether there was one.
    private mutating func skip() throws(Malformed) -> Bool {
      let start = position
      if isWhiteSpace(text[position]) {
        position += 1
      } else if text[position] == UInt8(ascii: "#") || text.begins(with: "//", at: position) {
        position = text[position...].firstIndex(of: 0x0a) ?? text.count
        comments.append(start..<position)
      } else if text.begins(with: "/*", at: position) {
        position += 2
        while !text.begins(with: "*/", at: position) {
          if position >= text.count { throw Malformed(reason: "a block, string or comment isn't closed") }
          position += 1
        }
        position += 2
        comments.append(start..<position)
      } else if text.begins(with: "<<", at: position) {
        throw Malformed(reason: "it has a string over several lines")
      } else {
        return false
      }
      return true
    }

    private mutating func readString() throws(Malformed) {
      position += 1
      while position < text.count, text[position] != UInt8(ascii: "\""), text[position] != 0x0a {
        position += text[position] == UInt8(ascii: "\\") ? 2 : 1
      }
      guard position < text.count, text[position] == UInt8(ascii: "\"") else {
        throw Malformed(reason: "a block, string or comment isn't closed")
      }
      position += 1
    }

    /// Reads a bracket, an equals sign or a comma by itself, or else the text up to one.
    private mutating func readWord() {
      let first = text[position]
      position += 1
      if "{}[]=,".utf8.contains(first) { return }
      while position < text.count, !isWhiteSpace(text[position]), !"{}[]=,\"#".utf8.contains(text[position]) {
        position += 1
      }
    }
  }
}
