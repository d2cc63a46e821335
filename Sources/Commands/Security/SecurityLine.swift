import Bytes
import ToolCommands

/// A line read in interactive mode.
enum SecurityLine {
  /// In bytes.
  static let longest = 1 << 20

  /// Splits a line into words. A word that begins with a quote, `"` or `'`, ends at the next such quote. Any other word
  /// ends at white space, and quotes in it are literal. A backslash makes the next byte literal in both.
  ///
  /// - Throws: ``SecurityFailure`` if a quote isn't closed, or the line ends in a backslash.
  static func words(_ line: borrowing Secret) throws(SecurityFailure) -> [SecurityWord] {
    var words: [SecurityWord] = []
    var position = 0
    while true {
      while position < line.count, isSpace(line.byte(position)) { position += 1 }
      if position == line.count { return words }
      var word = Secret(capacity: 64)
      let first = line.byte(position)
      let quote: UInt8? = first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") ? first : nil
      if quote != nil { position += 1 }
      var isWhole = quote == nil
      while position < line.count {
        var byte = line.byte(position)
        position += 1
        if byte == quote || quote == nil && isSpace(byte) {
          isWhole = true
          break
        }
        if byte == UInt8(ascii: "\\") {
          if position == line.count { throw .told(["security: the line ends in a backslash"]) }
          byte = line.byte(position)
          position += 1
        }
        word.append(byte)
      }
      if !isWhole { throw .told(["security: a quote of the line isn't closed"]) }
      words.append(SecurityWord(word))
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || 0x09...0x0d ~= byte
  }
}

final class SecurityInput {
  private var buffer = Secret(capacity: 4096)
  private var hasEnded = false

  enum Reading: ~Copyable {
    case line(Secret)
    case ended
    case tooLong
    case failed(errno: Int32)
  }

  /// Without the line's end.
  func next() -> Reading {
    while true {
      if let end = buffer.withUnsafeBytes({ $0.firstIndex(of: 0x0a) }) {
        return .line(take(end, dropping: 1))
      }
      if hasEnded { return buffer.isEmpty ? .ended : .line(take(buffer.count, dropping: 0)) }
      if buffer.count > SecurityLine.longest { return .tooLong }
      var count = 0
      buffer.append(count: 4096) { memory in
        count = StandardStreams.read(0, into: memory, waits: true)
        return max(0, count)
      }
      if count < 0 { return .failed(errno: Int32(-count)) }
      if count == 0 { hasEnded = true }
    }
  }

  private func take(_ count: Int, dropping ending: Int) -> Secret {
    let line = copy(0..<count)
    buffer = copy(count + ending..<buffer.count)
    return line
  }

  private func copy(_ range: Range<Int>) -> Secret {
    buffer.withUnsafeBytes { Secret(copying: UnsafeRawBufferPointer(rebasing: $0[range])) }
  }
}

extension Secret {
  fileprivate borrowing func byte(_ position: Int) -> UInt8 {
    withUnsafeBytes { $0[position] }
  }
}
