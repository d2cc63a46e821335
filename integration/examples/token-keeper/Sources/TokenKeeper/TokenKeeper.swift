public import Keychain
public import SharedKeychain

/// Logs people in, and stores their tokens in a keychain: the user's own, or one in memory for tests.
public struct TokenKeeper: Sendable {
  private let keychain: SharedKeychain
  private let service: any LoginService

  /// Creates a keeper that stores the service's tokens in the keychain.
  public init(_ keychain: SharedKeychain, _ service: any LoginService = FakeService()) {
    self.keychain = keychain
    self.service = service
  }

  /// The result of logging in.
  public enum LoginOutcome: ~Copyable {
    /// The token is in the keychain.
    case kept
    /// The service returned a token, but the keychain didn't accept it. It belongs to the user, and must not be lost.
    case notKept(Credential, KeychainError)
    /// The service doesn't know this account and password.
    case refused
  }

  /// The reason why nobody should be asked to log in now; `nil` if a token could be stored.
  public func obstacle() -> KeychainError? {
    let readiness = keychain.probe()
    return readiness.canKeepSecrets ? nil : readiness.reason
  }

  /// Logs in and stores the token.
  public func logIn(_ account: String, password: borrowing Secret) -> LoginOutcome {
    guard let token = service.token(for: account, password: password) else { return .refused }
    do throws(KeychainError) {
      try keychain.save(token, for: key(account), label: "Token of \(account)", description: "access token")
      return .kept
    } catch {
      return .notKept(token, error)
    }
  }

  /// The owner of the token stored for the account, according to the service; `nil` if there is no valid token.
  public func whoAmI(_ account: String) throws(KeychainError) -> String? {
    guard let token = try keychain.credential(of: key(account)), !token.isExpired(at: .now) else {
      return nil
    }
    return service.account(of: token.secret)
  }

  /// Deletes the token. Returns whether there was one.
  public func logOut(_ account: String) throws(KeychainError) -> Bool {
    try keychain.delete(key(account))
  }

  /// Notes when a token was last used, without changing the token.
  public func note(_ remark: String, for account: String) throws(KeychainError) {
    try keychain.update(key(account)) { $0.comment = ByteString(remark) }
  }

  /// The accounts that have a token.
  public func accounts() throws(KeychainError) -> [String] {
    try keychain.internetPasswords(server: service.server)
      .compactMap { $0.key.account?.text }.sorted()
  }

  /// Calls `body` with a line for each change of a token, by this program or another, until the task is cancelled.
  public func watch(_ body: (String) -> Void) async throws(KeychainError) {
    var changes = try keychain.changes().makeAsyncIterator()
    body("watching")
    while let change = try await changes.next() {
      guard case .internetPassword(let key) = change.item.key, key.server?.text == service.server else {
        continue
      }
      let account = key.account?.text ?? ""
      switch change {
      case .added: body("added \(account)")
      case .updated: body("updated \(account)")
      case .deleted: body("deleted \(account)")
      }
    }
  }

  private func key(_ account: String) -> InternetPassword {
    InternetPassword(server: service.server, account: account)
  }
}
