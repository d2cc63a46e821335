package import Bytes
import JSON
package import Keychain
package import SignIn

/// The clients with which a person has signed in, as the keychain keeps them: each a generic password of its server,
/// `oauth:https://example.com`.
package enum KeptClient {
  /// The service of the items for a server.
  ///
  /// - Parameter origin: scheme, host and port, as ``EndpointURL/origin`` has them.
  package static func service(of origin: String) -> ByteString { ByteString("oauth:" + origin) }

  /// The client for a server; `nil` if there is none.
  ///
  /// - Throws: ``KeychainError`` if the keychain can't be read.
  package static func find(_ origin: String, in keychain: any KeychainStore) throws(KeychainError)
    -> ClientRegistration?
  {
    try keychain.first(of: service(of: origin)) { _, credential -> ClientRegistration? in
      credential.secret.withUnsafeBytes { try? ClientRegistration(json: $0) }
    }
  }

  /// Keeps a client for a server.
  ///
  /// - Throws: ``KeychainError``.
  package static func save(
    _ client: borrowing ClientRegistration, _ origin: String, in keychain: any KeychainStore
  ) throws(KeychainError) {
    var item = Item(
      .genericPassword(GenericPassword(service: service(of: origin), account: ByteString(client.clientID))))
    item.itemDescription = "OAuth client"
    try keychain.save(item, Credential(client.encoded))
  }

  /// Forgets the clients for a server. Returns how many there were.
  ///
  /// - Throws: ``KeychainError``.
  @discardableResult
  package static func forget(_ origin: String, in keychain: any KeychainStore) throws(KeychainError) -> Int {
    try keychain.erase(.genericPassword(try GenericPasswordQuery(service: service(of: origin))))
  }
}
