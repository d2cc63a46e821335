public import Keychain

/// A service that people log in to. A real program's uses the network.
public protocol LoginService: Sendable {
  /// The host name.
  var server: String { get }
  /// Exchanges a password for a token; `nil` if the password is wrong.
  func token(for account: String, password: borrowing Secret) -> Credential?
  /// The account that a token belongs to; `nil` if the token is not one of the service's.
  func account(of token: borrowing Secret) -> String?
}

/// A service that accepts every password but an empty one, and whose tokens are `token-` and the account.
public struct FakeService: LoginService {
  /// A reserved host name (RFC 2606, section 2).
  public let server = "token-keeper.example"

  /// Creates the service.
  public init() {}

  /// A token of the account that is valid for an hour.
  public func token(for account: String, password: borrowing Secret) -> Credential? {
    if password.isEmpty { return nil }
    return Credential(Secret("token-\(account)"), expiry: Timestamp.now.seconds + 3600)
  }

  /// The text after `token-`.
  public func account(of token: borrowing Secret) -> String? {
    let prefix = Secret("token-")
    return token.withUnsafeBytes { bytes in
      guard bytes.count > prefix.count else { return nil }
      var beginning = Secret()
      beginning.append(UnsafeRawBufferPointer(rebasing: bytes[..<prefix.count]))
      if !beginning.isEqual(to: prefix) { return nil }
      return String(decoding: bytes[prefix.count...], as: UTF8.self)
    }
  }
}
