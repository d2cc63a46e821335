import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

@Suite("the lines of a request") struct RequestLinesTests {
  /// Reads `input` in pieces of at most `piece` bytes, and counts the bytes that were requested.
  private func read(_ input: [UInt8], piece: Int = .max) throws(KeychainError) -> (text: [UInt8], taken: Int)
  {
    var position = 0
    let text = try RequestLines.read { (buffer) throws(KeychainError) in
      let count = min(piece, buffer.count, input.count - position)
      buffer.copyBytes(from: input[position..<position + count])
      position += count
      return count
    }
    return (text.revealed, position)
  }

  private func line(_ count: Int) -> [UInt8] {
    Array("k=".utf8) + [UInt8](repeating: 0x61, count: count - 3) + [0x0a]
  }

  @Test("a request ends at the end of the input or at a blank line")
  func ends() throws {
    let lines = Array("a=1\nb=2\n".utf8)
    try expect(read(lines).text, is: lines)
    try expect(read(lines + [0x0a]).text, is: lines)
    try expect(read(lines + Array("\nc=3\n".utf8)).text, is: lines)
    try expect(read(lines + Array("\nhalf a line".utf8)).text, is: lines)
    try expect(read([]).text, is: [])
    try expect(read([0x0a]).text, is: [])
    try expect(read(Array("\na=1\n".utf8)).text, is: [])
  }

  @Test("after the blank line nothing more is waited for")
  func noWaiting() throws {
    var pieces = ["a=1\n", "\n"].map { Array($0.utf8) }
    let text = try RequestLines.read { (buffer) throws(KeychainError) in
      guard !pieces.isEmpty else { throw .request(.input(errno: 5)) }
      let piece = pieces.removeFirst()
      buffer.copyBytes(from: piece)
      return piece.count
    }
    expect(text.withUnsafeBytes { Array($0) }, is: Array("a=1\n".utf8))
    let rest = try read(Array("a=1\n\n".utf8) + [UInt8](repeating: 0, count: 100_000), piece: 5)
    expect(rest.taken, is: 5)
  }

  @Test("a line of 65,535 bytes with its LF is read, and one more is refused")
  func longestLine() throws {
    for prefix in [[], Array("protocol=https\n".utf8)] {
      for piece in [1, 4096, 5000] {
        let fits = prefix + line(65_535) + line(10)
        try expect(read(fits, piece: piece).text, is: fits)
        let error = KeychainError.request(.lineTooLong(line: prefix.isEmpty ? 1 : 2, limit: 65_535))
        #expect(throws: error) { try read(prefix + line(65_536) + line(10), piece: piece) }
        #expect(throws: error) { try read(prefix + Array(line(65_536).dropLast()), piece: piece) }
      }
    }
  }

  @Test("a line without end is refused before all of it is read", arguments: [1, 4096])
  func endless(piece: Int) throws {
    var taken = 0
    #expect(throws: KeychainError.request(.lineTooLong(line: 1, limit: 65_535))) {
      _ = try RequestLines.read { (buffer) throws(KeychainError) in
        let count = min(piece, buffer.count)
        buffer.copyBytes(from: [UInt8](repeating: 0x61, count: count))
        taken += count
        return count
      }.revealed
    }
    expect(taken < 65_536 + 4096)
  }

  @Test("a request without end is refused")
  func endlessRequest() throws {
    let input = [UInt8]([line(60_000)].joined()) + (0..<80).flatMap { _ in line(60_000) }
    for piece in [4096, 1000] {
      #expect(throws: KeychainError.request(.requestTooLong(limit: 4 << 20))) {
        try read(input, piece: piece)
      }
    }
  }

  @Test("many long lines fit")
  func manyLines() throws {
    let input = (0..<60).flatMap { _ in line(65_535) }
    try expect(read(input).text, is: input)
  }

  @Test(
    "a last line without its LF is refused",
    arguments: [("a", 1), ("a=1", 1), ("a=1\nb", 2), ("a=1\nb=2\nc=", 3)])
  func unfinished(text: String, line: Int) {
    #expect(throws: KeychainError.request(.unfinishedLine(line: line))) { try read(Array(text.utf8)) }
    #expect(throws: KeychainError.request(.unfinishedLine(line: line))) {
      try read(Array(text.utf8), piece: 1)
    }
  }

  @Test("CR is a byte of its line, and ends none")
  func carriageReturn() throws {
    let text = Array("a=1\r\n\r\nb=2\n".utf8)
    try expect(read(text).text, is: text)
  }

  @Test("an error of the source is passed on")
  func sourceError() {
    #expect(throws: KeychainError.request(.input(errno: 5))) {
      _ = try RequestLines.read { (_) throws(KeychainError) in throw .request(.input(errno: 5)) }.revealed
    }
  }

  @Test("however the bytes arrive, the request is the same")
  func chunks() {
    var generator = SeededGenerator(seed: 61)
    let seed = Array("protocol=https\nhost=example.com\nusername=alice\npassword=x\n\nrest\n".utf8)
    for _ in 0..<rounds(2000) {
      let input = generator.mutated(
        seed, dictionary: [[0x0a], [0x0a, 0x0a], line(4095), line(4096), line(65_536)])
      func outcome(_ piece: Int) -> Result<[UInt8], KeychainError> {
        do throws(KeychainError) {
          return .success(try read(input, piece: piece).text)
        } catch {
          return .failure(error)
        }
      }
      let whole = outcome(.max)
      for piece in [1, 7, 4095] where input.count < 10_000 || piece > 1 { expect(outcome(piece), is: whole) }
    }
  }
}
