package import Bytes

/// A file of git's configuration, read as git reads it (git-config(1), "Syntax"). It has the positions needed to change
/// it, and nothing of its values.
package struct GitConfiguration {
  /// `[NAME "SUBSECTION"]`
  package struct Section {
    /// The name in lowercase.
    package let name: ByteString
    /// The part in quotes, as written; `nil` if there is none.
    package let subsection: Range<Int>?
    package fileprivate(set) var range: Range<Int>
  }

  package struct Entry {
    /// The key in lowercase.
    package let key: ByteString
    /// The value as it is written; `nil` if there is no `=`.
    package let value: Range<Int>?
    /// From the first letter of the key to the end of the value's last line, without its LF.
    package let range: Range<Int>
    /// Where the value ends, or a comment after it begins.
    package let valueEnd: Int
    /// The index of its section; `nil` before the first one.
    package let section: Int?
    /// Its line, counting from 1.
    package let line: Int
  }

  /// Git can't read a line.
  package struct Malformed: Error {
    /// The line, counting from 1.
    package let line: Int
  }

  package private(set) var sections: [Section] = []
  package private(set) var entries: [Entry] = []

  /// Lent while it is read.
  private var text: UnsafeRawBufferPointer
  private var position = 0
  private var line = 1

  /// - Throws: ``Malformed`` where git reports a bad config line.
  package init(_ text: UnsafeRawBufferPointer) throws(Malformed) {
    self.text = text
    if text.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    while let byte = peek() {
      if Self.isSpace(byte) {
        _ = next()
      } else if byte == UInt8(ascii: "#") || byte == UInt8(ascii: ";") {
        skipLine()
      } else if byte == UInt8(ascii: "[") {
        try readHeader()
      } else {
        try readEntry()
      }
    }
    self.text = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// The name of an entry: `credential.helper`, `credential.https://a.example.helper`; lowercase except for what is in
  /// quotes.
  package func name(of entry: Entry, in text: UnsafeRawBufferPointer) -> ByteString {
    guard let section = entry.section.map({ sections[$0] }) else { return entry.key }
    var name = section.name.bytes
    if let subsection = section.subsection {
      name += [UInt8(ascii: ".")]
      var rest = text[subsection]
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
          name.append(escaped)
        } else {
          name.append(byte)
        }
      }
    }
    return ByteString(name + [UInt8(ascii: ".")] + entry.key.bytes)
  }

  package static func value(of entry: Entry, in text: UnsafeRawBufferPointer) -> Secret? {
    guard let range = entry.value else { return nil }
    var value = Secret(capacity: range.count)
    // The length without trailing spaces.
    var length = 0
    var isQuoted = false
    var rest = text[range]
    while let byte = rest.popFirst() {
      switch byte {
      case 0x0d where rest.first == 0x0a, 0x0a: continue
      case UInt8(ascii: ";") where !isQuoted, UInt8(ascii: "#") where !isQuoted:
        value.truncate(to: length)
        return value
      case UInt8(ascii: "\""):
        isQuoted.toggle()
        length = value.count
        continue
      case UInt8(ascii: "\\"):
        switch rest.popFirst() ?? 0x0a {
        case 0x0d, 0x0a: continue
        case UInt8(ascii: "t"): value.append(0x09)
        case UInt8(ascii: "b"): value.append(0x08)
        case UInt8(ascii: "n"): value.append(0x0a)
        case let other: value.append(other)
        }
      default:
        if isSpace(byte), !isQuoted {
          if !value.isEmpty { value.append(byte) }
          continue
        }
        value.append(byte)
      }
      length = value.count
    }
    value.truncate(to: length)
    return value
  }

  /// The value of an entry, if it is not confidential.
  package static func text(of entry: Entry, in text: UnsafeRawBufferPointer) -> ByteString? {
    ByteString(value(of: entry, in: text))
  }

  private var fault: Malformed { Malformed(line: line) }

  private func peek() -> UInt8? { position < text.count ? text[position] : nil }

  /// Reads the next byte; CR and LF are read as LF. `nil` at the end, which also ends a line.
  private mutating func next() -> UInt8? {
    guard position < text.count else { return nil }
    var byte = text[position]
    position += 1
    if byte == 0x0d, peek() == 0x0a {
      position += 1
      byte = 0x0a
    }
    if byte == 0x0a { line += 1 }
    return byte
  }

  private mutating func skipLine() {
    while let byte = peek(), byte != 0x0a {
      _ = byte
      position += 1
    }
  }

  private mutating func readHeader() throws(Malformed) {
    let start = position
    var name: [UInt8] = []
    var subsection: Range<Int>?
    _ = next()
    while true {
      let fault = fault
      guard let byte = next() else { throw fault }
      if byte == UInt8(ascii: "]") { break }
      if Self.isSpace(byte) {
        subsection = try readSubsection(after: byte, fault)
        break
      }
      guard Self.isKey(byte) || byte == UInt8(ascii: ".") else { throw fault }
      name.append(byte)
    }
    sections.append(
      Section(name: ByteString(name).lowercased, subsection: subsection, range: start..<position))
  }

  /// Reads the part in quotes, and the bracket after it.
  private mutating func readSubsection(
    after blank: UInt8, _ fault: Malformed
  ) throws(Malformed) -> Range<Int> {
    var byte = blank
    while Self.isSpace(byte) {
      guard byte != 0x0a, let following = next() else { throw fault }
      byte = following
    }
    guard byte == UInt8(ascii: "\"") else { throw fault }
    let start = position
    while true {
      guard let byte = next(), byte != 0x0a else { throw fault }
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        guard let escaped = next(), escaped != 0x0a else { throw fault }
      }
    }
    let end = position - 1
    guard next() == UInt8(ascii: "]") else { throw fault }
    return start..<end
  }

  private mutating func readEntry() throws(Malformed) {
    let (fault, first, start) = (fault, line, position)
    guard let letter = peek(), Self.isKey(letter), letter != UInt8(ascii: "-"), !(0x30...0x39 ~= letter)
    else {
      throw fault
    }
    while let byte = peek(), Self.isKey(byte) {
      _ = byte
      position += 1
    }
    let key = ByteString(text.slice(start..<position)).lowercased
    while peek() == 0x20 || peek() == 0x09 { position += 1 }
    var value: Range<Int>?
    var comment: Int?
    if peek() == UInt8(ascii: "=") {
      position += 1
      let start = position
      comment = try skipValue(fault)
      value = start..<position
    } else if let byte = next(), byte != 0x0a {
      throw fault
    }
    var end = position
    if end > start, text[end - 1] == 0x0a { end -= 1 }
    if end > start, text[end - 1] == 0x0d, end < text.count { end -= 1 }
    entries.append(
      Entry(
        key: key, value: value, range: start..<end, valueEnd: comment ?? end,
        section: sections.isEmpty ? nil : sections.count - 1, line: first))
  }

  /// Reads up to the end of the value's last line. Returns where a comment in it begins.
  private mutating func skipValue(_ fault: Malformed) throws(Malformed) -> Int? {
    var isQuoted = false
    var comment: Int?
    while let byte = next(), byte != 0x0a {
      if comment != nil { continue }
      switch byte {
      case UInt8(ascii: ";") where !isQuoted, UInt8(ascii: "#") where !isQuoted: comment = position - 1
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: "\\"):
        // The end of the file also ends a line.
        guard "\nntb\\\"".utf8.contains(next() ?? 0x0a) else { throw fault }
      default: break
      }
    }
    if isQuoted { throw fault }
    return comment
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
  }

  private static func isKey(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || byte == UInt8(ascii: "-") }
}
