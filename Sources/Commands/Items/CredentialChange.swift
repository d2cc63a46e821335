import Bytes
import Keychain

struct CredentialChange {
  /// `nil` leaves the expiry; an inner `nil` removes it.
  var expiry: Int64??
  /// `nil` leaves the scheme; an inner `nil` removes it.
  var scheme: ByteString??

  /// `nil` leaves the secret of one-time codes; an empty one removes it.
  var code: Code?

  /// A class, because confidential parts can't be shared otherwise.
  final class Code {
    let url: Secret
    init(_ url: consuming Secret) { self.url = url }
  }

  var isEmpty: Bool { expiry == nil && scheme == nil && code == nil }

  func apply(to credential: inout Credential) {
    if let expiry { credential.expiry = expiry }
    if let scheme { credential.authenticationScheme = scheme }
    if let code { credential.further.oneTimeCode = code.url.copy() }
  }
}
