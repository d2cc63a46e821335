import Bytes
import CredentialProtocols
import Keychain
import ToolCommands

/// What `--env` says: `NAME=ITEM` or `NAME=REFERENCE`.
struct VariableAssignment {
  let name: ByteString
  let value: ByteString
  /// Whether the value is an item's name, and no reference.
  let namesItem: Bool

  /// - Throws: ``KeychainError`` if the name or the value is missing.
  init(_ text: ByteString) throws(KeychainError) {
    let bytes = text.bytes
    // npm's names, for example, contain slashes and colons.
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")), equals > 0, equals + 1 < bytes.count,
      bytes[..<equals].allSatisfy({ 0x21...0x7e ~= $0 })
    else {
      throw .failure("--env needs NAME=ITEM or NAME=REFERENCE", hint: .references, status: .usage)
    }
    name = ByteString(Array(bytes[..<equals]))
    value = ByteString(Array(bytes[(equals + 1)...]))
    namesItem = !Secret(copying: value).withUnsafeBytes(\.containsReference)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether any part is meant as a reference, valid or not.
  fileprivate var containsReference: Bool {
    indices.contains {
      self[$0...].starts(with: "llavero:".utf8) || self[$0...].starts(with: "llavero+".utf8)
    }
  }
}
