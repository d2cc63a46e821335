/// A member of an object written by ``JSONWriter``. Its name tells whether the value is base64.
package struct WrittenMember {
  /// The name, without `_b64`.
  package let name: ByteString
  package let value: JSONValue
  private let isBase64: Bool

  fileprivate init(_ name: UnsafeRawBufferPointer, _ value: JSONValue) throws(JSONReader.Malformed) {
    let written = try JSONValue.name(name).bytes
    isBase64 = written.suffix(4).elementsEqual("_b64".utf8)
    self.name = isBase64 ? ByteString(written.dropLast(4)) : ByteString(written)
    self.value = value
  }

  /// The contents of a string. Not for secrets.
  ///
  /// - Throws: ``JSONReader/Malformed`` if it is no string.
  package func bytes() throws(JSONReader.Malformed) -> ByteString {
    isBase64 ? try value.base64() : try value.string()
  }

  /// The same with U+FFFD for anything that is not UTF-8.
  ///
  /// - Throws: ``JSONReader/Malformed`` if it is no string.
  package func text() throws(JSONReader.Malformed) -> String { "\(try bytes())" }

  /// The contents of a string that may be secret.
  ///
  /// - Throws: ``JSONReader/Malformed`` if it is no string.
  package func secret() throws(JSONReader.Malformed) -> Secret {
    if !isBase64 { return try value.secret() }
    var contents = Secret(capacity: value.raw.count)
    try value.appendBase64(to: &contents)
    return contents
  }
}

extension JSONReader {
  /// Reads an object written by ``JSONWriter`` and passes each member to `body`, in order.
  ///
  /// - Throws: ``Malformed`` if `text` is anything but one object; what `body` throws.
  package static func writtenMembers(
    of text: UnsafeRawBufferPointer, _ body: (WrittenMember) throws(Malformed) -> Void
  ) throws(Malformed) {
    try members(of: text) { (name, value) throws(Malformed) in try body(try WrittenMember(name, value)) }
  }
}
