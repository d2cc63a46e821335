import Bytes
import Expectations
import TestSupport
import Testing

@Suite("reading JSON") struct JSONReaderTests {
  @Test(
    "strings are decoded",
    arguments: [
      (#""""#, ""),
      (#""abc""#, "abc"),
      (#""\"\\\/""#, #""\/"#),
      (#""\b\f\n\r\t""#, "\u{8}\u{c}\n\r\t"),
      (#""\u0041\u00e9\u6f22""#, "Aé漢"),
      (#""\u00E9\u00eF""#, "éï"),
      (#""\u0000""#, "\0"),
      (#""\ud83d\udd11""#, "🔑"),
      (#""\uD800\uDC00""#, "\u{10000}"),
      (#""\uDBFF\uDFFF""#, "\u{10ffff}"),
      (#""\uffff\ue000\ud7ff""#, "\u{ffff}\u{e000}\u{d7ff}"),
      ("\"é漢🔑\u{7f}\u{2028}\"", "é漢🔑\u{7f}\u{2028}"),
      (#""a\\""#, #"a\"#),
      (#""\\\\u0041""#, #"\\u0041"#),
      (#""{}[],:""#, "{}[],:"),
    ])
  func strings(literal: String, text: String) throws {
    let bytes = Array(text.utf8)
    try expect(DecodedJSON.decode("[\(literal)]"), is: .array([.string(bytes)]))
    try expect(DecodedJSON.decode("{\(literal):\(literal)}"), is: .object([(bytes, .string(bytes))]))
  }

  @Test(
    "strings that are none are refused",
    arguments: [
      #"""#, #""a"#, #""\"#, #""\""#, #""\x""#, #""\U0041""#, #""\u""#, #""\u004""#, #""\u004g""#,
      #""\u00 41""#,
      #""\u+041""#, #""\ud800""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\u0041""#, #""\ud800\ud800""#,
      #""\udc00""#, #""\ud83d\u""#, #""\ud83d\udd1""#, "'a'", "\"a\nb\"", "\"a\tb\"", "\"a\0b\"",
      "\"\u{1f}\"", "\"\\\n\"",
    ])
  func badStrings(literal: String) {
    #expect(throws: JSONReader.Malformed.self) { try DecodedJSON.decode("[\(literal)]") }
    #expect(throws: JSONReader.Malformed.self) { try DecodedJSON.decode("{\(literal):1}") }
    #expect(throws: JSONReader.Malformed.self) { try DecodedJSON.decode("{\"a\":\(literal)}") }
  }

  @Test(
    "a text with such a string is refused, even where nobody looks at it",
    arguments: [#"{"\x":1}"#, #"{"a":"\x"}"#, #"{"a":["\u00g0"]}"#, #"{"a":{"\q":1}}"#, "{\"\\\n\":1}"])
  func unseenStrings(text: String) {
    #expect(throws: JSONReader.Malformed.self) {
      try Array(text.utf8).lendingBytes { (bytes) throws(JSONReader.Malformed) in
        try JSONReader.members(of: bytes) { (_, _) throws(JSONReader.Malformed) in }
      }
    }
  }

  @Test(
    "numbers are read",
    arguments: ["0", "-0", "1", "-1", "10", "1.5", "-0.25", "1e5", "1E+5", "1.5e-3", "0e0", "0.0"])
  func numbers(literal: String) throws {
    try expect(DecodedJSON.decode("[\(literal)]"), is: .array([.number(literal)]))
    try expect(DecodedJSON.decode("{\"a\": \(literal) }"), is: .object([(Array("a".utf8), .number(literal))]))
  }

  @Test(
    "words that are none are refused",
    arguments: [
      "", "-", "+1", "01", "-01", "00", ".5", "1.", "1.e5", "1e", "1e+", "- 1", "1 2", "0x10", "1_000", "NaN",
      "Infinity",
      "-Infinity", "tru", "True", "truefalse", "nul", "nullx", "undefined", "1a", "﻿1",
    ])
  func badWords(literal: String) {
    #expect(throws: JSONReader.Malformed.self) { try DecodedJSON.decode("[\(literal),1]") }
    #expect(throws: JSONReader.Malformed.self) { try DecodedJSON.decode("{\"a\":\(literal)}") }
  }

  @Test(
    "texts of another shape are refused",
    arguments: [
      "", " ", "{", "}", "{}}", "{},", "{} x", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
      "{\"a\":1 \"b\":2}", "{a:1}",
      "{1:1}", "{\"a\":1]", "{\"a\",1}", "{\"a\"=1}", "[", "[1", "[1,]", "[,1]", "[1,,2]", "[1}", "[[]",
      "[]]", "// c\n{}",
      "{}\0", "{\"a\":1}{\"b\":2}", "\u{feff}{}", "null", "1", "\"a\"",
    ])
  func badShapes(text: String) {
    #expect(throws: JSONReader.Malformed.self) { try DecodedJSON.decode(text) }
  }

  @Test("white space may stand between all tokens")
  func whiteSpace() throws {
    let text = " \t\r\n{ \"a\" : [ 1 , true ] ,\n\"b\" : { } , \"c\":[ ]\t}\r\n "
    let expected = DecodedJSON.object([
      (Array("a".utf8), .array([.number("1"), .bool(true)])), (Array("b".utf8), .object([])),
      (Array("c".utf8), .array([])),
    ])
    try expect(DecodedJSON.decode(text), is: expected)
    #expect(throws: JSONReader.Malformed.self) { try DecodedJSON.decode("{\u{a0}}") }
    #expect(throws: JSONReader.Malformed.self) { try DecodedJSON.decode("{\u{c}}") }
  }

  @Test("members come in order, also where a name comes twice")
  func order() throws {
    let text = #"{"b":1,"a":null,"b":false}"#
    let expected = DecodedJSON.object([
      (Array("b".utf8), .number("1")), (Array("a".utf8), .null), (Array("b".utf8), .bool(false)),
    ])
    try expect(DecodedJSON.decode(text), is: expected)
  }

  @Test("an object is no array, and an array no object")
  func kinds() {
    #expect(throws: JSONReader.Malformed.self) {
      try Array("[]".utf8).lendingBytes { (bytes) throws(JSONReader.Malformed) in
        try JSONReader.members(of: bytes) { (_, _) throws(JSONReader.Malformed) in }
      }
    }
    #expect(throws: JSONReader.Malformed.self) {
      try Array("{}".utf8).lendingBytes { (bytes) throws(JSONReader.Malformed) in
        try JSONReader.elements(of: bytes) { (_) throws(JSONReader.Malformed) in }
      }
    }
  }

  @Test("values within values are read to depth 64 and refused beyond", arguments: ["[", "{\"a\":"])
  func depth(opening: String) throws {
    func nested(_ depth: Int) -> [UInt8] {
      let closing = opening == "[" ? "]" : "}"
      let text = String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
      return Array(text.utf8)
    }
    func read(_ text: [UInt8]) throws(JSONReader.Malformed) {
      try text.lendingBytes { (bytes) throws(JSONReader.Malformed) in
        if opening == "[" {
          try JSONReader.elements(of: bytes) { (_) throws(JSONReader.Malformed) in }
        } else {
          try JSONReader.members(of: bytes) { (_, _) throws(JSONReader.Malformed) in }
        }
      }
    }
    try read(nested(JSONReader.maximumDepth))
    #expect(throws: JSONReader.Malformed.self) { try read(nested(JSONReader.maximumDepth + 1)) }
    #expect(throws: JSONReader.Malformed.self) { try read(nested(200_000)) }
  }

  @Test("integers have to fit, and be whole")
  func integers() throws {
    func integer<Number>(
      _ literal: String, _ read: (JSONValue) throws(JSONReader.Malformed) -> Number
    ) throws -> Number? {
      var number: Number?
      try Array("[\(literal)]".utf8).lendingBytes { (bytes) throws(JSONReader.Malformed) in
        try JSONReader.elements(of: bytes) { (value) throws(JSONReader.Malformed) in
          number = try read(value)
        }
      }
      return number
    }
    func narrow(_ value: JSONValue) throws(JSONReader.Malformed) -> UInt16 { try value.integer() }
    func wide(_ value: JSONValue) throws(JSONReader.Malformed) -> Int64 { try value.integer() }
    try expect(integer("65535", narrow), is: UInt16.max)
    try expect(integer("-9223372036854775808", wide), is: Int64.min)
    for literal in ["65536", "-1", "1.0", "1e3", "\"1\"", "true", "null", "[]"] {
      #expect(throws: JSONReader.Malformed.self) { _ = try integer(literal, narrow) }
    }
    #expect(throws: JSONReader.Malformed.self) { _ = try integer("9223372036854775808", wide) }
  }

  @Test(
    "integers are written as they are read", arguments: [0, 9, 10, 99, 100, -1, -10, .max, .min] as [Int64])
  func writtenIntegers(number: Int64) {
    let text = writtenText { json in
      json.beginArray()
      json.element(number)
      json.endArray()
    }
    expect(text, is: "[\(number)]")
  }

  @Test("a value of another kind is refused")
  func otherKinds() throws {
    for literal in ["1", "true", "null", "[]", "{}"] {
      try Array("[\(literal)]".utf8).lendingBytes { (bytes) throws(JSONReader.Malformed) in
        try JSONReader.elements(of: bytes) { (value) throws(JSONReader.Malformed) in
          #expect(throws: JSONReader.Malformed.self) { try value.string() }
          #expect(throws: JSONReader.Malformed.self) { try value.base64() }
          #expect(throws: JSONReader.Malformed.self) { try value.timestamp() }
          if literal != "true" { #expect(throws: JSONReader.Malformed.self) { try value.bool() } }
        }
      }
    }
  }
}
