/// An expired item without its secret, for a caller that can renew it.
public struct Renewal: ~Copyable, Sendable {
  /// The item.
  public let item: Item
  /// When its secret expired, in seconds since the Unix epoch.
  public let expiry: Int64
  /// The token that gets a new secret. Never empty.
  public let refreshToken: Secret

  /// The same renewal, with the item as seen from outside.
  init(_ other: consuming Renewal, of item: Item) {
    self.item = item
    expiry = other.expiry
    refreshToken = other.refreshToken
  }

  /// Takes everything in `credential` but the secret; `nil` if it can't be renewed.
  init?(_ item: Item, _ credential: borrowing Credential) {
    guard credential.isRenewable, let expiry = credential.expiry,
      let refreshToken = credential.copyOfRefreshToken()
    else { return nil }
    self.item = item
    self.expiry = expiry
    self.refreshToken = refreshToken
  }
}

/// A keychain's result for a caller that can renew a secret.
public enum AnswerOrRenewal: ~Copyable, Sendable {
  /// An item answers.
  case answer(Answer)
  /// The item that would answer has expired and can be renewed.
  case renewal(Renewal)
}

/// The generic passwords that say how secrets are renewed, by the beginning of their services. Write access to one
/// decides where refresh tokens go.
package enum RenewalSetting: String, CaseIterable {
  case client = "oauth:"
  case app = "github-app:"
  /// An exchange of the token of a job.
  case exchange = "token-exchange:"

  package func service(of place: String) -> ByteString { ByteString(rawValue + place) }
}

/// A keychain shared by several machines, of which one at a time may renew a token: a service that rotates refresh
/// tokens ends a login for all if two of them send the same one.
package protocol RenewalLeasing: KeychainStore {
  /// Takes the right to renew an item.
  ///
  /// - Parameters:
  ///   - seconds: the longest time.
  ///   - isUrgent: whether to take it even while a service doesn't want to be asked: to end a login, for example.
  /// - Throws: ``KeychainError``, also if the item may not be changed: its next refresh token would be lost.
  func takeLease(of item: Item, for seconds: Int, isUrgent: Bool) throws(KeychainError) -> LeaseOutcome

  /// Whether a renewal by another machine may not have arrived here yet.
  var mayBeBehind: Bool { get }

  /// Gives the right back. If that fails, it ends by itself.
  ///
  /// - Parameter pause: for how many seconds no machine should ask the service with this token; 0 unless it said so.
  func endLease(of item: Item, pausing pause: Int)
}

package enum LeaseOutcome: Equatable, Sendable {
  /// It is taken, or there is nobody else.
  case taken
  /// Another machine has it, for so many seconds at most.
  case held(seconds: Int)
  /// The service told another machine that it doesn't want to be asked for so many seconds.
  case paused(seconds: Int)
}

/// A keychain on a server that many machines ask at the same time, each with rights to its own parts.
///
/// A token's renewal data is kept with the token. So a right to change something else doesn't decide where its refresh
/// token goes, and reading the token takes no further right.
package protocol RemoteKeychain: RenewalLeasing {
  /// The OAuth client of a login, as JSON; `nil` if none is kept, or without an account.
  ///
  /// - Throws: ``KeychainError`` if the server can't be asked.
  func client(for key: InternetPassword) throws(KeychainError) -> Secret?

  /// Keeps the OAuth client of a login with that login, which must exist.
  ///
  /// - Throws: ``KeychainError``, as updates do.
  func keep(client: borrowing Secret, for key: InternetPassword) throws(KeychainError)
}

extension RemoteKeychain {
  /// False: the server has the only state.
  package var mayBeBehind: Bool { false }
}

extension Item.Key {
  /// Whether the item says how secrets are renewed.
  package var isRenewalSetting: Bool {
    guard case .genericPassword(let key) = self else { return false }
    return RenewalSetting.allCases.contains { key.service.bytes.starts(with: $0.rawValue.utf8) }
  }
}

extension Item {
  /// The ``type`` of items whose secrets are made from something else in the keychain.
  package static let mintedType: ByteString = "llavero-minted"

  /// Whether its secret is made from something else in the keychain, not with a refresh token.
  package var isMinted: Bool { type == Self.mintedType }
}

extension Credential {
  /// Whether it has a token that gets a new secret.
  var isRenewable: Bool { refreshToken.lend { !$0.isEmpty } ?? false }

  borrowing func isRenewable(of item: Item) -> Bool { isRenewable || item.isMinted }
}

/// Gets new secrets in place of expired ones.
public protocol SecretRenewing: AnyObject {
  /// Gets a new secret for an item, and stores it before returning it.
  ///
  /// - Parameters:
  ///   - item: the item.
  ///   - credential: its contents when it was found, with a refresh token. If the keychain now holds another one
  ///     that is valid, that is returned.
  ///   - keychain: the item's keychain.
  ///   - now: the present time.
  /// - Throws: ``KeychainError`` if the keychain can't be read.
  func renew(
    _ item: Item, _ credential: borrowing Credential, in keychain: any KeychainStore, at now: Timestamp
  ) throws(KeychainError) -> RenewalOutcome

  /// Whether this is a former secret of an item, which it has renewed.
  func hasReplaced(_ secret: borrowing Secret, of item: Item) -> Bool
}

extension SecretRenewing {
  /// False.
  public func hasReplaced(_ secret: borrowing Secret, of item: Item) -> Bool { false }
}

/// The result of renewing a secret.
public enum RenewalOutcome: ~Copyable, Sendable {
  /// The item as it is now, with a valid secret.
  case renewed(Answer)
  /// There is no new secret now, and everything stays as it was.
  case failed
  /// There won't be one: the refresh token isn't valid any more, or the item is gone.
  case ended
}
