public import Keychain

/// A service on which people log in. A program's own goes over the network.
public protocol LoginService: Sendable {
  /// The host name.
  var server: String { get }
  /// Exchanges a password for a token; `nil` if it is the wrong one.
  func token(for account: String, password: borrowing Secret) -> Credential?
  /// Whose token it is; `nil` if it is none of the service's.
  func account(of token: borrowing Secret) -> String?
}

/// A service that takes every password but an empty one, and whose tokens are `token-` and the account.
public struct FakeService: LoginService {
  /// A host that nobody has (RFC 2606, section 2).
  public let server = "token-keeper.example"

  /// Needs nothing.
  public init() {}

  /// A token of the account that is of use for an hour.
  public func token(for account: String, password: borrowing Secret) -> Credential? {
    if password.isEmpty { return nil }
    return Credential(Secret("token-\(account)"), expiry: Timestamp.now.seconds + 3600)
  }

  /// What stands after `token-`.
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
