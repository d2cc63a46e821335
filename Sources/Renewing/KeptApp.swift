package import Bytes
package import Keychain
package import SignIn

/// The GitHub Apps whose keys the keychain holds: each a generic password of the place for which it gets tokens,
/// `github-app:https://github.com/acme`, with the app's identifier as account and its private key as secret.
package enum KeptApp {
  /// The user name that goes with the tokens of an installation, by GitHub's documentation.
  package static let account: ByteString = "x-access-token"

  private static func service(of url: String) -> ByteString { ByteString("github-app:" + url) }

  /// The app for a place; `nil` if there is none.
  ///
  /// - Throws: ``KeychainError`` if the keychain can't be read.
  static func find(_ url: String, in keychain: any KeychainStore) throws(KeychainError) -> GitHubApp? {
    let query = ItemQuery.genericPassword(try GenericPasswordQuery(service: service(of: url)))
    return try keychain.reading { () throws(KeychainError) -> GitHubApp? in
      for item in try keychain.find(query) {
        guard let identifier = item.key.account, let credential = try keychain.credentialIfPresent(of: item)
        else {
          continue
        }
        return GitHubApp(identifier: "\(identifier)", key: credential.secret.copy())
      }
      return nil
    }
  }

  /// Keeps an app for a place, in place of another one, with an item for the tokens that it gets.
  ///
  /// - Parameter url: the place as ``InternetPassword/url(withAccount:)`` has it.
  /// - Returns: the item for the tokens. It holds none yet.
  /// - Throws: ``KeychainError``.
  package static func save(
    _ app: borrowing GitHubApp, _ url: String, for key: InternetPassword, in keychain: any KeychainStore
  ) throws(KeychainError) -> Item {
    var kept = Item(
      .genericPassword(GenericPassword(service: service(of: url), account: ByteString(app.identifier))))
    kept.itemDescription = "GitHub App"
    var item = Item(.internetPassword(key))
    item.type = Item.mintedType
    item.itemDescription = "GitHub App token"
    let (appItem, tokenItem) = (kept, item)
    let key = app.key.copy()
    return try keychain.exclusively { () throws(KeychainError) -> Item in
      let former = ItemQuery.genericPassword(try GenericPasswordQuery(service: service(of: url)))
      try keychain.delete(try keychain.items(matching: former))
      try keychain.add(appItem, Credential(key.copy()))
      let query = try ItemQuery(for: tokenItem.key)
      let primaryKey = tokenItem.key.primaryKey
      // It has expired from the beginning, and is renewed by the first who asks.
      let empty = Credential(Secret(), expiry: 1)
      guard
        var present = try keychain.items(matching: query).first(where: { $0.key.primaryKey == primaryKey })
      else {
        return try keychain.add(tokenItem, empty)
      }
      present.type = tokenItem.type
      present.itemDescription = tokenItem.itemDescription
      return try keychain.update(present, empty)
    }
  }
}
