import Bytes
import CredentialProtocols
import Keychain
import SignIn

/// The clients of a person's sign-ins, as the keychain keeps them: each a generic password of its server,
/// `oauth:https://example.com`, with the logins that it got. A keychain on a server keeps each with its login instead.
enum KeptClient: ~Copyable {
  case none
  case client(ClientRegistration)
  /// The item is no client, for example because somebody has edited it.
  case unreadable

  private static func items(_ origin: String, in keychain: any KeychainStore) throws(KeychainError) -> [Item]
  {
    let service = RenewalSetting.client.service(of: origin)
    return try keychain.find(.genericPassword(try GenericPasswordQuery(service: service)))
  }

  /// The client that got a login. If that isn't known, one with a login that is gone, else any client of the server.
  ///
  /// - Parameter origin: scheme, host and port, as in ``EndpointURL/origin``.
  /// - Throws: ``KeychainError`` if the keychain can't be read.
  static func find(
    _ origin: String, for key: InternetPassword, in keychain: any KeychainStore
  ) throws(KeychainError) -> KeptClient {
    if let keychain = keychain as? any RemoteKeychain {
      guard let text = try keychain.client(for: key) else { return .none }
      guard let client = text.withUnsafeBytes({ try? ClientRegistration(json: $0) }) else {
        return .unreadable
      }
      return .client(client)
    }
    let name = name(of: key)
    return try keychain.reading { () throws(KeychainError) -> KeptClient in
      var any: ClientRegistration?
      var isOfRenamed = false
      var isUnreadable = false
      let clients = try items(origin, in: keychain)
      let names = clients.count < 2 ? [] : try names(of: key, in: keychain)
      for item in clients {
        guard let credential = try keychain.credentialIfPresent(of: item) else { continue }
        guard let kept = Kept(credential.secret) else {
          isUnreadable = true
          continue
        }
        let isItsOwn = kept.logins.contains(name)
        if isItsOwn { return .client(kept.client.copy()) }
        // A login that is gone may have been renamed, perhaps to this one.
        let hasRenamed = !kept.logins.isSubset(of: names)
        if any == nil || hasRenamed && !isOfRenamed {
          any = kept.client.copy()
          isOfRenamed = hasRenamed
        }
      }
      switch consume any {
      case .some(let client): return .client(client)
      case .none: return isUnreadable ? .unreadable : .none
      }
    }
  }

  consuming func orNone() -> ClientRegistration? {
    switch consume self {
    case .client(let client): client
    case .none: nil
    case .unreadable: nil
    }
  }

  /// Keeps the client that got an existing login. Forgets a client without logins.
  static func save(
    _ client: borrowing ClientRegistration, _ origin: String, for key: InternetPassword,
    in keychain: any KeychainStore
  ) throws(KeychainError) {
    let client = client.copy()
    if let keychain = keychain as? any RemoteKeychain {
      return try keychain.keep(client: client.encoded, for: key)
    }
    let name = name(of: key)
    try keychain.exclusively { () throws(KeychainError) in
      var logins: Set<ByteString> = [name]
      for item in try items(origin, in: keychain) {
        guard let credential = try keychain.credentialIfPresent(of: item), var kept = Kept(credential.secret)
        else {
          continue
        }
        if item.key.account == ByteString(client.clientID) {
          logins.formUnion(kept.logins)
        } else if kept.logins.remove(name) != nil {
          if kept.logins.isEmpty {
            try keychain.delete([item])
          } else {
            try keychain.update(item, Credential(kept.encode()))
          }
        }
      }
      var item = Item(
        .genericPassword(
          GenericPassword(
            service: RenewalSetting.client.service(of: origin), account: ByteString(client.clientID))))
      item.itemDescription = "OAuth client"
      var kept = Kept(client: client.copy(), logins: logins)
      try keychain.save(item, Credential(kept.encode()))
    }
  }

  /// Whether a person's own keychain has the client of this identifier with another registration. The registration
  /// decides where tokens go, and members of a shared keychain have no say in that.
  ///
  /// - Throws: ``KeychainError`` if the keychain can't be read.
  static func isOtherwise(
    _ client: borrowing ClientRegistration, _ origin: String, in keychain: any KeychainStore
  ) throws(KeychainError) -> Bool {
    let identifier = ByteString(client.clientID)
    let registration = client.encoded
    for item in try items(origin, in: keychain) where item.key.account == identifier {
      guard let credential = try keychain.credentialIfPresent(of: item), let kept = Kept(credential.secret)
      else { continue }
      if !kept.client.encoded.isEqual(to: registration) { return true }
    }
    return false
  }

  /// Returns how many clients it has forgotten.
  @discardableResult
  static func forget(_ origin: String, in keychain: any KeychainStore) throws(KeychainError) -> Int {
    let service = RenewalSetting.client.service(of: origin)
    return try keychain.erase(.genericPassword(try GenericPasswordQuery(service: service)))
  }

  /// The names of a server's logins in a client's list.
  private static func names(
    of key: InternetPassword, in keychain: any KeychainStore
  ) throws(KeychainError) -> Set<ByteString> {
    var criteria = ItemCriteria()
    criteria[.server] = key.server
    return Set(
      try keychain.items(matching: .criteria(criteria)).compactMap { item in
        guard case .internetPassword(let login) = item.key else { return nil }
        return name(of: login)
      })
  }

  /// A login's name in a client's list.
  private static func name(of key: InternetPassword) -> ByteString {
    ByteString("\(key.url(withAccount: true) ?? "") \(key.securityDomain.map { "\($0)" } ?? "")")
  }

  /// The secret of such an item: a registration, and `logins`.
  private struct Kept: ~Copyable, JSONMessage {
    var client: ClientRegistration
    var logins: Set<ByteString>

    init(client: consuming ClientRegistration, logins: Set<ByteString>) {
      self.client = client
      self.logins = logins
    }

    init?(_ secret: borrowing Secret) {
      guard let client = secret.withUnsafeBytes({ try? ClientRegistration(json: $0) }) else { return nil }
      self.init(client: client, logins: [])
      secret.withUnsafeBytes { try? read($0) }
    }

    mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
      try client.members(&members)
      var logins = logins.sorted()
      // A broken list is none.
      try? members.texts("logins", &logins)
      self.logins = Set(logins)
    }
  }
}
