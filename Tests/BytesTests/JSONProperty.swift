import Bytes
import Properties

/// The properties of any bytes as JSON, and of any values that are written.
enum JSONProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    try checkReading(input)
    try checkWriting(input)
  }

  /// Values are ranges of the text, in order, and can be parsed again by themselves and in any other position.
  private static func checkReading(_ text: UnsafeRawBufferPointer) throws(PropertyFailure) {
    let members = Self.members(of: text)
    let elements = Self.elements(of: text)
    try require(members == nil || elements == nil, "nothing is both an object and an array")
    if let members { try check(members.map(\.name), members.map(\.value), of: text) }
    if let elements { try check([], elements, of: text) }
  }

  private static func check(
    _ names: [UnsafeRawBufferPointer], _ values: [JSONValue], of text: UnsafeRawBufferPointer
  ) throws(PropertyFailure) {
    guard let start = text.baseAddress else { return }
    var position = start
    for (index, value) in values.enumerated() {
      for piece in names.isEmpty ? [value.raw] : [names[index], value.raw] {
        guard let base = piece.baseAddress else { throw PropertyFailure("a piece lies somewhere") }
        try require(position <= base, "pieces follow each other")
        try require(base + piece.count <= start + text.count, "pieces lie within the text")
        position = base + piece.count
      }
    }
    var json = JSONWriter()
    json.beginObject()
    for (index, value) in values.enumerated() {
      if names.isEmpty {
        json.rawMember(name: UnsafeRawBufferPointer(start: start, count: 0), value: value.raw)
      } else {
        json.rawMember(name: names[index], value: value.raw)
      }
    }
    json.endObject()
    let written = json.finish().withUnsafeBytes { Array($0) }
    try lend(written) { (written) throws(PropertyFailure) in
      guard let again = members(of: written) else {
        throw PropertyFailure("members can be written as they are")
      }
      try require(
        again.map { Array($0.value.raw) } == values.map { Array($0.raw) }
          && (names.isEmpty || again.map { Array($0.name) } == names.map { Array($0) }),
        "members that were written as they are come back")
    }
    for value in values { try check(value) }
  }

  private static func check(_ value: JSONValue) throws(PropertyFailure) {
    let raw = Array(value.raw)
    switch value.kind {
    case .object:
      try lend(raw) { (raw) throws(PropertyFailure) in
        guard let members = members(of: raw) else { throw PropertyFailure("an object stands by itself") }
        try check(members.map(\.name), members.map(\.value), of: raw)
      }
    case .array:
      try lend(raw) { (raw) throws(PropertyFailure) in
        guard let elements = elements(of: raw) else { throw PropertyFailure("an array stands by itself") }
        try check([], elements, of: raw)
      }
    case .bool:
      try require(raw == Array((try? value.bool()) == true ? "true".utf8 : "false".utf8), "a bool is a word")
    case .null: try require(raw == Array("null".utf8), "null is a word")
    case .number:
      // RFC 8259 section 6 never allows a leading zero, but allows a minus sign before a zero.
      if let number: Int64 = try? value.integer() {
        try require(
          raw == Array((raw.first == 0x2d && number == 0 ? "-0" : String(number)).utf8), "\(number)")
      }
      let narrow: UInt16? = try? value.integer()
      let wide: Int64? = try? value.integer()
      try require(narrow == wide.flatMap { UInt16(exactly: $0) }, "a number is the same in every width")
    case .string: try checkString(value)
    }
  }

  /// A decoded string is UTF-8, and is the same after writing it again.
  private static func checkString(_ value: JSONValue) throws(PropertyFailure) {
    guard let says = try? value.string() else {
      // The only strings that the scanner lets pass are halves of surrogate pairs.
      return try require(value.raw.contains(0x5c), "a string without escapes says something")
    }
    try require(says.text != nil, "a string says UTF-8")
    try require(says.bytes.count <= value.raw.count - 2, "escapes never make text longer")
    if !value.raw.contains(0x5c) {
      try require(says.bytes == Array(value.raw.dropFirst().dropLast()), "as it is")
    }
    if let decoded = try? value.base64() {
      var again = Secret()
      decoded.bytes.withUnsafeBytes { Base64.encode($0, to: &again) }
      try require(again.withUnsafeBytes { $0.elementsEqual(says.bytes) }, "there is one base64 of some bytes")
    }
    if let moment = try? value.timestamp() {
      let (text, own) = (says.text ?? "", moment.description)
      try require(Timestamp(rfc3339: own.utf8)?.description == own, "a moment's own text is that moment")
      // Other texts have an offset, a fraction of another length, a leap second or lowercase letters.
      if text.utf8.count == own.utf8.count, text.hasSuffix("Z"), text.contains("T"), !text.contains(":60.") {
        try require(text == own, "there is one text of a moment in this form")
      }
    }
    try checkWriting(says.bytes)
  }

  private static func checkWriting(_ bytes: [UInt8]) throws(PropertyFailure) {
    try lend(bytes) { (bytes) throws(PropertyFailure) in try checkWriting(bytes) }
  }

  /// Any bytes are written so that they are harmless on a terminal, and can be read back.
  private static func checkWriting(_ bytes: UnsafeRawBufferPointer) throws(PropertyFailure) {
    var json = JSONWriter()
    json.beginObject()
    json.member("x", bytes)
    json.member("n", bytes.count)
    json.member("b", bytes.isEmpty)
    json.endObject()
    let written = json.finish().withUnsafeBytes { Array($0) }
    guard let shown = String(validating: written, as: UTF8.self) else {
      throw PropertyFailure("JSON is UTF-8")
    }
    try require(
      !shown.unicodeScalars.contains { isInvisibleControl($0.value) }, "no control is written as it is")
    try lend(written) { (written) throws(PropertyFailure) in
      guard let members = members(of: written), members.count == 3 else {
        throw PropertyFailure("JSON is written")
      }
      let isEncoded = members[0].name == "x_b64"
      try require(isEncoded || members[0].name == "x", "names are as given")
      let again = isEncoded ? try? members[0].value.base64() : try? members[0].value.string()
      try require(again?.bytes.elementsEqual(bytes) ?? false, "what is written comes back")
      try require((try? members[1].value.integer()) == bytes.count, "numbers come back")
      try require((try? members[2].value.bool()) == bytes.isEmpty, "truth comes back")
      try require(written.count <= 3 * bytes.count + 140, "what is written is at most thrice as long")
    }
  }

  private static func members(
    of text: UnsafeRawBufferPointer
  ) -> [(name: UnsafeRawBufferPointer, value: JSONValue)]? {
    var members: [(name: UnsafeRawBufferPointer, value: JSONValue)] = []
    do throws(JSONReader.Malformed) {
      try JSONReader.members(of: text) { members.append(($0, $1)) }
      return members
    } catch {
      return nil
    }
  }

  private static func elements(of text: UnsafeRawBufferPointer) -> [JSONValue]? {
    var elements: [JSONValue] = []
    do throws(JSONReader.Malformed) {
      try JSONReader.elements(of: text) { elements.append($0) }
      return elements
    } catch {
      return nil
    }
  }
}
