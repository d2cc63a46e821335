import CredentialProtocols
package import Keychain
import SignIn

/// The user name under which one token answers for every name in a URL.
package enum NameForAll {
  /// The name at a place, as the client says with which somebody has signed in there, or else the table of services;
  /// `nil` where a name in a URL is a person's.
  ///
  /// - Parameters:
  ///   - keychain: where the client is looked for; `nil` for a keychain of another machine, which gives none.
  ///   - isTakenOver: whether the one who asks goes on with that name. If not, only services count whose tokens go with
  ///     any name: with another one, the others refuse a token.
  package static func find(
    for key: InternetPassword, in keychain: (any KeychainStore)?, isTakenOver: Bool
  ) -> ByteString? {
    guard let url = key.url(), let place = SignInPlace(url) else { return nil }
    let service = KnownService.at(place)
    if !isTakenOver, service?.userName != nil || service?.nameForAll == nil { return nil }
    // Whoever may not read the client has no name from it, and no login was found before this.
    if let keychain, let kept = try? KeptClient.find(place.origin, for: key, in: keychain) {
      switch kept.orNone() {
      case .some(let client): if client.ignoresNamesInURLs { return ByteString(client.userName) }
      case .none: break
      }
    }
    return service?.nameForAll.map { ByteString($0) }
  }
}
