import CredentialProtocols
package import Keychain
import SignIn

/// The user name under which one token answers for every name in a URL.
package enum NameForAll {
  /// The name at a place, as the client says with which somebody has signed in there, or else the table of services;
  /// `nil` where a name in a URL is a person's.
  ///
  /// - Throws: ``KeychainError`` if the keychain can't be read.
  package static func find(
    for key: InternetPassword, in keychain: any KeychainStore
  ) throws(KeychainError) -> ByteString? {
    guard let url = key.url(), let place = SignInPlace(url) else { return nil }
    switch try KeptClient.find(place.server.origin, for: key, in: keychain).orNone() {
    case .some(let client): if client.ignoresNamesInURLs { return ByteString(client.userName) }
    case .none: break
    }
    return KnownService.on(host: place.server.host)?.nameForAll.map { ByteString($0) }
  }
}
