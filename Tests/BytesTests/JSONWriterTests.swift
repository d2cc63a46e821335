import Bytes
import Expectations
import TestSupport
import Testing

@Suite("writing JSON") struct JSONWriterTests {
  @Test("members and elements are separated")
  func structure() {
    let text = writtenText { json in
      json.beginObject()
      json.member("a", "x" as ByteString)
      json.member("none", nil as ByteString?)
      json.member("b", 7 as Int?)
      json.member("no number", nil as Int?)
      json.member("c", true)
      json.member("d", Timestamp(milliseconds: 0))
      json.beginObject("e")
      json.endObject()
      json.beginArray("f")
      json.element("y")
      json.element(-1)
      json.endArray()
      json.beginArray("g")
      json.endArray()
      json.member("h", false)
      json.endObject()
    }
    expect(
      text,
      is: #"{"a":"x","b":7,"c":true,"d":"1970-01-01T00:00:00.000Z","e":{},"f":["y",-1],"g":[],"h":false}"#)
  }

  @Test("a text is read as it was written, also where that was as base64")
  func writtenMembers() throws {
    for text in [[], Array("é".utf8), [0xff], [0x7f, 0, 7, 8, 9, 11, 12], [UInt8](0...255)] {
      let json = written { json in
        json.beginObject()
        json.member("a", ByteString(text))
        json.member("b", Secret(copying: ByteString(text)))
        json.member("n", 7 as Int?)
        json.endObject()
      }
      var found: [ByteString: [UInt8]] = [:]
      try json.lendingBytes { (json) throws(JSONReader.Malformed) in
        try JSONReader.writtenMembers(of: json) { (member) throws(JSONReader.Malformed) in
          switch member.name {
          case "a": found[member.name] = try member.bytes().bytes
          case "b": found[member.name] = try member.secret().revealed
          case let name: found[name] = [UInt8(try member.value.integer() as Int)]
          }
        }
      }
      expect(found, is: ["a": text, "b": text, "n": [7]])
    }
  }

  @Test("an array of objects")
  func objects() {
    let text = writtenText { json in
      json.beginArray()
      for number in 1...2 {
        json.beginObject()
        json.member("n", number)
        json.endObject()
      }
      json.endArray()
    }
    expect(text, is: #"[{"n":1},{"n":2}]"#)
    expect(
      writtenText {
        $0.beginArray(); $0.endArray()
      }, is: "[]")
  }

  @Test(
    "what could harm a terminal or a reader is escaped",
    arguments: [
      ("\"\\/", #"\"\\/"#), ("\n\r\t\0", #"\n\u000d\u0009\u0000"#), ("\u{1b}[2J", #"\u001b[2J"#),
      ("\u{7f}\u{80}\u{9f}\u{a0}", "\\u007f\\u0080\\u009f\u{a0}"), ("\u{61c}\u{61b}", "\\u061c\u{61b}"),
      ("\u{200d}\u{200e}\u{200f}\u{2010}", "\u{200d}\\u200e\\u200f\u{2010}"),
      ("\u{2027}\u{2028}\u{202e}\u{202f}", "\u{2027}\\u2028\\u202e\u{202f}"),
      ("\u{2065}\u{2066}\u{2069}\u{206a}", "\u{2065}\\u2066\\u2069\u{206a}"), ("é漢🔑", "é漢🔑"), ("", ""),
    ])
  func escapes(text: String, literal: String) {
    let object = writtenText { json in
      json.beginObject()
      json.member("a", ByteString(text))
      json.endObject()
    }
    expect(object, is: "{\"a\":\"\(literal)\"}")
  }

  @Test("bytes that are not UTF-8 are written in base64 under another name")
  func foreign() {
    let text = writtenText { json in
      json.beginObject()
      json.member("a", attribute([0xff, 0xfe]))
      json.member("b", Secret(copying: attribute([0xed, 0xa0, 0x80])))
      json.endObject()
    }
    expect(text, is: #"{"a_b64":"//4=","b_b64":"7aCA"}"#)
  }

  @Test("a member is passed on as it was read")
  func raw() {
    let text = writtenText { json in
      json.beginObject()
      json.member("a", 1)
      Array(#"x\n"#.utf8).withUnsafeBytes { name in
        Array("[1, 2]".utf8).withUnsafeBytes { json.rawMember(name: name, value: $0) }
      }
      json.endObject()
    }
    expect(text, is: #"{"a":1,"x\n":[1, 2]}"#)
  }

  @Test("UTF-8 is told from what is none")
  func validity() {
    var generator = SeededGenerator(seed: 21)
    let pieces: [[UInt8]] = [
      [0x61], [0xc3, 0xa9], [0xe6, 0xbc, 0xa2], [0xf0, 0x9f, 0x94, 0x91], [0xed, 0x9f, 0xbf],
      [0xf4, 0x8f, 0xbf, 0xbf],
      [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x80], [0xff], [0xe0, 0x80, 0x80],
      [0xf0, 0x80],
    ]
    for _ in 0..<rounds(5000) {
      let bytes = (0..<generator.number(in: 0..<5)).flatMap { _ in generator.pick(pieces) }
      let isValid = bytes.withUnsafeBytes { isValidUTF8($0) }
      expect(isValid, is: String(validating: bytes, as: UTF8.self) != nil, "\(bytes)")
    }
  }
}
