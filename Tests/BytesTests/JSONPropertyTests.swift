import Bytes
import Expectations
import Foundation
import Properties
import TestSupport
import Testing

@Suite("JSON at random") struct JSONPropertyTests {
  @Test("what the fuzzer has found lies within its text, and comes back")
  func corpus() throws {
    try expect(Corpus.failures(of: "json", JSONProperty.self), is: [])
  }

  @Test("random bytes come back, and Foundation reads the same")
  func roundTrip() throws {
    var generator = SeededGenerator(seed: 31)
    for round in 0..<rounds(3000) {
      let bytes = round % 2 == 0 ? generator.bytes(generator.number(in: 0..<40)) : generator.text()
      try bytes.lendingBytes(JSONProperty.check)
      let text = written { json in
        json.beginObject()
        json.member("a", ByteString(bytes))
        json.endObject()
      }
      let object = try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: String])
      if let string = object["a"] {
        expect(Array(string.utf8), is: bytes)
      } else {
        expect(Data(base64Encoded: try #require(object["a_b64"])), is: Data(bytes))
      }
    }
  }

  @Test("no text crashes the reader, and what it reads whole is JSON to Foundation too")
  func fuzz() throws {
    var generator = SeededGenerator(seed: 32)
    let seeds = [
      #"{"k":"internet example.com https 443","id":"0190","rev":3,"port":443,"isDefault":true,"x":null}"#,
      #"{"a":"\u00e9\ud83d\udd11\n\"\\","b":[1,-2.5e3,[],{}],"c":{"d":{"e":[false,"é漢"]}}}"#,
      #"[ "a" , 1 , { "b" : [ ] } ]"#, "{}", "[]", #"[0,-0,1.0,10,1e1]"#,
    ].map { Array($0.utf8) }
    let dictionary = [
      "\"", "\\", "\\u", "\\ud800", "\\udc00", "{", "}", "[", "]", ",", ":", "null", "true", "-", ".", "e",
      "0", " ",
      "\n", "\0", "\u{1f}", "\u{7f}", "\"a\":", "01", "🔑",
    ].map { Array($0.utf8) }
    var accepted = 0
    for _ in 0..<rounds(40_000) {
      let text = generator.mutated(generator.pick(seeds), dictionary: dictionary)
      guard (try? DecodedJSON.decode(text)) != nil else { continue }
      // RFC 8259 section 8.1 requires UTF-8; Foundation can't be asked about other bytes.
      guard String(validating: text, as: UTF8.self) != nil else { continue }
      accepted += 1
      expect(foundationAccepts(text), "\(String(decoding: text, as: UTF8.self))")
    }
    expect(accepted > rounds(2000))
  }

  @Test("what is not UTF-8 is no JSON")
  func notUTF8() {
    for byte in [0x80, 0xc3, 0xff] as [UInt8] {
      #expect(throws: JSONReader.Malformed.self) {
        try DecodedJSON.decode(Array("[\"".utf8) + [byte] + Array("\"]".utf8))
      }
    }
  }
}

extension SeededGenerator {
  /// Valid UTF-8, with more characters that must be escaped than random text would have.
  mutating func text() -> [UInt8] {
    var text = ""
    for _ in 0..<number(in: 0..<20) {
      let scalars: [ClosedRange<UInt32>] = [
        0...0x7f, 0x80...0xff, 0x600...0x620, 0x2000...0x2070, 0x10000...0x1f600,
      ]
      let range = pick(scalars)
      if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &self)) {
        text.unicodeScalars.append(scalar)
      }
    }
    return Array(text.utf8)
  }
}
