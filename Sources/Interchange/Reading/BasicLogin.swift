import Bytes
import CredentialProtocols
import Keychain

extension FoundLogins {
  /// Adds a login in the form of HTTP's scheme `Basic` (RFC 7617, section 2): in Base64, a user name, a colon and a
  /// password.
  ///
  /// - Parameter wanted: the account in the place, if any.
  mutating func takeBasic(
    _ encoded: UnsafeRawBufferPointer, at place: Place, ifFor wanted: ByteString? = nil,
    of entry: inout SourceEntry
  ) {
    guard case .some(let plain) = Secret(base64: encoded),
      let colon = plain.withUnsafeBytes({ $0.firstIndex(of: UInt8(ascii: ":")) }),
      plain.withUnsafeBytes({ isValidUTF8($0) })
    else { return passOver(entry.origin, .malformed) }
    let account = plain.withUnsafeBytes { ByteString($0.slice(0..<colon)) }
    let password = plain.withUnsafeBytes { Secret(copying: $0.slice(colon + 1..<$0.count)) }
    if password.isEmpty { return passOver(entry.origin, .noSecret) }
    if let wanted, wanted != account { entry.add("user name in the URL", .part) }
    take(Item(place.key(account: account.nonEmpty, for: nil)), Credential(password), of: entry)
  }
}
