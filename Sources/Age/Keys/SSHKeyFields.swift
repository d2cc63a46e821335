import Bytes

/// The fields of an SSH key, each of whose violations of the encoding is one of the key's structure.
extension WireReader {
  /// Reads `count` bytes. Throws ``AgeError/invalidKey(_:)`` with ``KeyFault/structure`` if fewer are left.
  mutating func takeBytes(_ count: Int) throws(AgeError) -> UnsafeRawBufferPointer {
    do throws(WireError) { return try take(count) } catch { throw .invalidKey(.structure) }
  }

  /// Reads a `uint32`, most significant byte first.
  mutating func takeNumber() throws(AgeError) -> UInt32 {
    try takeBytes(4).bigEndian(at: 0, UInt32.self)
  }

  mutating func takeString() throws(AgeError) -> UnsafeRawBufferPointer {
    do throws(WireError) { return try string() } catch { throw .invalidKey(.structure) }
  }
}

/// Decodes canonical base64, padded with `=` to whole groups, in wiped memory and lends it. Throws
/// ``AgeError/invalidKey(_:)`` with ``KeyFault/base64``.
func withDecodedBase64<R>(
  _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(AgeError) -> R
) throws(AgeError) -> R {
  try withSecretScratch(text.count / 4 * 3) {
    (decoded: UnsafeMutableRawBufferPointer) throws(AgeError) -> R in
    guard let count = Base64.decode(padded: text, into: decoded) else { throw .invalidKey(.base64) }
    return try body(UnsafeRawBufferPointer(decoded.part(0, count)))
  }
}
