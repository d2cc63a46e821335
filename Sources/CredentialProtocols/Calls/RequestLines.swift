public import Bytes
public import Keychain

/// Reads the lines of a request up to a blank line or the end of the input.
///
/// Lines end with LF only; a CR is part of the line. The input is not trusted: lines and requests are bounded. A last
/// line without LF is refused: the sender died in the middle of it, and half a password is useless.
public enum RequestLines {
  /// The maximum length of a line in bytes, with its LF: git's own bound.
  public static let longestLine = 65_535
  /// The maximum length of a request in bytes.
  public static let longestRequest = 4 << 20

  /// Reads a request, including the LFs but not the blank line.
  ///
  /// - Parameter read: reads the next bytes into the buffer and returns their number; 0 at the end of the input.
  /// - Throws: the ``KeychainError`` for an exceeded bound, ``RequestFault/unfinishedLine(line:)``, and the errors of
  ///   `read`.
  public static func read(
    _ read: (UnsafeMutableRawBufferPointer) throws(KeychainError) -> Int
  ) throws(KeychainError) -> Secret {
    var text = Secret(capacity: 4096)
    var line = 1
    var lineStart = 0
    while true {
      let searched = text.count
      // Room for a whole request of git's and the end of the input.
      try text.append(count: 2048, writtenBy: read)
      if text.count == searched {
        if lineStart < text.count { throw .request(.unfinishedLine(line: line)) }
        return text
      }
      let lastLine = try text.withUnsafeBytes { (bytes) throws(KeychainError) -> Int? in
        for index in searched..<bytes.count where bytes[index] == 0x0a {
          if index == lineStart { return index }
          if index - lineStart >= longestLine { throw .request(.lineTooLong(line: line, limit: longestLine)) }
          line += 1
          lineStart = index + 1
        }
        if bytes.count - lineStart >= longestLine {
          throw .request(.lineTooLong(line: line, limit: longestLine))
        }
        return nil
      }
      if let lastLine {
        text.truncate(to: lastLine)
        return text
      }
      if text.count > longestRequest { throw .request(.requestTooLong(limit: longestRequest)) }
    }
  }

  /// Calls `body` with the key and value of each `key=value` line.
  ///
  /// - Throws: ``RequestFault/lineWithoutEqualsSign(line:)``, ``RequestFault/lineWithNUL(line:)``, and the errors of
  ///   `body`.
  static func forEachPair(
    in text: UnsafeRawBufferPointer,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(KeychainError) -> Void
  ) throws(KeychainError) {
    var number = 0
    var start = 0
    while start < text.count {
      var end = start
      var equals: Int?
      while end < text.count, text[end] != 0x0a {
        if text[end] == 0 { throw .request(.lineWithNUL(line: number + 1)) }
        if text[end] == UInt8(ascii: "="), equals == nil { equals = end }
        end += 1
      }
      number += 1
      guard let equals else { throw .request(.lineWithoutEqualsSign(line: number)) }
      try body(
        UnsafeRawBufferPointer(rebasing: text[start..<equals]),
        UnsafeRawBufferPointer(rebasing: text[(equals + 1)..<end]))
      start = end + 1
    }
  }
}
