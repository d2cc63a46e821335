import Bytes
import CredentialProtocols
import Keychain
import SignIn

/// A place where somebody has signed in, as its item says.
struct SignedInPlace {
  /// The place as a URL without an account.
  let url: String
  /// Scheme, host and port.
  let origin: String
  /// What all processes that renew the same token lock.
  let lockName: String

  /// `nil` for items whose secrets are no tokens that can be renewed.
  init?(_ item: Item, _ scheme: ByteString? = nil) {
    guard case .internetPassword(let key) = item.key, scheme.map({ $0.isEqualIgnoringCase("bearer") }) ?? true
    else { return nil }
    guard let url = key.url(), let address = SignInPlace(url) else { return nil }
    self.url = url
    origin = address.origin
    lockName = RenewalLock.name(of: "\(origin) \(key.account.map { "\($0)" } ?? "")")
  }
}
