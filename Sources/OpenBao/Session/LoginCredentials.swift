package import Bytes
package import Keychain

/// A token with what is known of it.
package struct HeldToken: ~Copyable {
  /// The token.
  package let value: Secret
  /// When it ends, in seconds since the Unix epoch; `nil` if that isn't known.
  package let expiry: Int64?
  /// From when on it is to be renewed, in seconds since the Unix epoch; `nil` if it can't be, or needn't.
  package let renewal: Int64?

  /// Makes a token.
  package init(_ value: consuming Secret, expiry: Int64? = nil, renewal: Int64? = nil) {
    self.value = value
    self.expiry = expiry
    self.renewal = renewal
  }
}

/// Where a session has its tokens from, and what it logs in with.
package protocol LoginCredentials: AnyObject {
  /// The token to use: one that ``keep(_:)`` was given, or for ``LoginMethod/token`` one that a person has provided.
  /// `nil` if there is none.
  ///
  /// - Throws: ``KeychainError`` if the place where it would be can't be read.
  func token() throws(KeychainError) -> HeldToken?

  /// For whom the token that this session uses was got, if the next session may be somebody else's, whose token is then
  /// in a file: a job, by its token, or a service account. `nil` otherwise.
  func passingSecret() -> Secret?

  /// Keeps a token for the next session, as well as that is possible.
  ///
  /// - Parameter former: the token that it is in place of; `nil` for one of a new login. Where another one is by now,
  ///   that stays.
  func keep(_ token: borrowing HeldToken, after former: borrowing Secret?)

  /// Forgets a token that was kept, unless another one is in its place by now.
  func forget(_ token: borrowing Secret)

  /// The account under which a person's own keychain would have what the method needs; `nil` if it has to be elsewhere.
  func account(for method: LoginMethod) -> ByteString?

  /// The account under which a person's own keychain has the token that a person has provided; `nil` if it came from
  /// elsewhere.
  var tokenAccount: ByteString? { get }

  /// The file or variable that would have what logs in, in words; `nil` if a person's own keychain would.
  var source: String? { get }

  /// What the method logs in with; `nil` if it isn't there.
  ///
  /// - Throws: ``KeychainError`` if the place where it would be can't be read.
  func secret(for method: LoginMethod) throws(KeychainError) -> Secret?
}

extension LoginCredentials {
  package func passingSecret() -> Secret? { nil }

  package var tokenAccount: ByteString? { nil }

  package var source: String? { nil }
}

/// What a session remembers of a server for the next one. Nothing of it is secret, and all of it can be lost.
package struct ServerMemory: Equatable, Sendable {
  /// Up to where the server's data had come, as it says it, after the last write.
  package var index: String?
  /// Whether the mount was seen to be of version 2.
  package var isVersion2 = false
  /// When the server last wouldn't scan a folder; `nil` if it does, or that isn't known.
  package var unscanned: Timestamp?
  /// When it was last asked in vain for an answer; `nil` if it has answered since.
  package var silent: Timestamp?

  /// Makes an empty memory.
  package init() {}
}

/// Where a session keeps its memory.
package protocol ServerMemoryStore: AnyObject {
  /// What was kept; an empty one if nothing was, or it can't be read.
  func memory() -> ServerMemory
  /// Keeps it, if that is possible.
  func keep(_ memory: ServerMemory)
}

/// Keeps note of whose tokens are used.
package protocol TokenHolderNoting: AnyObject {
  /// Whether the holder of a token was noted before.
  func knows(_ token: borrowing Secret) -> Bool
  /// Notes whose token it is.
  ///
  /// - Parameter holder: a text that no two holders have in common of whom one may do more than the other; `nil` if the
  ///   server doesn't say it.
  func note(_ holder: ByteString?, of token: borrowing Secret)
  /// Notes that what was noted or known last is also true of what its token was got for.
  func note(_ login: borrowing Secret)
}
