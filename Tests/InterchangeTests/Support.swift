import Interchange
import Keychain
import Testing

/// What was found in a text, in a form that can be compared.
struct Found: Equatable, CustomStringConvertible {
  var logins: [String] = []
  var passedOver: [PassedOver] = []

  /// Reads a file of a format.
  init(_ text: String, as format: FileFormat) throws {
    try self.init(Array(text.utf8), as: format)
  }

  /// Reads a file of a format.
  init(_ bytes: [UInt8], as format: FileFormat) throws {
    var found = FoundLogins()
    try bytes.withUnsafeBytes { found = try format.read($0) }
    logins = found.logins.map { login in
      let secret = login.credential.secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      return "\(login.item.key.name) \(secret)"
    }
    passedOver = found.passedOver
  }

  var description: String { "\(logins) \(passedOver.map { "\($0.origin) \($0.reason)" })" }
}

/// The file as it is when every login that was found has gone from it.
func remainder(of text: String, as format: FileFormat) throws -> String {
  var bytes = Array(text.utf8)
  var found = FoundLogins()
  try bytes.withUnsafeBytes { found = try format.read($0) }
  let removals = found.logins.flatMap(\.removals).sorted { $0.range.lowerBound > $1.range.lowerBound }
  for removal in removals {
    bytes.replaceSubrange(removal.range, with: removal.replacement.bytes)
  }
  return String(decoding: bytes, as: UTF8.self)
}
