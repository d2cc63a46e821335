import Expectations
import Keychain
import TestSupport
import Testing

@testable import ToolCommands

@Suite("Assuan's lines and escapes") struct AssuanTests {
  @Test(
    "each kind of line is known",
    arguments: [
      ("OK", .ok), ("OK Pleased to meet you", .ok), ("OK closing\r", .ok), ("D", .data(1..<1)),
      ("D ", .data(2..<2)),
      ("D a b", .data(2..<5)), ("S PIN_REPEATED", .status("PIN_REPEATED")), ("S", .status("")),
      ("#", .comment), ("# OK", .comment), ("INQUIRE QUALITY abc", .inquiry),
      (
        "ERR 83886179 Operation cancelled <Pinentry>",
        .error(code: 83_886_179, text: "Operation cancelled <Pinentry>")
      ),
      ("ERR 1", .error(code: 1, text: "")), ("ERR 1 ", .error(code: 1, text: "")),
    ] as [(String, AssuanLine)])
  func kinds(text: String, line: AssuanLine) {
    expect(parsed(Array(text.utf8)), is: line)
  }

  @Test(
    "what is no line of the protocol is refused",
    arguments: [
      "", "\r", "ok", "OKAY", "DATA", "Dpass", "ERR", "ERR ", "ERR x", "ERR -1 no", "ERR 99999999999",
      "ERRR 1", "END", "y", " OK",
    ])
  func strangers(text: String) {
    expect(parsed(Array(text.utf8)), is: nil)
  }

  @Test("escapes are decoded, byte for byte")
  func decoding() {
    for (escaped, bytes) in [
      ("", []), ("abc", [0x61, 0x62, 0x63]), ("a%25b", [0x61, 0x25, 0x62]), ("%0A%0d%00", [0x0a, 0x0d, 0]),
      ("%ff%C3%a9 ", [0xff, 0xc3, 0xa9, 0x20]), ("+%2B", [0x2b, 0x2b]), ("%2525", [0x25, 0x32, 0x35]),
    ] as [(String, [UInt8])] {
      expect(decoded(Array(escaped.utf8)), is: bytes, "\(escaped)")
    }
    for broken in ["%", "a%", "%2", "a%4", "%g0", "%0g", "%%25", "% 1", "%-1"] {
      expect(decoded(Array(broken.utf8)), is: nil, "\(broken)")
    }
  }

  @Test("a broken escape leaves nothing of its line")
  func brokenLine() {
    var secret = Secret("before")
    let text = Secret("abc%4")
    let isDecoded = text.withUnsafeBytes { AssuanEscapes.decode($0, appendingTo: &secret) }
    expect(!isDecoded)
    expect(bytes(of: secret), is: Array("before".utf8))
  }

  @Test("what is encoded is one line of the same meaning", arguments: 0..<200 as Range<UInt64>)
  func roundTrip(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var text = ""
    for _ in 0..<Int.random(in: 0...60, using: &random) {
      let scalar =
        Unicode.Scalar(UInt32.random(in: 0...(seed % 2 == 0 ? 0x7f : 0x10ffff), using: &random)) ?? "%"
      text.unicodeScalars.append(scalar)
    }
    let encoded = AssuanEscapes.encode(text)
    expect(!encoded.utf8.contains { $0 < 0x20 || $0 == 0x7f })
    expect(decoded(Array(encoded.utf8)), is: Array(text.utf8))
  }

  @Test("no bytes whatever upset the parser or the decoder", arguments: 0..<300 as Range<UInt64>)
  func fuzz(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("DERSOK%# 0123456789abcdef\r\u{0}é".utf8)
    var line: [UInt8] = []
    for _ in 0..<Int.random(in: 0...80, using: &random) {
      line.append(
        Bool.random(using: &random)
          ? alphabet.randomElement(using: &random)! : .random(in: 0...255, using: &random))
    }
    if case .data(let range)? = parsed(line) {
      expect(range.lowerBound >= 1 && range.upperBound <= line.count)
    }
    if let meant = decoded(line) {
      let escapes = (line.count - meant.count) / 2
      expect(meant.count + 2 * escapes, is: line.count)
      expect(escapes, is: line.count { $0 == 0x25 })
    }
  }

  @Test("lines arrive in pieces of any size", arguments: 1...40)
  func pieces(size: Int) {
    let sent = Array("OK hello\nS PIN_REPEATED\n\nD pa%25ss\nOK\nrest".utf8)
    var lines = AssuanLines()
    var taken: [[UInt8]] = []
    for start in stride(from: 0, to: sent.count, by: size) {
      let piece = sent[start..<min(start + size, sent.count)]
      lines.receive(64) { buffer in
        buffer.copyBytes(from: piece)
        return piece.count
      }
      while let line = lines.next({ Array($0) }) { taken.append(line) }
    }
    expect(taken, is: ["OK hello", "S PIN_REPEATED", "", "D pa%25ss", "OK"].map { Array($0.utf8) })
    let isTooLong = lines.isTooLong
    expect(!isTooLong)
  }

  @Test("a line that does not end in time is too long")
  func longLine() {
    for (count, isTooLong) in [(AssuanLine.longest - 1, false), (AssuanLine.longest, true), (5000, true)] {
      var lines = AssuanLines()
      lines.receive(count) { buffer in
        buffer.copyBytes(from: repeatElement(0x61, count: count))
        return count
      }
      let outcome = lines.isTooLong
      expect(outcome, is: isTooLong)
    }
    var lines = AssuanLines()
    lines.receive(3000) { buffer in
      buffer.copyBytes(from: repeatElement(0x0a, count: 3000))
      return 3000
    }
    let isTooLong = lines.isTooLong
    expect(!isTooLong)
  }

  private func parsed(_ line: [UInt8]) -> AssuanLine? {
    line.withUnsafeBytes { AssuanLine(parsing: $0) }
  }

  private func decoded(_ escaped: [UInt8]) -> [UInt8]? {
    var secret = Secret()
    guard escaped.withUnsafeBytes({ AssuanEscapes.decode($0, appendingTo: &secret) }) else { return nil }
    return bytes(of: secret)
  }

  private func bytes(of secret: borrowing Secret) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }
}
