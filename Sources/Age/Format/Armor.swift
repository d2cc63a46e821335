import Bytes

/// The textual form of an age file (C2SP age.md, "ASCII armor"; RFC 7468, section 3, strict). Only the form that age
/// writes is accepted, with LF or CRLF, and with white space before and after it.
public enum Armor {
  /// The most bytes of white space before an armor, and after it.
  public static let maximumWhitespace = 1024

  private static let begin: StaticString = "-----BEGIN AGE ENCRYPTED FILE-----"
  private static let end: StaticString = "-----END AGE ENCRYPTED FILE-----"

  /// Whether some bytes, after white space, begin with an armor's BEGIN line, unlike a binary file.
  ///
  /// - Parameter bytes: the beginning of a file; ``maximumWhitespace`` and 34 bytes always suffice.
  public static func isArmored(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.firstIndex(where: { !isWhitespace($0) }) else { return false }
    return bytes.part(start, bytes.count - start).starts(with: begin)
  }

  /// The size of the armor for `size` bytes.
  public static func encodedSize(ofBinary size: Int) -> Int {
    let groups = (size + 2) / 3
    let lines = (size + Stanza.bytesPerLine - 1) / Stanza.bytesPerLine
    return begin.utf8CodeUnitCount + 1 + groups * 4 + lines + end.utf8CodeUnitCount + 1
  }

  /// Armors a binary file in lines of 64 columns, each with a line feed, the last included.
  public static func encode(_ binary: UnsafeRawBufferPointer) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(encodedSize(ofBinary: binary.count))
    text.append(contentsOf: begin.bytes)
    text.append(Stanza.lineFeed)
    for offset in stride(from: 0, to: binary.count, by: Stanza.bytesPerLine) {
      let count = min(Stanza.bytesPerLine, binary.count - offset)
      Base64.encode(binary.part(offset, count), padded: true, appendingTo: &text)
      text.append(Stanza.lineFeed)
    }
    text.append(contentsOf: end.bytes)
    text.append(Stanza.lineFeed)
    return text
  }

  /// Decodes an armored file.
  ///
  /// - Parameter text: the whole armored file.
  /// - Returns: the binary file, which may be empty.
  /// - Throws: ``AgeError/armor(_:)`` for any text but the one that encodes these bytes, apart from line ends and
  ///   outer white space.
  public static func decode(_ text: UnsafeRawBufferPointer) throws(AgeError) -> [UInt8] {
    var lines = Lines(text)
    try skipWhitespace(&lines, in: text)
    guard let first = lines.next(), first.elementsEqual(begin.bytes) else { throw .armor(.beginLine) }

    var binary: [UInt8] = []
    binary.reserveCapacity((text.count - lines.offset) / 4 * 3)
    var isComplete = false
    while true {
      guard let line = lines.next() else { throw .armor(.endLine) }
      if line.first == UInt8(ascii: "-") {
        guard line.elementsEqual(end.bytes) else { throw .armor(.endLine) }
        break
      }
      guard !isComplete, !line.isEmpty, line.count <= Stanza.columns else { throw .armor(.lineLength) }
      guard Base64.decode(line: line, padded: true, appendingTo: &binary) else { throw .armor(.base64) }
      isComplete = line.count < Stanza.columns || line.last == UInt8(ascii: "=")
    }

    let rest = text.part(lines.offset, text.count - lines.offset)
    guard rest.allSatisfy(isWhitespace) else { throw .armor(.trailingData) }
    guard rest.count <= maximumWhitespace else { throw .armor(.tooMuchWhitespace) }
    return binary
  }

  /// Whole lines of white space may precede the armor; nothing may precede BEGIN on its line.
  private static func skipWhitespace(
    _ lines: inout Lines, in text: UnsafeRawBufferPointer
  ) throws(AgeError) {
    var ahead = lines
    while let line = ahead.next(), line.allSatisfy(isWhitespace) {
      guard ahead.offset <= maximumWhitespace else { throw .armor(.tooMuchWhitespace) }
      lines = ahead
    }
  }

  private static func isWhitespace(_ character: UInt8) -> Bool {
    character == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(character)
  }
}
