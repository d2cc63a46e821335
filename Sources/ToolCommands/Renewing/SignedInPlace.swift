import Bytes
import CredentialProtocols
import Keychain
import SignIn

/// A place where somebody has signed in, from its item.
struct SignedInPlace {
  /// Without an account.
  let url: String
  /// Scheme, host and port.
  let origin: String
  /// Shared by all processes that renew the same token.
  let lockName: String

  /// `nil` for items without a renewable token.
  init?(_ item: Item, _ scheme: ByteString? = nil) {
    guard case .internetPassword(let key) = item.key, scheme.map({ $0.isEqualIgnoringCase("bearer") }) ?? true
    else { return nil }
    guard let url = key.url(), let address = SignInPlace(url) else { return nil }
    self.url = url
    origin = address.origin
    lockName = RenewalLock.name(of: "\(origin) \(key.account.map { "\($0)" } ?? "")")
  }
}
