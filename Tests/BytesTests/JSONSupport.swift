import Bytes
import Foundation

/// A JSON value with everything decoded, for comparison.
indirect enum DecodedJSON: Equatable {
  case string([UInt8])
  case number(String)
  case bool(Bool)
  case null
  case object([(name: [UInt8], value: DecodedJSON)])
  case array([DecodedJSON])

  static func == (left: DecodedJSON, right: DecodedJSON) -> Bool {
    switch (left, right) {
    case (.string(let left), .string(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.bool(let left), .bool(let right)): left == right
    case (.null, .null): true
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.name == $1.name && $0.value == $1.value }
    default: false
    }
  }

  /// Decodes an object or array completely.
  static func decode(_ text: [UInt8]) throws(JSONReader.Malformed) -> DecodedJSON {
    try text.lendingBytes { (bytes) throws(JSONReader.Malformed) in try decode(bytes) }
  }

  static func decode(_ text: String) throws(JSONReader.Malformed) -> DecodedJSON {
    try decode(Array(text.utf8))
  }

  private static func decode(_ text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> DecodedJSON {
    if text.first(where: { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }) == UInt8(ascii: "[") {
      var elements: [DecodedJSON] = []
      try JSONReader.elements(of: text) { (value) throws(JSONReader.Malformed) in
        elements.append(try decode(value))
      }
      return .array(elements)
    }
    var members: [(name: [UInt8], value: DecodedJSON)] = []
    try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
      members.append((try decodeName(name), try decode(value)))
    }
    return .object(members)
  }

  private static func decode(_ value: JSONValue) throws(JSONReader.Malformed) -> DecodedJSON {
    switch value.kind {
    case .string: .string(try value.string().bytes)
    case .number: .number(String(decoding: value.raw, as: UTF8.self))
    case .bool: .bool(try value.bool())
    case .null: .null
    case .object, .array: try decode(value.raw)
    }
  }

  /// A member's name is passed raw; as a string in an array it is decoded.
  private static func decodeName(_ name: UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> [UInt8] {
    var text = Array("[\"".utf8)
    text.append(contentsOf: name)
    text += "\"]".utf8
    var decoded: [UInt8] = []
    try text.lendingBytes { (bytes) throws(JSONReader.Malformed) in
      try JSONReader.elements(of: bytes) { (value) throws(JSONReader.Malformed) in
        decoded = try value.string().bytes
      }
    }
    return decoded
  }
}

/// Whether Foundation accepts the text as JSON.
func foundationAccepts(_ text: [UInt8]) -> Bool {
  (try? JSONSerialization.jsonObject(with: Data(text))) != nil
}

/// The output of a writer.
func written(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
  var json = JSONWriter()
  body(&json)
  return json.finish().withUnsafeBytes { Array($0) }
}

/// The output of a writer as text.
func writtenText(_ body: (inout JSONWriter) -> Void) -> String {
  String(decoding: written(body), as: UTF8.self)
}
