public import Bytes

/// Variables for a program, from a file of lines `NAME=VALUE`.
///
/// Blank lines and lines that begin with `#` are skipped. The value is everything between the first `=` and the end of
/// the line, as in docker's `--env-file`: nothing is unquoted, expanded or trimmed. A value that looks like a reference
/// is one.
public enum EnvironmentLines {
  /// The maximum file size, in bytes.
  public static let longest = 1 << 20

  /// Calls `body` with the name and value of each variable, in order.
  ///
  /// - Throws: ``ProtocolError/unusableVariable(line:)`` for a line in another form;
  ///   ``ProtocolError/quotedReference(line:)`` for a reference in quotes, which the program would get literally;
  ///   whatever `body` throws.
  public static func forEach(
    in text: UnsafeRawBufferPointer,
    _ body: (_ line: Int, _ name: ByteString, _ value: UnsafeRawBufferPointer) throws(ProtocolError) -> Void
  ) throws(ProtocolError) {
    var line = 0
    var rest = text[...]
    while !rest.isEmpty {
      line += 1
      let end = rest.firstIndex(of: 0x0a) ?? rest.endIndex
      let bytes = UnsafeRawBufferPointer(rebasing: rest[..<end])
      rest = end < rest.endIndex ? rest[(end + 1)...] : rest[rest.endIndex...]
      guard let first = bytes.first(where: { !isBlank($0) }), first != UInt8(ascii: "#") else { continue }
      // A carriage return at the end would become part of the secret.
      guard let (name, value) = pair(bytes), !value.contains(0), value.last != 0x0d else {
        throw .unusableVariable(line: line)
      }
      if let quote = value.first, quote == 0x22 || quote == 0x27,
        SecretReference.isMeant(by: UnsafeRawBufferPointer(rebasing: value[1...]))
      {
        throw .quotedReference(line: line)
      }
      try body(line, name, value)
    }
  }

  /// Splits `NAME=VALUE`; `nil` if the text has another form. A name consists of visible ASCII characters, because
  /// npm's names, for example, contain slashes and colons.
  public static func pair(
    _ text: UnsafeRawBufferPointer
  ) -> (name: ByteString, value: UnsafeRawBufferPointer)? {
    guard let equals = text.firstIndex(of: 0x3d), equals > 0,
      text[..<equals].allSatisfy({ 0x21...0x7e ~= $0 })
    else { return nil }
    return (
      ByteString(UnsafeRawBufferPointer(rebasing: text[..<equals])),
      UnsafeRawBufferPointer(rebasing: text[(equals + 1)...])
    )
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
}
