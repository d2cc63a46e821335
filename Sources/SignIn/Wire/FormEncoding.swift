package import Bytes

/// `application/x-www-form-urlencoded`, the format of OAuth's requests and some replies (RFC 6749 appendix B).
package struct FormBody: ~Copyable {
  package private(set) var text = Secret(capacity: 512)

  package init() {}

  package mutating func append(_ name: StaticString, _ value: borrowing Secret) {
    if !text.isEmpty { text.append("&") }
    text.append(name)
    text.append("=")
    PercentEncoding.append(value, to: &text)
  }

  /// Adds a parameter that is not secret.
  package mutating func append(_ name: StaticString, _ value: String) { append(name, Secret(value)) }

  package consuming func finish() -> Secret { text }
}

package enum FormReader {
  package struct Malformed: Error {
    package init() {}
  }

  /// Passes each parameter to `body`, in order, decoded.
  ///
  /// - Throws: ``Malformed`` for an invalid escape, and the errors of `body`.
  package static func parameters(
    of text: UnsafeRawBufferPointer,
    _ body: (_ name: ByteString, _ value: consuming Secret) throws(Malformed) -> Void
  ) throws(Malformed) {
    var start = 0
    while start < text.count {
      let end = text.firstIndex(of: UInt8(ascii: "&"), from: start) ?? text.count
      let pair = text.part(start, end - start)
      start = end + 1
      if pair.isEmpty { continue }
      let equals = pair.firstIndex(of: UInt8(ascii: "="), from: 0) ?? pair.count
      let name = try decoded(pair.part(0, equals))
      let valueStart = min(equals + 1, pair.count)
      try body(
        name.withUnsafeBytes { ByteString($0) }, try decoded(pair.part(valueStart, pair.count - valueStart)))
    }
  }

  private static func decoded(_ text: UnsafeRawBufferPointer) throws(Malformed) -> Secret {
    var decoded = Secret(capacity: text.count)
    let isWellFormed = PercentEncoding.decode(text) { byte, wasEscaped in
      decoded.append(byte == UInt8(ascii: "+") && !wasEscaped ? 0x20 : byte)
    }
    if !isWellFormed { throw Malformed() }
    return decoded
  }
}
