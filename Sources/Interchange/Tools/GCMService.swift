import CredentialProtocols
import Keychain

/// The service names of Git Credential Manager.
enum GCMService {
  /// The login that a service's URL names; `nil` if it names none.
  ///
  /// - Parameter account: the account beside it, which comes before one in the URL.
  static func login(at url: ByteString, account: ByteString?) -> InternetPassword? {
    guard let (place, named) = try? Place.parse(url) else { return nil }
    return place.key(account: account.nonEmpty ?? named.nonEmpty, for: nil)
  }
}
