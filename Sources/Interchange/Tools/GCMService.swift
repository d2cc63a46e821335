import CredentialProtocols
import Keychain

enum GCMService {
  /// Whether a service's URL is that of a refresh token, which is below or before its server's. Only GCM can use one.
  static func isOfRefreshToken(_ url: ByteString) -> Bool {
    guard let (place, _) = try? Place.parse(url) else { return false }
    return place.path?.ends(with: "refresh_token") == true
      || ["oauth-refresh-token.", "refresh_token."].contains { place.server.bytes.starts(with: $0.utf8) }
  }

  /// The login in a service's URL; `nil` if there is none.
  ///
  /// - Parameter account: the account beside it, which takes precedence over one in the URL.
  static func login(at url: ByteString, account: ByteString?) -> InternetPassword? {
    guard let (place, named) = try? Place.parse(url) else { return nil }
    return place.key(account: account.nonEmpty ?? named.nonEmpty, for: nil)
  }
}
