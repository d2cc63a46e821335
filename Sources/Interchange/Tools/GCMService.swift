import CredentialProtocols
import Keychain

/// The service names of Git Credential Manager.
enum GCMService {
  /// The place that a service's URL names; `nil` if it names none.
  static func place(ofURL url: ByteString) -> InternetPassword? {
    guard let (place, _) = try? Place.parse(url) else { return nil }
    return place.key(account: nil, for: nil)
  }
}
