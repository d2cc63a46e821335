import Bytes
import CredentialProtocols
import Glibc

/// A line that an Assuan server sends (the libassuan manual, "Server responses").
enum AssuanLine: Equatable {
  case ok
  /// The low sixteen bits of the code are libgpg-error's; the others identify the program that reported it.
  case error(code: UInt32, text: String)
  /// The range of a part of the answer in the line, still escaped.
  case data(Range<Int>)
  /// A progress remark, such as `PIN_REPEATED`.
  case status(String)
  case inquiry
  case comment

  /// In bytes, with the line's end (the manual, "Implementation": 1000 octets and a line end).
  static let longest = 1002

  /// Parses a line without its line feed; `nil` if it is invalid.
  init?(parsing line: UnsafeRawBufferPointer) {
    var end = line.count
    if end > 0, line[end - 1] == 0x0d { end -= 1 }
    let line = UnsafeRawBufferPointer(rebasing: line[..<end])
    if line.first == UInt8(ascii: "#") {
      self = .comment
    } else if Self.keyword("OK", in: line) {
      self = .ok
    } else if Self.keyword("D", in: line) {
      self = .data(min(2, line.count)..<line.count)
    } else if Self.keyword("S", in: line) {
      self = .status(String(decoding: line.dropFirst(2), as: UTF8.self))
    } else if Self.keyword("INQUIRE", in: line) {
      self = .inquiry
    } else if Self.keyword("ERR", in: line) {
      let rest = line.dropFirst(4)
      let digits = rest.prefix { $0 != 0x20 }
      guard let code = UInt32(String(decoding: digits, as: UTF8.self)) else { return nil }
      let text = rest.dropFirst(digits.count + 1)
      self = .error(code: code, text: String(decoding: text, as: UTF8.self))
    } else {
      return nil
    }
  }

  /// Whether the line is the word, or begins with it and a space.
  private static func keyword(_ word: StaticString, in line: UnsafeRawBufferPointer) -> Bool {
    let length = word.utf8CodeUnitCount
    guard line.prefix(length).elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: length)) else {
      return false
    }
    return line.count == length || line[length] == 0x20
  }
}

/// Assuan's escapes: a percent sign and two hexadecimal digits.
enum AssuanEscapes {
  /// Returns `false`, and leaves `decoded` unchanged, if an escape is invalid.
  static func decode(_ escaped: UnsafeRawBufferPointer, appendingTo decoded: inout Secret) -> Bool {
    let before = decoded.count
    let isWellFormed = PercentEncoding.decode(escaped) { byte, _ in decoded.append(byte) }
    if !isWellFormed { decoded.truncate(to: before) }
    return isWellFormed
  }

  /// Escapes a text as the argument of a command, on one line.
  static func encode(_ text: String) -> String {
    PercentEncoding.line(text)
  }
}

/// Splits data that arrives in pieces into lines. Consumed lines are wiped.
struct AssuanLines: ~Copyable {
  private var received = Secret(capacity: 2 * AssuanLine.longest)

  /// Whether the present line exceeds the maximum length.
  var isTooLong: Bool {
    received.count >= AssuanLine.longest
      && received.withUnsafeBytes { !$0.prefix(AssuanLine.longest).contains(0x0a) }
  }

  /// Adds the bytes that `body` writes into a buffer of `count` bytes; `body` returns their number.
  mutating func receive(_ count: Int, from body: (UnsafeMutableRawBufferPointer) -> Int) {
    received.append(count: count, writtenBy: body)
  }

  /// Passes the next line, without its line feed, to `body`, and removes it. Returns `nil` if no line is complete yet.
  mutating func next<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    let length = received.withUnsafeBytes { $0.firstIndex(of: 0x0a) }
    guard let length else { return nil }
    let result = received.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
    let left = received.count - length - 1
    received.withUnsafeMutableBytes { bytes in
      if let base = bytes.baseAddress { memmove(base, base + length + 1, left) }
    }
    received.truncate(to: left)
    return result
  }
}
