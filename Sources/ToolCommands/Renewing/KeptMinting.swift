import Bytes
import CredentialProtocols
package import Keychain
package import SignIn

/// What makes the tokens of a place anew, as the keychain keeps it: a generic password of the place, of which it has
/// one.
package enum KeptMinting: ~Copyable {
  /// A GitHub App. The service is `github-app:https://github.com/acme`, the account the app's identifier, and the
  /// secret its private key.
  case app(GitHubApp)
  /// An exchange of the token of a job. The service is `token-exchange:https://git.example.com`, and the secret says
  /// how.
  case exchange(TokenExchange)

  /// What makes the tokens of a place; `nil` if nothing does.
  ///
  /// - Throws: ``KeychainError`` if the keychain can't be read.
  package static func find(_ url: String, in keychain: any KeychainStore) throws(KeychainError)
    -> KeptMinting?
  {
    let app = try keychain.first(of: RenewalSetting.app.service(of: url)) { item, credential -> GitHubApp? in
      item.key.account.map { GitHubApp(identifier: "\($0)", key: credential.secret.copy()) }
    }
    if let app { return .app(app) }
    let exchange = try keychain.first(of: RenewalSetting.exchange.service(of: url)) {
      _, credential -> TokenExchange? in
      credential.secret.withUnsafeBytes { try? TokenExchange(json: $0) }
    }
    if let exchange { return .exchange(exchange) }
    return nil
  }

  private borrowing func item(for url: String) -> Item {
    var item: Item
    switch self {
    case .app(let app):
      item = Item(
        .genericPassword(
          GenericPassword(service: RenewalSetting.app.service(of: url), account: ByteString(app.identifier))))
      item.itemDescription = "GitHub App"
    case .exchange:
      item = Item(.genericPassword(GenericPassword(service: RenewalSetting.exchange.service(of: url))))
      item.itemDescription = "token exchange"
    }
    return item
  }

  private var secret: Secret {
    switch self {
    case .app(let app): app.key.copy()
    case .exchange(let exchange): exchange.encoded
    }
  }

  private var tokenDescription: ByteString {
    switch self {
    case .app: "GitHub App token"
    case .exchange: "exchanged token"
    }
  }

  /// Keeps it for a place, in place of what made its tokens before, with an item for the tokens.
  ///
  /// - Parameters:
  ///   - url: the place as ``InternetPassword/url(withAccount:)`` has it.
  ///   - isUpdate: whether it may take the place of what is there.
  /// - Returns: the item for the tokens. It holds none yet.
  /// - Throws: ``KeychainError``.
  package borrowing func save(
    _ url: String, for key: InternetPassword, isUpdate: Bool, in keychain: any KeychainStore
  ) throws(KeychainError) -> Item {
    var item = Item(.internetPassword(key))
    item.type = Item.mintedType
    item.itemDescription = tokenDescription
    let (keptItem, tokenItem) = (self.item(for: url), item)
    let secret = self.secret
    var place = key
    place.account = nil
    let ofAnyAccount = try ItemQuery(for: .internetPassword(place))
    return try keychain.exclusively { () throws(KeychainError) -> Item in
      let query = try ItemQuery(for: tokenItem.key)
      let primaryKey = tokenItem.key.primaryKey
      var former: [Item] = []
      for setting in [RenewalSetting.app, .exchange] {
        let query = ItemQuery.genericPassword(try GenericPasswordQuery(service: setting.service(of: url)))
        former += try keychain.items(matching: query)
      }
      // What made tokens for another account of the place makes them no more.
      former += try keychain.items(matching: ofAnyAccount).filter { item in
        guard case .internetPassword(let other) = item.key else { return false }
        return item.isMinted && other.url() == url && other.securityDomain == key.securityDomain
          && item.key.primaryKey != primaryKey
      }
      let isThere = try keychain.items(matching: query).contains { $0.key.primaryKey == primaryKey }
      if !isUpdate, isThere || !former.isEmpty { throw .duplicateItem }
      try keychain.delete(former)
      try keychain.add(keptItem, Credential(secret.copy()))
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

extension KeychainStore {
  /// What the first item of a service holds that can be read as such. One that somebody else has put there is none.
  ///
  /// - Throws: ``KeychainError`` if the keychain can't be read.
  func first<Value: ~Copyable>(
    of service: ByteString, _ read: (Item, borrowing Credential) -> Value?
  ) throws(KeychainError) -> Value? {
    let query = ItemQuery.genericPassword(try GenericPasswordQuery(service: service))
    return try reading { () throws(KeychainError) -> Value? in
      for item in try find(query) {
        guard let credential = try credentialIfPresent(of: item) else { continue }
        if let value = read(item, credential) { return value }
      }
      return nil
    }
  }
}
