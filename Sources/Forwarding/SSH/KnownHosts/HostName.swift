package import Bytes

/// A host's name as in `known_hosts`: in lower case, `[NAME]:PORT` for a port other than 22.
package struct HostName: Hashable, Sendable, CustomStringConvertible {
  package let name: ByteString

  /// The longest name, in bytes; those of the DNS have at most 253.
  package static let maximumSize = 512

  /// - Returns: `nil` if the name is empty or too long, or contains a character with another meaning in `known_hosts`.
  package init?(_ name: ByteString) {
    let isPlain = name.bytes.allSatisfy { byte in
      0x21...0x7e ~= byte && !",*?!|#@\"\\".utf8.contains(byte)
    }
    guard 1...Self.maximumSize ~= name.bytes.count, isPlain else { return nil }
    self.name = name.lowercased
  }

  /// Combines a name and a port, as ssh does.
  package init?(_ name: ByteString, port: UInt16) {
    self.init(port == 22 ? name : ByteString("[\(name)]:\(port)"))
  }

  /// The name as text, which is ASCII without control characters.
  package var description: String { name.description }

  /// The name without brackets and port, as in certificates.
  package var withoutPort: ByteString {
    guard name.bytes.first == UInt8(ascii: "["), let end = name.bytes.lastIndex(of: UInt8(ascii: "]")) else {
      return name
    }
    return ByteString(Array(name.bytes[1..<end]))
  }
}
