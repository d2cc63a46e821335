import Bytes
import Glibc
package import Keychain
import SignIn

/// Forgets tokens, and has the server forget them too.
package struct SigningOut {
  private let companion: NetworkCompanion?
  private let stateFolder: String

  package init(stateFolder: String) {
    companion = NetworkCompanion()
    self.stateFolder = stateFolder
  }

  package enum Outcome {
    /// The token is deleted here and, if the server offers that, there.
    case deleted(isRevoked: Bool)
    /// The item holds no token from signing in.
    case noToken
    /// Somebody has deleted it meanwhile.
    case isGone
    /// Another token has replaced it meanwhile, and is still kept.
    case isReplaced(isRevoked: Bool)
    /// The server didn't forget it, and it is still kept.
    case failed(message: String)
  }

  /// Forgets a token. A renewal under way comes first, so that the server forgets the last one.
  ///
  /// - Parameter revokes: whether the server is to forget it.
  package func perform(
    _ item: Item, revokes: Bool, in keychain: any KeychainStore
  ) throws(KeychainError) -> Outcome {
    // The refresh token and the client are beside the token.
    let (keychain, item) = try keychain.original(of: item)
    guard let place = SignedInPlace(item) else { return .noToken }
    let (begin, patience) = (SystemClock.awake, TokenRenewal.patience)
    let lock = try RenewalLock(named: place.lockName, in: stateFolder, patience: patience)
    defer { withExtendedLifetime(lock) {} }
    let leasing = revokes ? keychain as? any RenewalLeasing : nil
    var isTaken = false
    defer { if isTaken { leasing?.endLease(of: item, pausing: 0) } }
    do throws(KeychainError) {
      if let leasing {
        var pauses = LeasePauses()
        while case .held(let seconds) = try leasing.takeLease(
          of: item, for: TokenRenewal.leaseTime, isUrgent: true)
        {
          if TokenRenewal.isTooLong(SystemClock.awake - begin, leaving: seconds) {
            return .failed(message: "another machine is renewing it, and may do so for another \(seconds) s")
          }
          usleep(UInt32(pauses.next() * 1000))
        }
        isTaken = true
      }
      if revokes { try keychain.bringInStep() }
    } catch .unavailable(let reason) {
      return .failed(message: reason)
    }
    guard let present = try keychain.current(item), case .internetPassword(let key) = present.item.key else {
      return .isGone
    }
    guard present.credential.hasRefreshToken || present.item.itemDescription == SigningIn.tokenDescription
    else { return .noToken }
    var isRevoked = false
    if revokes {
      switch try revoke(present.credential, of: key, at: place, in: keychain) {
      case .done: isRevoked = true
      case .failed(let message, _, _): return .failed(message: message)
      default: break
      }
    }
    if try !delete(present, in: keychain) { return .isReplaced(isRevoked: isRevoked) }
    try forgetClients(at: place, in: keychain)
    return .deleted(isRevoked: isRevoked)
  }

  /// Deletes a token, unless somebody has signed in anew since it was read. Returns whether it is gone.
  private func delete(
    _ former: borrowing Answer, in keychain: any KeychainStore
  ) throws(KeychainError) -> Bool {
    let item = former.item
    let credential = former.credential.copy()
    return try keychain.exclusively { () throws(KeychainError) -> Bool in
      guard let present = try keychain.current(item) else { return true }
      guard present.credential.hasSameSecret(as: credential),
        present.credential.hasSameRefreshToken(as: credential)
      else { return false }
      try keychain.delete([present.item])
      return true
    }
  }

  private func revoke(
    _ credential: borrowing Credential, of key: InternetPassword, at place: SignedInPlace,
    in keychain: any KeychainStore
  ) throws(KeychainError) -> SignInOutcome {
    guard let companion, let client = try KeptClient.find(place.origin, for: key, in: keychain).orNone()
    else {
      return .unknownPlace
    }
    var work = SignInWork(.revoke, at: place.url)
    work.client = consume client
    work.refreshToken = credential.copyOfRefreshToken()
    work.accessToken = credential.secret.copy()
    return try companion.perform(work, in: keychain, within: NetworkCompanion.patience)
  }

  /// Forgets llavero's client there, once no token needs it.
  private func forgetClients(at place: SignedInPlace, in keychain: any KeychainStore) throws(KeychainError) {
    // A keychain on a server has deleted them with the token.
    if keychain is any RemoteKeychain { return }
    try keychain.exclusively { () throws(KeychainError) in
      for item in try keychain.items(matching: .all) where SignedInPlace(item)?.origin == place.origin {
        if try keychain.credentialIfPresent(of: item)?.hasRefreshToken ?? false { return }
      }
      // A token in a keychain that can't be used now may need it.
      if keychain.passedOver != nil { return }
      try KeptClient.forget(place.origin, in: keychain)
    }
  }
}
