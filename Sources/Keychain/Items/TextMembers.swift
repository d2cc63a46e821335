import Bytes
package import JSON

/// A JSON object whose members are texts, each name once, as one piece of bytes: what people call fields.
package enum TextMembers {
  /// Calls `body` with each name and value.
  package static func forEach(
    in object: UnsafeRawBufferPointer, _ body: (_ name: ByteString, _ value: UnsafeRawBufferPointer) -> Void
  ) {
    // What a keychain has was checked when it was read.
    try? JSONReader.members(of: object) { (name, value) throws(JSONReader.Malformed) in
      let name = try JSONValue.name(name)
      var text = Secret(capacity: value.raw.count)
      try value.appendString(to: &text)
      text.withUnsafeBytes { body(name, $0) }
    }
  }

  /// The object with another member. A second one of a name gets a number.
  ///
  /// - Parameter object: empty if there is none.
  /// - Returns: `nil` if name or value isn't UTF-8.
  package static func adding(
    _ name: ByteString, _ value: borrowing Secret, to object: borrowing Secret
  ) -> Secret? {
    guard name.text != nil, value.withUnsafeBytes({ isValidUTF8($0) }) else { return nil }
    var json = JSONWriter(capacity: object.count + value.count + 64)
    json.beginObject()
    var names: Set<ByteString> = []
    object.withUnsafeBytes { object in
      if object.isEmpty { return }
      forEach(in: object) {
        names.insert($0)
        json.textMember($0, $1)
      }
    }
    let plain: ByteString = name.isEmpty ? "field" : name
    var free = plain
    var number = 2
    while !names.insert(free).inserted {
      free = ByteString("\(plain) \(number)")
      number += 1
    }
    value.withUnsafeBytes { json.textMember(free, $0) }
    json.endObject()
    return json.finish()
  }

  /// An object as ``adding(_:_:to:)`` writes it; empty if it has no member.
  ///
  /// - Throws: ``JSONReader/Malformed`` if it is no object of texts, or has a name twice.
  package static func normal(_ object: UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> Secret {
    var json = JSONWriter(capacity: object.count)
    var names: Set<ByteString> = []
    json.beginObject()
    try JSONReader.members(of: object) { (name, value) throws(JSONReader.Malformed) in
      let name = try JSONValue.name(name)
      var text = Secret(capacity: value.raw.count)
      try value.appendString(to: &text)
      guard names.insert(name).inserted else { throw JSONReader.Malformed() }
      text.withUnsafeBytes { json.textMember(name, $0) }
    }
    json.endObject()
    return names.isEmpty ? Secret() : json.finish()
  }

  /// Whether bytes are an object as ``normal(_:)`` returns it, with a member.
  static func isNormal(_ object: ByteString) -> Bool {
    object.bytes.withUnsafeBytes { object in
      guard let normal = try? normal(object) else { return false }
      return !normal.isEmpty && normal.isEqual(to: Secret(copying: object))
    }
  }
}
