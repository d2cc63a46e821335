import CredentialProtocols
package import Keychain
import SignIn

/// The user name under which one token answers for every name in a URL.
package enum NameForAll {
  /// The name at a place, from the client of a sign-in there, or else from the table of services; `nil` if a name in a
  /// URL is a person's.
  ///
  /// - Parameters:
  ///   - keychain: where to look for the client; `nil` for another machine's keychain, which gives none.
  ///   - isTakenOver: whether the caller goes on with that name. If not, only services count whose tokens go with any
  ///     name, because others refuse a token with the wrong one.
  package static func find(
    for key: InternetPassword, in keychain: (any KeychainStore)?, isTakenOver: Bool
  ) -> ByteString? {
    guard let url = key.url(), let place = SignInPlace(url) else { return nil }
    let service = KnownService.at(place)
    if !isTakenOver, service?.userName != nil || service?.nameForAll == nil { return nil }
    // Without the right to read the client, there is no name from it; and no login was found before this.
    if let keychain, let kept = try? KeptClient.find(place.origin, for: key, in: keychain),
      let client = kept.orNone(), client.ignoresNamesInURLs
    {
      return ByteString(client.userName)
    }
    return service?.nameForAll.map { ByteString($0) }
  }
}
