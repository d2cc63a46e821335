import Age
import Bytes
import Expectations
import TestSupport
import Testing

@Suite struct PluginFrameTests {
  static func encode(_ words: [String], _ body: [UInt8]) throws -> [UInt8] {
    try body.withUnsafeBytes { try PluginFrame.withEncoded(words, body: $0) { Array($0) } }
  }

  /// The words and body of a frame, parsed from exactly these bytes.
  static func parse(_ bytes: [UInt8]) throws -> (words: [String], body: [UInt8]) {
    try bytes.withUnsafeBytes { bytes in
      let frame = try PluginFrame(parsing: bytes)
      return ([frame.type] + frame.arguments, frame.body.withUnsafeBytes { Array($0) })
    }
  }

  @Test("a frame of any body survives, and is written as a stanza is")
  func roundTrip() throws {
    for count in Array(0...200) + [4799, 4800, 4801] {
      let encoded = try Self.encode(["msg", "a", "~"], sample(count))
      let parsed = try Self.parse(encoded)
      expect(parsed.words, is: ["msg", "a", "~"])
      expect(parsed.body, is: sample(count))
    }
    try expect(Self.encode(["done"], []), is: ascii("-> done\n\n"))
    try expect(Self.encode(["ok", "yes"], ascii("hello")), is: ascii("-> ok yes\naGVsbG8\n"))
  }

  @Test("a secret word stands last")
  func secretWord() throws {
    let encoded = try ascii("AGE-PLUGIN-X-1").withUnsafeBytes { word in
      try PluginFrame.withEncoded(
        ["add-identity"], secretWord: word, body: UnsafeRawBufferPointer(start: nil, count: 0)
      ) { Array($0) }
    }
    expect(encoded, is: ascii("-> add-identity AGE-PLUGIN-X-1\n\n"))
  }

  @Test(
    "what is no stanza is refused as soon as that is known",
    arguments: [
      "x", "->x", "\n", "->\n", "Hello\n", "--- A", "-> a\n" + String(repeating: "A", count: 65),
      "-> a\n====x\n",
      "-> \n\n", "-> a \n\n", "-> a\r\n\r\n", "-> a\nA\n", "-> a\nAB\n", "-> a\n!!!!\n", "-> é\n\n",
    ])
  func malformed(_ text: String) {
    #expect(throws: PluginFault.malformedStanza) {
      var boundary = PluginFrame.Boundary()
      let bytes = ascii(text)
      if let size = try bytes.withUnsafeBytes({ try boundary.find(in: $0) }) {
        _ = try Self.parse(Array(bytes[..<size]))
      }
    }
  }

  @Test("frames are found however they arrive", arguments: 0..<8)
  func pieces(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let frames = try (0..<5).map { index in
        try Self.encode(["c\(index)", "x"], random.bytes(Int.random(in: 0...300, using: &random)))
      }
      let stream = frames.flatMap { $0 }
      var (start, arrived) = (0, 0)
      var boundary = PluginFrame.Boundary()
      var found: [[UInt8]] = []
      while found.count < frames.count {
        let size = try Array(stream[start..<arrived]).withUnsafeBytes { try boundary.find(in: $0) }
        if let size {
          found.append(Array(stream[start..<start + size]))
          start += size
          boundary = PluginFrame.Boundary()
        } else {
          arrived = min(arrived + Int.random(in: 1...100, using: &random), stream.count)
        }
      }
      expect(found, is: frames)
    }
  }

  @Test("damaged frames are refused, or are what a writer would write of what was read", arguments: 0..<8)
  func fuzz(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (refused, waiting, read) = (0, 0, 0)
    for _ in 0..<2000 {
      var bytes = try Self.encode(["file-key", "0"], random.bytes(Int.random(in: 0...120, using: &random)))
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
        case 1:
          let letters = ascii("-> \n=AZ+/\r\0")
          bytes.insert(
            letters.randomElement(using: &random) ?? 0, at: Int.random(in: 0...bytes.count, using: &random))
        default:
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      }
      var boundary = PluginFrame.Boundary()
      do {
        guard let size = try bytes.withUnsafeBytes({ try boundary.find(in: $0) }) else {
          waiting += 1
          continue
        }
        let parsed = try Self.parse(Array(bytes[..<size]))
        try expect(Self.encode(parsed.words, parsed.body), is: Array(bytes[..<size]))
        read += 1
      } catch is PluginFault {
        refused += 1
      }
      // It doesn't matter that they are not a frame.
      _ = try? Self.parse(bytes)
    }
    expect(refused > 100 && waiting > 100 && read > 100)
  }
}
