import Bytes

/// A cursor over SSH's encoding of data: 32-bit numbers, and strings preceded by their length (RFC 4251, section 5).
/// It lends parts of its bytes and copies none.
struct SSHWireFormat {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  var rest: UnsafeRawBufferPointer { bytes.part(offset, bytes.count - offset) }

  var isAtEnd: Bool { offset == bytes.count }

  /// Reads `count` bytes. Throws ``AgeError/invalidKey(_:)`` with ``KeyFault/structure`` if fewer are left.
  mutating func take(_ count: Int) throws(AgeError) -> UnsafeRawBufferPointer {
    guard count <= bytes.count - offset else { throw .invalidKey(.structure) }
    defer { offset += count }
    return bytes.part(offset, count)
  }

  /// Reads a `uint32`, most significant byte first.
  mutating func takeNumber() throws(AgeError) -> UInt32 {
    try take(4).bigEndian(at: 0, UInt32.self)
  }

  mutating func takeString() throws(AgeError) -> UnsafeRawBufferPointer {
    try take(Int(clamping: try takeNumber()))
  }

  /// Decodes canonical base64, padded with `=` to whole groups, in wiped memory and lends it. Throws
  /// ``AgeError/invalidKey(_:)`` with ``KeyFault/base64``.
  static func withDecodedBase64<R>(
    _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(AgeError) -> R
  ) throws(AgeError) -> R {
    try withSecretScratch(text.count / 4 * 3) {
      (decoded: UnsafeMutableRawBufferPointer) throws(AgeError) -> R in
      guard let count = Base64.decode(padded: text, into: decoded) else { throw .invalidKey(.base64) }
      return try body(UnsafeRawBufferPointer(decoded.part(0, count)))
    }
  }
}
