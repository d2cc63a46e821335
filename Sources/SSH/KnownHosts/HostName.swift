package import Bytes

/// A host's name as it stands in `known_hosts`: in lower case, `[NAME]:PORT` for a port other than 22.
package struct HostName: Hashable, Sendable, CustomStringConvertible {
  /// The name.
  package let name: ByteString

  /// The longest name, in bytes; those of the DNS have at most 253.
  package static let maximumSize = 512

  /// Takes a name as `known_hosts` writes it.
  ///
  /// - Returns: `nil` if it is empty or too long, or contains a character that would mean something else there.
  package init?(_ name: ByteString) {
    let isPlain = name.bytes.allSatisfy { byte in
      0x21...0x7e ~= byte && !",*?!|#@\"\\".utf8.contains(byte)
    }
    guard 1...Self.maximumSize ~= name.bytes.count, isPlain else { return nil }
    self.name = name.lowercased
  }

  /// Puts together a name and a port, as ssh does it.
  package init?(_ name: ByteString, port: UInt16) {
    self.init(port == 22 ? name : ByteString("[\(name)]:\(port)"))
  }

  /// The name as text, which is ASCII without control characters.
  package var description: String { name.description }

  /// The name without brackets and port, as certificates name it.
  package var withoutPort: ByteString {
    guard name.bytes.first == UInt8(ascii: "["), let end = name.bytes.lastIndex(of: UInt8(ascii: "]")) else {
      return name
    }
    return ByteString(Array(name.bytes[1..<end]))
  }
}
