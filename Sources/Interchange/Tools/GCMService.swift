import CredentialProtocols
import Keychain

/// The service names of Git Credential Manager.
enum GCMService {
  /// Whether a service's URL is that of a refresh token, which stands below or before the server that it is for. GCM alone
  /// can use one.
  static func isOfRefreshToken(_ url: ByteString) -> Bool {
    guard let (place, _) = try? Place.parse(url) else { return false }
    return place.path?.ends(with: "refresh_token") == true
      || ["oauth-refresh-token.", "refresh_token."].contains { place.server.bytes.starts(with: $0.utf8) }
  }

  /// The login that a service's URL names; `nil` if it names none.
  ///
  /// - Parameter account: the account beside it, which comes before one in the URL.
  static func login(at url: ByteString, account: ByteString?) -> InternetPassword? {
    guard let (place, named) = try? Place.parse(url) else { return nil }
    return place.key(account: account.nonEmpty ?? named.nonEmpty, for: nil)
  }
}
