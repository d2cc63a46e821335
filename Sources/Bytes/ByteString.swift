/// An attribute's bytes, exactly as a program gave them.
///
/// Git's account names and paths need not be UTF-8, and matching compares bytes, so attributes are not `String`s. Text
/// literals and `String`s convert by their UTF-8 encoding.
public struct ByteString: Hashable, Sendable {
  /// The bytes, without a terminator.
  public var bytes: [UInt8]

  /// Takes the bytes as they are.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Copies the bytes of a buffer.
  public init(_ buffer: UnsafeRawBufferPointer) {
    bytes = Array(buffer)
  }

  /// Takes the UTF-8 encoding of `text`.
  public init(_ text: some StringProtocol) {
    bytes = Array(text.utf8)
  }

  /// Copies the bytes of a secret, for a value that isn't confidential.
  package init(_ secret: borrowing Secret) {
    self = secret.withUnsafeBytes { ByteString($0) }
  }

  /// The same; `nil` if there is none.
  package init?(_ secret: consuming Secret?) {
    guard case .some(let secret) = secret else { return nil }
    self.init(secret)
  }

  /// Hashes all bytes at once.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytes.count)
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  /// Whether there are no bytes. An empty attribute is a value, different from an absent one.
  public var isEmpty: Bool { bytes.isEmpty }

  /// The bytes as text, or `nil` if they are not valid UTF-8.
  public var text: String? { String(validating: bytes, as: UTF8.self) }

  /// The bytes with ASCII capitals in lower case, as hosts and URL schemes are compared (RFC 3986 section 6.2.2.1).
  public var lowercased: ByteString {
    guard bytes.contains(where: { 0x41...0x5a ~= $0 }) else { return self }
    return ByteString(bytes.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 })
  }

  /// The same bytes without leading and trailing slashes, as items store paths.
  package var withoutSlashesAround: ByteString {
    let slash = UInt8(ascii: "/")
    var bytes = bytes.drop { $0 == slash }
    while bytes.last == slash { bytes.removeLast() }
    return ByteString(Array(bytes))
  }

  /// Whether both are equal, ignoring the case of ASCII letters.
  public func isEqualIgnoringCase(_ other: ByteString) -> Bool {
    bytes.count == other.bytes.count && self.lowercased == other.lowercased
  }
}

extension ByteString: ExpressibleByStringLiteral {
  /// Takes the UTF-8 encoding of the literal.
  public init(stringLiteral value: StaticString) {
    self.init(UnsafeRawBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
  }
}

extension ByteString: Comparable {
  /// Whether `left` comes before `right` in bytewise order.
  public static func < (left: ByteString, right: ByteString) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

extension ByteString: CustomStringConvertible {
  /// The bytes as text, with U+FFFD for anything that is not UTF-8. Not safe for a terminal: control characters stay.
  public var description: String { String(decoding: bytes, as: UTF8.self) }
}
