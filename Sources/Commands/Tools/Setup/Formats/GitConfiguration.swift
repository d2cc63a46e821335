/// A file of git's configuration, read as git reads it (git-config(1), "Syntax").
struct GitConfiguration {
  struct Entry {
    /// `credential.helper`, `credential.https://a.example.helper`: lowercase except for what was in quotes.
    let name: [UInt8]
    /// The value; `nil` if there is no `=`.
    let value: [UInt8]?
    /// From the first letter of the key to the end of the value's last line, without its LF.
    let range: Range<Int>
    /// The index of its section.
    let section: Int
  }

  /// The ranges of the section headers.
  private(set) var sections: [Range<Int>] = []
  private(set) var entries: [Entry] = []

  private let text: [UInt8]
  private var position = 0
  private var line = 1
  private var section: [UInt8] = []

  /// - Throws: ``ConfigurationFault`` where git reports a bad config line.
  init(_ text: [UInt8]) throws(ConfigurationFault) {
    self.text = text
    if text.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    while let byte = peek() {
      if Self.isSpace(byte) {
        _ = next()
      } else if byte == UInt8(ascii: "#") || byte == UInt8(ascii: ";") {
        skipLine()
      } else if byte == UInt8(ascii: "[") {
        let start = position
        _ = next()
        try readHeader()
        sections.append(start..<position)
      } else {
        try readEntry()
      }
    }
  }

  /// The values of a key, in order.
  func values(of name: String) -> [[UInt8]?] {
    entries.filter { $0.name.elementsEqual(name.utf8) }.map(\.value)
  }

  private var fault: ConfigurationFault {
    ConfigurationFault("git can't read line \(line)")
  }

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

  private mutating func readHeader() throws(ConfigurationFault) {
    section = []
    while true {
      let fault = fault
      guard var byte = next() else { throw fault }
      if byte == UInt8(ascii: "]") { break }
      if !Self.isSpace(byte) {
        guard Self.isKey(byte) || byte == UInt8(ascii: ".") else { throw fault }
        section.append(byte)
        continue
      }
      section = section.lowercased + [UInt8(ascii: ".")]
      while Self.isSpace(byte) {
        guard byte != 0x0a, let following = next() else { throw fault }
        byte = following
      }
      guard byte == UInt8(ascii: "\"") else { throw fault }
      while true {
        guard var byte = next(), byte != 0x0a else { throw fault }
        if byte == UInt8(ascii: "\"") { break }
        if byte == UInt8(ascii: "\\") {
          guard let escaped = next(), escaped != 0x0a else { throw fault }
          byte = escaped
        }
        section.append(byte)
      }
      guard next() == UInt8(ascii: "]") else { throw fault }
      return
    }
    section = section.lowercased
  }

  private mutating func readEntry() throws(ConfigurationFault) {
    let fault = fault
    let start = position
    guard let first = peek(), Self.isKey(first), first != UInt8(ascii: "-"), !(0x30...0x39 ~= first) else {
      throw fault
    }
    while let byte = peek(), Self.isKey(byte) {
      _ = byte
      position += 1
    }
    let name =
      section + (sections.isEmpty ? [] : [UInt8(ascii: ".")]) + Array(text[start..<position]).lowercased
    while peek() == 0x20 || peek() == 0x09 { position += 1 }
    var value: [UInt8]?
    if peek() == UInt8(ascii: "=") {
      position += 1
      value = try readValue(fault)
    } else if let byte = next(), byte != 0x0a {
      throw fault
    }
    var end = position
    if end > start, text[end - 1] == 0x0a { end -= 1 }
    if end > start, text[end - 1] == 0x0d, end < text.count { end -= 1 }
    entries.append(Entry(name: name, value: value, range: start..<end, section: sections.count - 1))
  }

  private mutating func readValue(_ fault: ConfigurationFault) throws(ConfigurationFault) -> [UInt8] {
    var value: [UInt8] = []
    // The length without trailing spaces.
    var length = 0
    var isQuoted = false
    var isComment = false
    while true {
      guard let byte = next(), byte != 0x0a else {
        if isQuoted { throw fault }
        return Array(value[..<length])
      }
      if isComment { continue }
      if Self.isSpace(byte), !isQuoted {
        if !value.isEmpty { value.append(byte) }
        continue
      }
      switch byte {
      case UInt8(ascii: ";") where !isQuoted, UInt8(ascii: "#") where !isQuoted:
        isComment = true
        continue
      case UInt8(ascii: "\""):
        isQuoted.toggle()
      case UInt8(ascii: "\\"):
        // The end of the file also ends a line.
        switch next() ?? 0x0a {
        case 0x0a: continue
        case UInt8(ascii: "t"): value.append(0x09)
        case UInt8(ascii: "b"): value.append(0x08)
        case UInt8(ascii: "n"): value.append(0x0a)
        case UInt8(ascii: "\\"): value.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "\""): value.append(UInt8(ascii: "\""))
        default: throw fault
        }
      default: value.append(byte)
      }
      length = value.count
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
  }

  private static func isKey(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"): true
    default: false
    }
  }
}
