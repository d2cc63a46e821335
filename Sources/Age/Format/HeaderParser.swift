import Bytes
import Glibc

/// Parses a header at the beginning of a file (C2SP age.md, "ABNF definition").
struct HeaderParser {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  mutating func parseVersion() throws(AgeError) {
    let name: StaticString = "age-encryption.org/"
    let line: StaticString = "age-encryption.org/v1\n"
    if bytes.starts(with: line) {
      offset = line.utf8CodeUnitCount
    } else if isPrefix(of: line) {
      throw .header(.truncated)
    } else {
      throw .header(bytes.starts(with: name) ? .unsupportedVersion : .notAge)
    }
  }

  mutating func parseStanza() throws(AgeError) -> Stanza? {
    let line = try nextLine()
    if line.starts(with: "---") {
      offset -= line.count + 1
      return nil
    }
    let (type, arguments) = try Self.parseArguments(line)
    return Stanza(unchecked: type, arguments: arguments, body: try parseBody())
  }

  /// Parses a stanza's first line: `-> `, its type and the arguments.
  static func parseArguments(
    _ line: UnsafeRawBufferPointer
  ) throws(AgeError) -> (type: String, arguments: [String]) {
    guard line.starts(with: "-> ") else { throw .header(.stanzaArguments) }
    var arguments: [String] = []
    var type: String?
    var start = 3
    while start <= line.count {
      var end = start
      while end < line.count, line[end] != UInt8(ascii: " ") {
        guard Stanza.isVisible(line[end]) else { throw .header(.stanzaArguments) }
        end += 1
      }
      guard end > start else { throw .header(.stanzaArguments) }
      let text = String(decoding: line.part(start, end - start), as: UTF8.self)
      if type == nil { type = text } else { arguments.append(text) }
      start = end + 1
    }
    guard let type else { throw .header(.stanzaArguments) }
    return (type, arguments)
  }

  mutating func parseMAC() throws(AgeError) -> [UInt8] {
    let line = try nextLine()
    guard line.starts(with: "--- "), line.count == 4 + Base64.encodedSize(KeyDerivation.hashSize) else {
      throw .header(.macLine)
    }
    var mac: [UInt8] = []
    guard Base64.decode(line: line.part(4, line.count - 4), appendingTo: &mac) else {
      throw .header(.macLine)
    }
    return mac
  }

  private mutating func parseBody() throws(AgeError) -> [UInt8] {
    var body: [UInt8] = []
    while true {
      let line = try nextLine()
      guard line.count <= Stanza.columns, Base64.decode(line: line, appendingTo: &body) else {
        throw .header(.stanzaBody)
      }
      if line.count < Stanza.columns { return body }
    }
  }

  private mutating func nextLine() throws(AgeError) -> UnsafeRawBufferPointer {
    guard let end = bytes.firstIndex(of: Stanza.lineFeed, from: offset) else {
      throw .header(bytes.count >= Header.maximumSize ? .tooLarge : .truncated)
    }
    let line = bytes.part(offset, end - offset)
    offset += line.count + 1
    guard offset <= Header.maximumSize else { throw .header(.tooLarge) }
    return line
  }

  private func isPrefix(of text: StaticString) -> Bool {
    bytes.count < text.utf8CodeUnitCount && bytes.elementsEqual(text.bytes.prefix(bytes.count))
  }
}
