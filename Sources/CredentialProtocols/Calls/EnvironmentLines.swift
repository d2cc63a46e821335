public import Bytes

/// Variables for a program, as they stand in a file of lines `NAME=VALUE`.
///
/// Blank lines and those that begin with `#` are passed over. A value is what follows the first `=`, to the line's end,
/// as docker's `--env-file` has it: nothing is unquoted, expanded or trimmed. A value that is meant as a reference is
/// one.
public enum EnvironmentLines {
  /// The largest file, in bytes.
  public static let longest = 1 << 20

  /// Calls `body` with each variable's name and value, in their order.
  ///
  /// - Throws: ``ProtocolError/unusableVariable(line:)`` for a line that is none; ``ProtocolError/quotedReference(line:)``
  ///   for a reference in quotes, which the program would get as it stands; what `body` throws.
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
      // A carriage return at its end would become part of the secret.
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

  /// Takes `NAME=VALUE` apart; `nil` if it is none. A name is of visible ASCII characters: npm's, for one, have slashes
  /// and colons.
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
