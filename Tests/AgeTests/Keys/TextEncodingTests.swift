import Age
import Expectations
import TestSupport
import Testing

@Suite struct Bech32Tests {
  static func decode(_ text: [UInt8], room: Int = 128) throws -> (prefix: Int, data: [UInt8]) {
    var output = [UInt8](repeating: 0, count: room)
    let sizes = try output.withUnsafeMutableBytes { output in
      try text.withUnsafeBytes { try Bech32.decode($0, into: output) }
    }
    return (sizes.prefixCount, Array(output[..<sizes.dataCount]))
  }

  @Test(
    "the valid strings of BIP 173 are read",
    arguments: [
      ("A12UEL5L", 1, 0), ("a12uel5l", 1, 0), ("?1ezyfcl", 1, 0),
      ("an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs", 83, 0),
      ("abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", 6, 20),
      ("split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", 5, 30),
    ])
  func valid(_ text: String, _ prefixCount: Int, _ dataCount: Int) throws {
    let decoded = try Self.decode(ascii(text), room: dataCount)
    expect(decoded.prefix, is: prefixCount)
    expect(decoded.data.count, is: dataCount)
    guard dataCount > 0 else { return }
    #expect(throws: AgeError.invalidKey(.length)) { try Self.decode(ascii(text), room: dataCount - 1) }
  }

  @Test(
    "the invalid strings of BIP 173 are refused, each for its reason",
    arguments: [
      ([0x20] + ascii("1nwldj5"), KeyFault.character), ([0x7F] + ascii("1axkwrx"), .character),
      ([0x80] + ascii("1eym55h"), .character), (ascii("pzry9x0s0muk"), .separator),
      (ascii("1pzry9x0s0muk"), .separator), (ascii("x1b4n0q5v"), .character), (ascii("li1dgmt3"), .separator),
      (ascii("de1lg7wt") + [0xFF], .character), (ascii("A1G7SGD8"), .checksum),
      (ascii("10a06t8"), .separator),
      (ascii("1qzzfhee"), .separator), (ascii("a12UEL5L"), .mixedCase), ([], .separator),
    ])
  func invalid(_ text: [UInt8], _ fault: KeyFault) {
    #expect(throws: AgeError.invalidKey(fault)) { try Self.decode(text) }
  }

  @Test("what is encoded decodes to itself, in either case", arguments: [true, false])
  func roundTrip(_ uppercase: Bool) throws {
    var generator = SeededGenerator(seed: 1)
    for count in 0...70 {
      let data = generator.bytes(count)
      let prefix: StaticString = uppercase ? "LLAVERO-" : "llavero-"
      let size = Bech32.encodedSize(prefixCount: 8, dataCount: count)
      var text = [UInt8](repeating: 0, count: size)
      text.withUnsafeMutableBytes { text in
        data.withUnsafeBytes { Bech32.encode(prefix: prefix, data: $0, uppercase: uppercase, into: text) }
      }
      let decoded = try Self.decode(text)
      expect(decoded.prefix, is: 8)
      expect(decoded.data, is: data)
    }
  }

  @Test("any single wrong character is noticed")
  func substitution() {
    let text = ascii("age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj")
    for index in text.indices {
      for replacement in ascii("qz7la1b!") where replacement != text[index] {
        var damaged = text
        damaged[index] = replacement
        #expect(throws: AgeError.self) {
          try X25519Recipient(parsing: String(decoding: damaged, as: UTF8.self))
        }
      }
    }
  }
}
