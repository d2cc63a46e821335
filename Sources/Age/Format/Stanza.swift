import Bytes

/// A section of the header: one way to unwrap a file key (C2SP age.md, "Recipient stanza").
public struct Stanza: Hashable, Sendable {
  /// The stanza's first argument, its kind, such as `X25519` or `example.com/enigma`.
  public let type: String
  /// The arguments after the type; printable ASCII without spaces, none of them empty.
  public let arguments: [String]
  /// The decoded body, of any length.
  public let body: [UInt8]

  /// Makes a stanza.
  ///
  /// - Parameters:
  ///   - type: at least one character of printable ASCII other than space. Kinds that age doesn't define should
  ///     begin with a domain name of their author.
  ///   - arguments: likewise.
  ///   - body: any bytes.
  /// - Throws: ``AgeError/header(_:)`` with ``HeaderFault/stanzaArguments`` for any other argument.
  public init(type: String, arguments: [String] = [], body: [UInt8] = []) throws(AgeError) {
    for argument in [type] + arguments {
      guard !argument.isEmpty, argument.utf8.allSatisfy(Stanza.isVisible) else {
        throw .header(.stanzaArguments)
      }
    }
    self.init(unchecked: type, arguments: arguments, body: body)
  }

  init(unchecked type: String, arguments: [String], body: [UInt8]) {
    self.type = type
    self.arguments = arguments
    self.body = body
  }

  /// ABNF's VCHAR (RFC 5234, appendix B.1).
  static func isVisible(_ character: UInt8) -> Bool { (0x21...0x7E).contains(character) }

  func encode(appendingTo text: inout [UInt8]) {
    text.append(contentsOf: "-> ".utf8)
    text.append(contentsOf: type.utf8)
    for argument in arguments {
      text.append(UInt8(ascii: " "))
      text.append(contentsOf: argument.utf8)
    }
    text.append(Stanza.lineFeed)
    body.withUnsafeBytes { Stanza.encode(body: $0, appendingTo: &text) }
  }

  /// Appends the lines of a body, each with its line feed.
  static func encode(body: UnsafeRawBufferPointer, appendingTo text: inout [UInt8]) {
    // The last line is shorter than the others, and empty if they hold everything.
    for offset in stride(from: 0, through: body.count, by: bytesPerLine) {
      let count = min(bytesPerLine, body.count - offset)
      Base64.encode(body.part(offset, count), appendingTo: &text)
      text.append(lineFeed)
    }
  }

  static let columns = 64
  static let bytesPerLine = 48
  static let lineFeed = UInt8(ascii: "\n")
}
