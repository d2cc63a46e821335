import Age
import Bytes
import EncryptedFile
import Keychain
import KeychainChoice
import OpenBao
import SignIn

/// A server's credentials in the person's own keychain: internet passwords of the server, with the namespace as their
/// path and `openbao` as their security domain. The account is the login method's: its mount, and the user or role.
/// The authentication type `token` marks a token from a login. Its comment tells whether it can be renewed, and for
/// which job or service account it is.
final class PersonalCredentials: LoginCredentials {
  private static let domain = OpenBaoKeychain.loginDomain
  private static let tokenType: ByteString = "token"
  private static let renewable = "renewable"
  /// Begins the word in a comment that tells a token's job or service account.
  private static let origin = "jwt:"

  private let settings: OpenBaoSettings
  private let given: GivenTokens
  private let personal: () throws(KeychainError) -> (any KeychainStore)?
  private let clock: () -> Timestamp
  /// The bearer of the token in use; see ``bearer(of:)``.
  private var present: Secret?
  private(set) var tokenAccount: ByteString?

  /// - Parameter personal: opens the person's own keychain; `nil` if there is none.
  init(
    _ settings: OpenBaoSettings, variable: @escaping (String) -> String?,
    personal: @escaping () throws(KeychainError) -> (any KeychainStore)?,
    clock: @escaping () -> Timestamp = { .now }
  ) {
    self.settings = settings
    given = GivenTokens(server: settings.server, variable: variable)
    self.personal = personal
    self.clock = clock
  }

  func token() throws(KeychainError) -> HeldToken? {
    if case .token = settings.login { return try personsToken().lend { HeldToken($0.copy()) } }
    guard let answer = try stored(account: settings.identity, type: Self.tokenType) else { return nil }
    let expiry = answer.credential.expiry
    var renewal: Int64?
    let comment = "\(answer.item.comment ?? "")".split(separator: " ")
    if isByFile {
      // The next job would find this one's token, and so would another service account.
      guard let bearer = bearerInFile(), comment.contains(Substring(Self.mark(of: bearer))) else {
        return nil
      }
      present = consume bearer
    }
    if comment.contains(Substring(Self.renewable)), let expiry,
      let begin = answer.item.modificationDate?.seconds
    {
      renewal = begin + max(0, expiry - begin) / 2
    }
    return HeldToken(answer.credential.secret.copy(), expiry: expiry, renewal: renewal)
  }

  /// Whether the login uses a file, where each job or service account finds its own token.
  private var isByFile: Bool {
    switch settings.login {
    case .jwt, .kubernetes: settings.tokenFile != nil
    case .token, .appRole, .userPassword, .certificate, .oidc: false
    }
  }

  /// A token's bearer: each of a job's tokens has its own, and those of one service account share one.
  private func bearer(of token: borrowing Secret) -> Secret {
    if case .kubernetes = settings.login { return ServiceAccount.bearer(of: token) }
    return token.copy()
  }

  /// The bearer of the token in the file now; `nil` if there is none.
  private func bearerInFile() -> Secret? {
    GivenTokens.token(in: settings.tokenFile ?? "").lend { bearer(of: $0) }
  }

  func passingSecret() -> Secret? { present.lend { $0.copy() } }

  /// Marks a token with its bearer, in a way that doesn't help to find a job's token.
  private static func mark(of bearer: borrowing Secret) -> String {
    var code = [UInt8](repeating: 0, count: KeyDerivation.hashSize)
    code.withUnsafeMutableBytes { code in
      origin.utf8.withContiguousStorageIfAvailable { key in
        bearer.withUnsafeBytes {
          KeyDerivation.hmacSHA256(key: UnsafeRawBufferPointer(key), message: $0, into: code)
        }
      }
    }
    return origin + hexadecimal(Array(code.prefix(16)))
  }

  /// The token that a person has provided for this server, which gets no other.
  private func personsToken() throws(KeychainError) -> Secret? {
    if let source = settings.tokenSource { return try given.token(from: source) }
    let areForServer = given.areForServer
    if areForServer, let token = try given.token(from: .variable) { return token }
    if let answer = try stored(account: settings.login.account, type: nil) {
      tokenAccount = settings.login.account
      return answer.credential.secret.copy()
    }
    return areForServer ? try given.stored() : nil
  }

  /// Tells who asks: the token that a person has provided, or the bearer in a file, if that takes neither another
  /// keychain nor a program.
  func tokenAtHand() -> Secret? {
    if isByFile {
      // Without the token, nobody has what a former job or service account was given.
      return bearerInFile() ?? Secret()
    }
    guard isPersonsToken else { return nil }
    let source = settings.tokenSource ?? (given.areForServer ? .variable : .helper)
    if source == .helper { return nil }
    return try? given.token(from: source)
  }

  private var isPersonsToken: Bool {
    if case .token = settings.login { true } else { false }
  }

  var source: String? {
    if let path = settings.tokenFile { return path }
    return switch settings.tokenSource {
    case .variable: "BAO_TOKEN or VAULT_TOKEN"
    case .helper: "the token helper of ~/.bao or ~/.vault"
    case .file: "~/.vault-token"
    case nil: nil
    }
  }

  func account(for method: LoginMethod) -> ByteString? {
    settings.tokenSource == nil && settings.tokenFile == nil ? method.account : nil
  }

  var keychainToName: String? {
    guard let location = try? VaultLocation(),
      let used = (try? KeychainChoice.made(named: nil, at: location)) ?? nil
    else { return nil }
    let own = KeychainChoice.personal(at: location).name
    return used.name == own ? nil : own
  }

  func keep(_ token: borrowing HeldToken, after former: borrowing Secret?) {
    // If it can't be kept, the next use logs in again.
    guard !isPersonsToken, let keychain = try? personal() else { return }
    var item = Item(.internetPassword(key(account: settings.identity, type: Self.tokenType)))
    item.itemDescription = "OpenBao token"
    var comment = token.renewal == nil ? [] : [Self.renewable]
    present.lend { comment.append(Self.mark(of: $0)) }
    item.comment = comment.isEmpty ? nil : ByteString(comment.joined(separator: " "))
    let credential = Credential(token.value.copy(), expiry: token.expiry)
    let wanted = item
    let replaced = former.lend { $0.copy() }
    try? keychain.exclusively { () throws(KeychainError) in
      if var former = try self.former(wanted, in: keychain) {
        // Somebody may have logged in meanwhile.
        let isStill = try replaced.lend { (replaced) throws(KeychainError) in
          try keychain.credential(of: former).secret.isEqual(to: replaced)
        }
        if isStill == false { return }
        former.comment = wanted.comment
        try keychain.update(former, credential)
      } else {
        try keychain.add(wanted, credential)
      }
    }
  }

  func forget(_ token: borrowing Secret) {
    guard !isPersonsToken, let keychain = try? personal() else { return }
    let item = Item(.internetPassword(key(account: settings.identity, type: Self.tokenType)))
    let refused = token.copy()
    try? keychain.exclusively { () throws(KeychainError) in
      guard let former = try self.former(item, in: keychain),
        try keychain.credential(of: former).secret.isEqual(to: refused)
      else { return }
      try keychain.delete([former])
    }
  }

  func secret(for method: LoginMethod) throws(KeychainError) -> Secret? {
    if let path = settings.tokenFile {
      guard let token = GivenTokens.token(in: path) else { return nil }
      if isByFile { present = bearer(of: token) }
      return token
    }
    return try stored(account: method.account, type: nil).lend { $0.credential.secret.copy() }
  }

  private func former(_ item: Item, in keychain: any KeychainStore) throws(KeychainError) -> Item? {
    let primaryKey = item.key.primaryKey
    return try keychain.items(matching: .criteria(ItemCriteria(item.key))).first {
      $0.key.primaryKey == primaryKey
    }
  }

  private func stored(account: ByteString, type: ByteString?) throws(KeychainError) -> Answer? {
    guard let keychain = try personal() else { return nil }
    let place = key(account: account, type: type)
    let query = ItemQuery.internetPassword(
      try InternetPasswordQuery(
        protocol: place.protocol, server: place.server, port: place.port, account: account, path: place.path,
        securityDomain: Self.domain))
    return try keychain.reading { () throws(KeychainError) -> Answer? in
      for item in try keychain.find(query) {
        // Git's logins at that host aren't for the server's own login, and neither are those of another namespace.
        guard case .internetPassword(let key) = item.key, key.securityDomain == Self.domain,
          key.path ?? "" == place.path ?? "", key.authenticationType == type,
          let credential = try keychain.credentialIfPresent(of: item)
        else { continue }
        return Answer(item: item, credential: credential)
      }
      return nil
    }
  }

  private func key(account: ByteString, type: ByteString?) -> InternetPassword {
    let address = settings.server.addresses[0]
    let host = address.host.hasPrefix("[") ? String(address.host.dropFirst().dropLast()) : address.host
    let isUsual = address.port == InternetPassword.defaultPort(of: ByteString(address.scheme))
    return InternetPassword(
      protocol: ByteString(address.scheme), server: ByteString(host), port: isUsual ? nil : address.port,
      account: account, path: ByteString(settings.server.namespace), securityDomain: Self.domain,
      authenticationType: type)
  }
}
