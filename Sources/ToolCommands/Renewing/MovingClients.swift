package import Keychain
import SignIn

/// The OAuth clients of logins that move between a person's own keychain and one on a server, which keep them
/// differently. Without its client, a moved token isn't renewed.
package struct MovingClients {
  private final class Moving {
    let key: InternetPassword
    let origin: String
    let credential: Credential
    let client: ClientRegistration

    init(
      _ key: InternetPassword, _ origin: String, _ credential: consuming Credential,
      _ client: consuming ClientRegistration
    ) {
      self.key = key
      self.origin = origin
      self.credential = credential
      self.client = client
    }
  }

  private var clients: [Moving] = []

  /// - Throws: ``KeychainError`` if the keychain can't be read.
  package init(of items: [Item], in source: any KeychainStore) throws(KeychainError) {
    for item in items {
      guard case .internetPassword(let key) = item.key, let place = SignedInPlace(item),
        let credential = try source.credentialIfPresent(of: item), credential.hasRefreshToken
      else { continue }
      if let client = try KeptClient.find(place.origin, for: key, in: source).orNone() {
        clients.append(Moving(key, place.origin, credential.copy(), client))
      }
    }
  }

  /// Keeps the clients of logins that have arrived. A login that was there, and stayed as it was, keeps its own:
  /// another client would send its refresh token elsewhere.
  ///
  /// - Throws: ``KeychainError``, as updates do.
  package func keep(in target: any KeychainStore) throws(KeychainError) {
    for moving in clients {
      let key = Item.Key.internetPassword(moving.key).primaryKey
      let found = try target.items(matching: ItemQuery(for: .internetPassword(moving.key)))
      guard let item = found.first(where: { $0.key.primaryKey == key }),
        let present = try target.credentialIfPresent(of: item), present.hasRefreshToken,
        present.hasSameRefreshToken(as: moving.credential)
      else { continue }
      let isOwn = !(target is any RemoteKeychain)
      if isOwn, try KeptClient.isOtherwise(moving.client, moving.origin, in: target) {
        StandardStreams.say(
          "the client \(moving.client.clientID) of \(moving.origin) already exists with other settings; kept"
        )
        continue
      }
      try KeptClient.save(moving.client, moving.origin, for: moving.key, in: target)
    }
  }
}
