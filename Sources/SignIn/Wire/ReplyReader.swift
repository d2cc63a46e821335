package import Bytes

/// A member of a JSON object in a reply, or a parameter of a form.
package enum ReplyValue: ~Copyable {
  case json(JSONValue)
  case form(Secret)

  private var json: JSONValue? {
    switch self {
    case .json(let value): value
    case .form: nil
    }
  }

  /// Whether it is JSON's null, which some servers use for a missing value.
  var isAbsent: Bool {
    switch self {
    case .json(let value): value.kind == .null
    case .form: false
    }
  }

  /// The text, which may be secret; `nil` for any other type.
  func secret() -> Secret? {
    switch self {
    case .form(let text): return text.copy()
    case .json(let value):
      guard value.kind == .string else { return nil }
      var text = Secret(capacity: value.raw.count)
      do throws(JSONReader.Malformed) {
        try value.appendString(to: &text)
      } catch {
        return nil
      }
      return text
    }
  }

  /// UTF-8 text that is not secret, cut to `limit` bytes; `nil` for any other type.
  func text(limit: Int) -> String? {
    guard let text = secret() else { return nil }
    return text.withUnsafeBytes { String(decoding: $0.prefix(limit), as: UTF8.self) }
  }

  /// A whole number; `nil` for anything else.
  var integer: Int64? {
    switch self {
    case .json(let value): return try? value.integer()
    case .form(let text):
      return text.withUnsafeBytes { digits in
        guard 1...18 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
      }
    }
  }

  /// Seconds, rounded down; `nil` if not a number, or negative. Some servers write the numbers of RFC 6749 section 5.1
  /// as text, or with a fraction.
  var seconds: Int64? {
    if let integer { return integer < 0 ? nil : integer }
    let written: String?
    switch self {
    case .json(let value) where value.kind == .number: written = String(decoding: value.raw, as: UTF8.self)
    default: written = text(limit: 40)
    }
    guard let written, let first = written.utf8.first, 0x30...0x39 ~= first,
      written.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }), let number = Double(written)
    else { return nil }
    return Int64(exactly: number.rounded(.down))
  }

  /// The texts of an array; `nil` for anything else.
  func texts(limit: Int) -> [String]? {
    guard let value = json, value.kind == .array else { return nil }
    var texts: [String] = []
    do throws(JSONReader.Malformed) {
      try JSONReader.elements(of: value.raw) { (element) throws(JSONReader.Malformed) in
        let text = try element.string()
        if texts.count < limit { texts.append("\(text)") }
      }
    } catch {
      return nil
    }
    return texts
  }

  var isTrue: Bool {
    json.flatMap { try? $0.bool() } ?? false
  }
}

/// Reads replies of OAuth's endpoints: JSON, also after a byte order mark, or the forms of older GitHub versions,
/// recognized by their media type or, for plain text, by their contents.
package enum ReplyReader {
  /// Passes each member to `body`, in order.
  ///
  /// - Throws: ``ReplyFault/notUnderstood(status:)``, and the errors of `body`.
  package static func members(
    of reply: borrowing HTTPReply,
    _ body: (_ name: ByteString, _ value: borrowing ReplyValue) throws(ReplyFault) -> Void
  ) throws(ReplyFault) {
    let status = reply.status
    var fault: ReplyFault?
    let isRead = reply.body.withUnsafeBytes { bytes -> Bool in
      let text = withoutMark(bytes)
      if isForm(text, reply.mediaType) {
        do throws(FormReader.Malformed) {
          try FormReader.parameters(of: text) { (name, value) throws(FormReader.Malformed) in
            do throws(ReplyFault) { try body(name, ReplyValue.form(value)) } catch {
              fault = error
              throw FormReader.Malformed()
            }
          }
          return true
        } catch {
          return false
        }
      }
      do throws(JSONReader.Malformed) {
        try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
          let name = try JSONValue.name(name)
          do throws(ReplyFault) { try body(name, ReplyValue.json(value)) } catch {
            fault = error
            throw JSONReader.Malformed()
          }
        }
        return true
      } catch {
        return false
      }
    }
    if let fault { throw fault }
    if !isRead { throw .notUnderstood(status: status) }
  }

  /// The text without a byte order mark, which a reader of JSON may ignore (RFC 8259 section 8.1).
  private static func withoutMark(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    text.starts(with: [0xef, 0xbb, 0xbf]) ? text.part(3, text.count - 3) : text
  }

  private static func isForm(_ text: UnsafeRawBufferPointer, _ mediaType: String) -> Bool {
    if mediaType == "application/x-www-form-urlencoded" { return true }
    // A sentence has spaces, and JSON no unquoted equals sign before its first brace.
    return mediaType == "text/plain" && text.first != UInt8(ascii: "{")
      && text.contains(UInt8(ascii: "=")) && text.allSatisfy { 0x21...0x7e ~= $0 }
  }
}
