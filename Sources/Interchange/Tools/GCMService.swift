import CredentialProtocols
import Keychain

/// The names under which Git Credential Manager keeps what it has.
enum GCMService {
  /// The place that a service's URL names; `nil` if it is none.
  static func place(ofURL url: ByteString) -> InternetPassword? {
    guard let (place, _) = try? Place.parse(url) else { return nil }
    return place.key(account: nil, for: nil)
  }
}
