public import Bytes

/// The encoding of a file's text: UTF-8 with or without a byte order mark, or UTF-16 with one (The Unicode Standard,
/// section 23.8). Readers get UTF-8 without a mark, and positions refer to that.
public struct SourceText: ~Copyable {
  private enum Encoding {
    case utf8(mark: Int)
    case utf16(isBigEndian: Bool)
  }

  private let encoding: Encoding
  /// The text of a file in UTF-16, as UTF-8; empty for every other file, which isn't copied.
  private let converted: Secret

  private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]
  private static let markInUTF16: UInt16 = 0xfeff

  /// Determines a file's encoding.
  ///
  /// - Throws: ``FormatFault`` with the first line in another encoding, and the probable one.
  public init(_ file: UnsafeRawBufferPointer) throws(FormatFault) {
    let marked = [true, false].first { file.count >= 2 && Self.unit(file, 0, $0) == Self.markInUTF16 }
    let converted = try Self.converted(file, marked)
    encoding =
      marked.map { .utf16(isBigEndian: $0) }
      ?? .utf8(mark: file.starts(with: Self.mark) ? Self.mark.count : 0)
    self.converted = converted
  }

  private static func converted(
    _ file: UnsafeRawBufferPointer, _ isBigEndian: Bool?
  ) throws(FormatFault) -> Secret {
    if let isBigEndian { return try utf8(of: file, isBigEndian) }
    try validate(file)
    return Secret()
  }

  private static func validate(_ file: UnsafeRawBufferPointer) throws(FormatFault) {
    if let fault = FormatFault(ofWhatIsNone: file) { throw fault }
    // Text begins with neither, except UTF-16.
    if file.count >= 2, file[0] == 0 || file[1] == 0 {
      throw FormatFault(
        "it is not UTF-8, and UTF-16 without a byte order mark is not read", line: 1,
        encoding: file[0] == 0 ? "UTF-16BE" : "UTF-16LE")
    }
    if isValidUTF8(file) { return }
    let line = FileLines(file).first { !isValidUTF8($0.text) }
    throw FormatFault("it is not UTF-8", line: line?.number, encoding: "WINDOWS-1252")
  }

  /// Lends the text of the file.
  ///
  /// - Parameter file: the file that this was made from.
  public borrowing func lend<Result: ~Copyable, Failure: Error>(
    of file: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch encoding {
    case .utf8(let mark): return try body(file.slice(mark...))
    case .utf16: return try converted.withUnsafeBytes(body)
    }
  }

  /// The file in the same encoding after changes of its text, which don't overlap.
  ///
  /// - Parameter file: the file that this was made from.
  public borrowing func file(_ file: UnsafeRawBufferPointer, after removals: Set<Removal>) -> Secret {
    lend(of: file) { text in
      var rest = Secret(capacity: text.count)
      var position = 0
      for removal in removals.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
      where removal.range.lowerBound >= position {
        rest.append(text.slice(position..<removal.range.lowerBound))
        for byte in removal.replacement.bytes { rest.append(byte) }
        position = removal.range.upperBound
        if removal.isMember { Self.skipComma(of: text, at: &position, after: &rest) }
      }
      rest.append(text.slice(position...))
      return encoded(rest)
    }
  }

  /// Leaves out the comma of a removed member of a JSON object: the one after it, or after the last member the one
  /// after the last member that stays. White space goes with it.
  ///
  /// - Parameters:
  ///   - position: where the member ends.
  ///   - rest: the remaining text before it.
  private static func skipComma(
    of text: UnsafeRawBufferPointer, at position: inout Int, after rest: inout Secret
  ) {
    func next(from start: Int) -> Int { text[start...].firstIndex { $0 > 0x20 } ?? text.count }
    let end = next(from: position)
    if end < text.count, text[end] == UInt8(ascii: ",") { return position = next(from: end + 1) }
    let (count, last) = rest.withUnsafeBytes { bytes in
      let last = bytes.lastIndex { $0 > 0x20 }
      return (last.map { $0 + 1 } ?? 0, last.map { bytes[$0] })
    }
    let isAfterOthers = last == UInt8(ascii: ",")
    rest.truncate(to: isAfterOthers ? count - 1 : count)
    if !isAfterOthers { position = end }
  }

  /// A text in the encoding of the file.
  private borrowing func encoded(_ text: borrowing Secret) -> Secret {
    var file = Secret(capacity: text.count + Self.mark.count)
    switch encoding {
    case .utf8(let mark):
      for byte in Self.mark.prefix(mark) { file.append(byte) }
      file.append(text)
    case .utf16(let isBigEndian):
      Self.append(Self.markInUTF16, isBigEndian, to: &file)
      text.withUnsafeBytes { text in
        var decoder = UTF8()
        var bytes = text.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&bytes) {
          for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
            Self.append(unit, isBigEndian, to: &file)
          }
        }
      }
    }
    return file
  }

  private static func unit(_ file: UnsafeRawBufferPointer, _ index: Int, _ isBigEndian: Bool) -> UInt16 {
    let (first, second) = (UInt16(file[index]), UInt16(file[index + 1]))
    return isBigEndian ? first << 8 | second : second << 8 | first
  }

  private static func utf8(
    of file: UnsafeRawBufferPointer, _ isBigEndian: Bool
  ) throws(FormatFault) -> Secret {
    var text = Secret(capacity: file.count)
    var line = 1
    var decoder = UTF16()
    var units = stride(from: 2, to: file.count - 1, by: 2).lazy.map { unit(file, $0, isBigEndian) }
      .makeIterator()
    while true {
      switch decoder.decode(&units) {
      case .scalarValue(let scalar):
        if scalar == "\n" { line += 1 }
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { text.append(byte) }
      case .emptyInput where file.count % 2 == 0: return text
      case .emptyInput, .error: throw FormatFault("it is no valid UTF-16", line: line)
      }
    }
  }

  private static func append(_ unit: UInt16, _ isBigEndian: Bool, to file: inout Secret) {
    let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xff))
    file.append(isBigEndian ? high : low)
    file.append(isBigEndian ? low : high)
  }
}
