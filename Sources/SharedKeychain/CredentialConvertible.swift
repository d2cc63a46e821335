import Bytes
public import Keychain

/// A type that can be stored as an item's secret: a `Secret`, a whole `Credential`, or text or bytes that a program
/// already has, although these can't be wiped.
public protocol CredentialConvertible: ~Copyable {
  /// A copy as a credential.
  borrowing func makeCredential() -> Credential
}

extension Secret: CredentialConvertible {
  /// A copy of the secret, as a password.
  public borrowing func makeCredential() -> Credential { Credential(copy()) }
}

extension Credential: CredentialConvertible {
  /// A copy of everything confidential.
  public borrowing func makeCredential() -> Credential { copy() }
}

extension String: CredentialConvertible {
  /// The UTF-8 encoding of the text, as a password.
  public borrowing func makeCredential() -> Credential { Credential(Secret(copy self)) }
}

extension [UInt8]: CredentialConvertible {
  /// The bytes, as a password.
  public borrowing func makeCredential() -> Credential {
    var secret = Secret(capacity: count)
    withUnsafeBytes { secret.append($0) }
    return Credential(secret)
  }
}
