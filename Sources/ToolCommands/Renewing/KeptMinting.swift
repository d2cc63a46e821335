import Bytes
import CredentialProtocols
package import Keychain
package import SignIn

/// How to make a place's tokens anew, as the keychain keeps it: one generic password for each place.
package enum KeptMinting: ~Copyable {
  /// A GitHub App. The service is `github-app:https://github.com/acme`, the account the app's identifier, the secret
  /// its private key.
  case app(GitHubApp)
  /// An exchange of a job's token. The service is `token-exchange:https://git.example.com`, the secret its settings.
  case exchange(TokenExchange)

  /// `nil` if nothing makes the place's tokens.
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

  /// Keeps it for a place, with an item for the tokens. It replaces what made the place's tokens before.
  ///
  /// - Parameters:
  ///   - url: the place, from ``InternetPassword/url(withAccount:)``.
  ///   - isUpdate: whether it may replace anything.
  /// - Returns: the item for the tokens, still empty.
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
      // Former makers for other accounts of the place make no more tokens.
      former += try keychain.items(matching: ofAnyAccount).filter { item in
        guard case .internetPassword(let other) = item.key else { return false }
        return item.isMinted && other.url() == url && other.securityDomain == key.securityDomain
          && item.key.primaryKey != primaryKey
      }
      let isThere = try keychain.items(matching: query).contains { $0.key.primaryKey == primaryKey }
      if !isUpdate, isThere || !former.isEmpty { throw .duplicateItem }
      try keychain.delete(former)
      try keychain.add(keptItem, Credential(secret.copy()))
      // Expired from the beginning, so that the first use renews it.
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
  /// The first readable item of a service. Others may have put there something else, which doesn't count.
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
