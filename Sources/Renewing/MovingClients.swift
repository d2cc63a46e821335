package import Keychain
import SignIn

/// The OAuth clients of logins that move between a keychain of one's own and one on a server, as each keeps them in its own
/// way. Without its client, a token isn't renewed where it has gone.
package struct MovingClients {
  private final class Moving {
    let key: InternetPassword
    let origin: String
    let client: ClientRegistration

    init(_ key: InternetPassword, _ origin: String, _ client: consuming ClientRegistration) {
      self.key = key
      self.origin = origin
      self.client = client
    }
  }

  private var clients: [Moving] = []

  /// Reads them.
  ///
  /// - Throws: ``KeychainError`` if the keychain can't be read.
  package init(of items: [Item], in source: any KeychainStore) throws(KeychainError) {
    for item in items {
      guard case .internetPassword(let key) = item.key, let place = SignedInPlace(item),
        try source.credentialIfPresent(of: item)?.hasRefreshToken ?? false
      else { continue }
      switch try KeptClient.find(place.origin, for: key, in: source).orNone() {
      case .some(let client): clients.append(Moving(key, place.origin, client))
      case .none: break
      }
    }
  }

  /// Keeps those whose logins have come.
  ///
  /// - Throws: ``KeychainError``, as updates do.
  package func keep(in target: any KeychainStore) throws(KeychainError) {
    for moving in clients {
      let key = Item.Key.internetPassword(moving.key).primaryKey
      let found = try target.items(matching: ItemQuery(for: .internetPassword(moving.key)))
      guard let item = found.first(where: { $0.key.primaryKey == key }),
        try target.credentialIfPresent(of: item)?.hasRefreshToken ?? false
      else { continue }
      try KeptClient.save(moving.client, moving.origin, for: moving.key, in: target)
    }
  }
}
