/// A member of an object that ``JSONWriter`` wrote. Its name tells whether the value was written as base64.
package struct WrittenMember {
  /// The name, without the suffix of base64.
  package let name: ByteString
  /// The value as it stands in the text.
  package let value: JSONValue
  private let isBase64: Bool

  fileprivate init(_ name: UnsafeRawBufferPointer, _ value: JSONValue) throws(JSONReader.Malformed) {
    let written = try JSONValue.name(name).bytes
    isBase64 = written.suffix(4).elementsEqual("_b64".utf8)
    self.name = isBase64 ? ByteString(written.dropLast(4)) : ByteString(written)
    self.value = value
  }

  /// The contents of a string that is not secret.
  ///
  /// - Throws: ``JSONReader/Malformed`` if it is no string.
  package func bytes() throws(JSONReader.Malformed) -> ByteString {
    isBase64 ? try value.base64() : try value.string()
  }

  /// The contents of a string that is not secret, with U+FFFD in place of anything that is not UTF-8.
  ///
  /// - Throws: ``JSONReader/Malformed`` if it is no string.
  package func text() throws(JSONReader.Malformed) -> String { "\(try bytes())" }

  /// The contents of a string that is secret.
  ///
  /// - Throws: ``JSONReader/Malformed`` if it is no string.
  package func secret() throws(JSONReader.Malformed) -> Secret {
    var contents = Secret(capacity: value.raw.count)
    if isBase64 {
      try value.appendBase64(to: &contents)
    } else {
      try value.appendString(to: &contents)
    }
    return contents
  }
}

extension JSONReader {
  /// Reads an object that ``JSONWriter`` wrote, and passes each member to `body`, in order.
  ///
  /// - Throws: ``Malformed`` if `text` is anything but one object; what `body` throws.
  package static func writtenMembers(
    of text: UnsafeRawBufferPointer, _ body: (WrittenMember) throws(Malformed) -> Void
  ) throws(Malformed) {
    try members(of: text) { (name, value) throws(Malformed) in try body(try WrittenMember(name, value)) }
  }
}
