package import Bytes
package import Keychain

/// A token and its dates.
package struct HeldToken: ~Copyable {
  package let value: Secret
  /// When it ends, in seconds since the Unix epoch; `nil` if unknown.
  package let expiry: Int64?
  /// When to renew it, in seconds since the Unix epoch; `nil` if that is impossible or unnecessary.
  package let renewal: Int64?

  package init(_ value: consuming Secret, expiry: Int64? = nil, renewal: Int64? = nil) {
    self.value = value
    self.expiry = expiry
    self.renewal = renewal
  }
}

/// A session's source of tokens and login secrets.
package protocol LoginCredentials: AnyObject {
  /// The token to use: one kept by ``keep(_:)``, or for ``LoginMethod/token`` a person's own. `nil` if there is none.
  ///
  /// - Throws: ``KeychainError`` if its place can't be read.
  func token() throws(KeychainError) -> HeldToken?

  /// The secret that this session's token was got with, if the next session may be somebody else's, with another secret
  /// in a file: a job's token, or a service account's. `nil` otherwise.
  func passingSecret() -> Secret?

  /// Keeps a token for the next session, if possible.
  ///
  /// - Parameter former: the token that it replaces; `nil` for a new login. If there is another one by now, that stays.
  func keep(_ token: borrowing HeldToken, after former: borrowing Secret?)

  /// Forgets a kept token, unless there is another one by now.
  func forget(_ token: borrowing Secret)

  /// The account for the method's secret in a person's own keychain; `nil` if it must be elsewhere.
  func account(for method: LoginMethod) -> ByteString?

  /// The account of a person's own token in their keychain; `nil` if it came from elsewhere.
  var tokenAccount: ByteString? { get }

  /// The file or variable for the login's secret, in words; `nil` for a person's own keychain.
  var source: String? { get }

  /// The name of the person's own keychain, if commands don't use that one without it.
  var keychainToName: String? { get }

  /// The method's secret; `nil` if it is missing.
  ///
  /// - Throws: ``KeychainError`` if its place can't be read.
  func secret(for method: LoginMethod) throws(KeychainError) -> Secret?
}

extension LoginCredentials {
  package func passingSecret() -> Secret? { nil }

  package var tokenAccount: ByteString? { nil }

  package var source: String? { nil }

  package var keychainToName: String? { nil }
}

/// A session's knowledge of a server, kept for the next one. None of it is secret or indispensable.
package struct ServerMemory: Equatable, Sendable {
  /// The server's index after the last write.
  package var index: String?
  package var isVersion2 = false
  /// When the server last refused to scan a folder; `nil` if it scans, or that is unknown.
  package var unscanned: Timestamp?
  /// When a request to it last got no answer; `nil` if it has answered since.
  package var silent: Timestamp?

  package init() {}
}

/// Where a session keeps its memory.
package protocol ServerMemoryStore: AnyObject {
  /// The kept memory; empty if there is none, or it can't be read.
  func memory() -> ServerMemory
  func keep(_ memory: ServerMemory)
}

/// Records the holders of tokens in use.
package protocol TokenHolderNoting: AnyObject {
  func knows(_ token: borrowing Secret) -> Bool
  /// Notes a token's holder.
  ///
  /// - Parameter holder: a text that differs between holders of whom one may do more than the other; `nil` if the
  ///   server doesn't say.
  func note(_ holder: ByteString?, of token: borrowing Secret)
  /// Notes that the last holder is also that of the secret that the token was got with.
  func note(_ login: borrowing Secret)
}
