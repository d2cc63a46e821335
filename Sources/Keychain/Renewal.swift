/// What an expired item provides to a caller that can renew its secret: everything but the secret.
public struct Renewal: ~Copyable, Sendable {
  /// The item.
  public let item: Item
  /// When its secret expired, in seconds since the Unix epoch.
  public let expiry: Int64
  /// The token for which a new secret can be obtained. Never empty.
  public let refreshToken: Secret

  /// The same renewal, of the item as it is seen from outside.
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

/// The generic passwords that say how secrets are renewed, by what their services begin with. Whoever can change one
/// decides where refresh tokens go.
package enum RenewalSetting: String, CaseIterable {
  /// The client with which somebody signed in.
  case client = "oauth:"
  /// An app of GitHub.
  case app = "github-app:"
  /// An exchange of the token of a job.
  case exchange = "token-exchange:"

  /// The service of the item for a place.
  package func service(of place: String) -> ByteString { ByteString(rawValue + place) }
}

/// A keychain that several machines share, of which one at a time may renew a token: a service that rotates refresh
/// tokens ends a login for all if two of them send the same one.
package protocol RenewalLeasing: KeychainStore {
  /// Takes the right to renew an item.
  ///
  /// - Parameters:
  ///   - seconds: for how long, at most.
  ///   - isUrgent: whether it is taken although a service doesn't want to be asked: to end a login, for example.
  /// - Throws: ``KeychainError``, also if the item may not be changed: its next refresh token would be lost.
  func takeLease(of item: Item, for seconds: Int, isUrgent: Bool) throws(KeychainError) -> LeaseOutcome

  /// Whether another machine may have renewed something that has not come here yet.
  var mayBeBehind: Bool { get }

  /// Gives the right back. Where that fails, it ends by itself.
  ///
  /// - Parameter pause: for how many seconds the service doesn't want to be asked with this token, by any machine; 0 if
  ///   it hasn't said so.
  func endLease(of item: Item, pausing pause: Int)
}

/// What came of taking a lease.
package enum LeaseOutcome: Equatable, Sendable {
  /// It is taken, or there is nobody else.
  case taken
  /// Another machine has it, for so many seconds at most.
  case held(seconds: Int)
  /// The service doesn't want to be asked for so many seconds, as another machine was told.
  case paused(seconds: Int)
}

/// A keychain on a server, which many machines ask at the same time, and of which each may read and change a part
/// alone.
///
/// What renews a token is kept with the token itself. Whoever may change something else there has no say in where its
/// refresh token goes, and whoever may read the token needs no further right.
package protocol RemoteKeychain: RenewalLeasing {
  var renewer: (any SecretRenewing)? { get set }

  /// The OAuth client that got a login, as JSON; `nil` if none is kept, or without an account.
  ///
  /// - Throws: ``KeychainError`` if the server can't be asked.
  func client(for key: InternetPassword) throws(KeychainError) -> Secret?

  /// Keeps the OAuth client that got a login with that login, which is there.
  ///
  /// - Throws: ``KeychainError``, as updates do.
  func keep(client: borrowing Secret, for key: InternetPassword) throws(KeychainError)
}

extension RemoteKeychain {
  /// False: what is there is what the server has.
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
  /// The ``type`` of items whose secrets are made anew from something else in the keychain.
  package static let mintedType: ByteString = "llavero-minted"

  /// Whether its secret is made anew from something else in the keychain, and not with a refresh token.
  package var isMinted: Bool { type == Self.mintedType }
}

extension Credential {
  /// Whether it has a token for which a new secret can be obtained.
  var isRenewable: Bool {
    switch refreshToken {
    case .none: false
    case .some(let token): !token.isEmpty
    }
  }

  /// Whether a new secret for this item can be obtained.
  borrowing func isRenewable(of item: Item) -> Bool { isRenewable || item.isMinted }
}

/// Gets new secrets in place of those that have expired.
public protocol SecretRenewing: AnyObject {
  /// Gets a new secret for an item, and stores it before returning it.
  ///
  /// - Parameters:
  ///   - item: the item.
  ///   - credential: what it holds, as it was found. It has a refresh token. If the keychain holds another one by now
  ///     that is valid, that is returned.
  ///   - keychain: where the item is.
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

/// What came of renewing a secret.
public enum RenewalOutcome: ~Copyable, Sendable {
  /// The item as it is now, with a valid secret.
  case renewed(Answer)
  /// There is no new secret now, and everything stays as it was.
  case failed
  /// There won't be one: the refresh token isn't valid any more, or the item is gone.
  case ended
}
