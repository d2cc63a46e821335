import Bytes
import CredentialProtocols
package import Keychain
package import SignIn

/// Signs a person in, and keeps the tokens.
package struct SigningIn {
  private let companion: NetworkCompanion
  private let stateFolder: String

  /// `nil` if the network program isn't installed.
  package init?(stateFolder: String) {
    guard let companion = NetworkCompanion() else { return nil }
    self.companion = companion
    self.stateFolder = stateFolder
  }

  /// The description of items for tokens.
  package static let tokenDescription: ByteString = "OAuth token"

  package enum Outcome {
    /// The login is in the keychain.
    case stored(Item, expiry: Int64?, isRenewable: Bool)
    /// Somebody else has signed in meanwhile.
    case isThere
    /// No known way to sign in there.
    case unknownPlace
    case failed(message: String, hint: String?)
  }

  package struct Wish {
    /// The way, if the person has chosen one.
    package var way: SignInMethod.Way?
    /// From the command line.
    package var options = SignInMethod.Options()
    /// The `WWW-Authenticate` headers of the refusal, if there was one.
    package var headers: [String] = []
    /// Whether to sign in only where git's configuration, or the service itself, tells how.
    package var onlyIfConfigured = false
    package var mayUseTerminal = true
    /// The descriptor of the program that wants the login; once nobody reads it, nobody else waits for this sign-in.
    package var reader: Int32?

    package init() {}
  }

  /// Signs in. If many processes want the same, only one asks the person.
  ///
  /// - Parameters:
  ///   - key: the place of the token; without an account, the service's own is taken. Of git's request, a repository's
  ///     path and a name without meaning there don't count.
  ///   - keychain: its keychain for new items gets the token.
  ///   - isThere: returns whether there is a login by now; called when nobody else is signing in there.
  /// - Throws: ``KeychainError`` if the keychain can't be used; the person isn't asked then.
  package func perform(
    _ wish: Wish, for key: InternetPassword, in keychain: any KeychainStore,
    unless isThere: () throws(KeychainError) -> Bool = { false }
  ) throws(KeychainError) -> Outcome {
    guard let url = key.url(), let address = SignInPlace(url) else { return .unknownPlace }
    let origin = address.origin
    let begin = SystemClock.sinceBoot
    let lock = try RenewalLock(
      named: RenewalLock.name(of: origin), in: stateFolder,
      patience: NetworkCompanion.patienceWithPerson / 1000
    ) {
      StandardStreams.say("waiting for another process to sign in")
    }
    defer { withExtendedLifetime(lock) {} }
    if try isThere() { return .isThere }
    if wish.onlyIfConfigured, lock.hasFailed(since: begin) {
      // A no to one of many commands means all of them.
      return .failed(
        message: "signing in to \(origin) has just failed for another command", hint: "llavero login \(url)")
    }
    let proxies = keychain
    // The refresh token and the client are beside the token.
    let keychain = try keychain.keychainOfNewItems()
    let readiness = keychain.probe()
    if !readiness.canKeepSecrets, let reason = readiness.reason { throw reason }
    var work = SignInWork(.signIn, at: url)
    work.client = try KeptClient.find(origin, for: key, in: keychain).orNone()
    work.account = key.account
    work.way = wish.way
    work.options = wish.options
    work.headers = wish.headers
    work.onlyIfConfigured = wish.onlyIfConfigured
    work.mayUseTerminal = wish.mayUseTerminal
    let outcome = try companion.perform(
      work, in: proxies, within: NetworkCompanion.patienceWithPerson, for: wish.reader)
    switch consume outcome {
    case .tokens(let tokens):
      var key = key
      key.account = tokens.account ?? key.account
      // Git names a repository, but the token is for all of them.
      if wish.onlyIfConfigured { key.path = try Self.formerPath(of: key, in: keychain) ?? tokens.path }
      var item = Item(.internetPassword(key))
      item.itemDescription = Self.tokenDescription
      let credential = Credential(
        tokens.accessToken.copy(), expiry: tokens.expiry, refreshToken: tokens.copyOfRefreshToken())
      // The token is soon useless without its client.
      let client = tokens.client.copy()
      let (tokenItem, tokenKey) = (item, key)
      try keychain.exclusively { () throws(KeychainError) in
        try Self.keep(tokenItem, credential, in: keychain)
        try KeptClient.save(client, origin, for: tokenKey, in: keychain)
      }
      let kept = (try? keychain.current(item)?.item) ?? item
      return .stored(kept, expiry: tokens.expiry, isRenewable: credential.hasRefreshToken)
    case .failed(let message, let hint, _):
      lock.noteFailure()
      return .failed(message: message, hint: hint)
    default: return .unknownPlace
    }
  }

  /// The path of the token that answered for a place before, if it has one.
  private static func formerPath(
    of key: InternetPassword, in keychain: any KeychainStore
  ) throws(KeychainError) -> ByteString? {
    for item in try keychain.find(ItemQuery(for: .internetPassword(key)))
    where item.itemDescription == tokenDescription {
      guard case .internetPassword(let former) = item.key else { continue }
      return former.path
    }
    return nil
  }

  private static func keep(
    _ item: Item, _ credential: borrowing Credential, in keychain: any KeychainStore
  ) throws(KeychainError) {
    let credential = credential.copy()
    try keychain.exclusively { () throws(KeychainError) in
      if var former = try keychain.current(item)?.item, former.isMinted {
        // From now on a refresh token renews it.
        former.type = nil
        former.itemDescription = item.itemDescription
        try keychain.update(former, credential)
      } else {
        try keychain.save(item, credential)
      }
    }
  }

  /// How git's configuration, the service itself or an earlier sign-in would have git's request signed in; `nil` if
  /// none of them tells. Asks no server.
  ///
  /// - Parameter headers: the `WWW-Authenticate` headers of the refusal, if there was one.
  /// - Throws: ``KeychainError`` if the companion can't be run.
  package func description(
    for key: InternetPassword, headers: [String] = [], _ keychain: any KeychainStore
  ) throws(KeychainError) -> SignInDescription? {
    guard let url = key.url(), let address = SignInPlace(url) else { return nil }
    let keychain = try keychain.keychainOfNewItems()
    var work = SignInWork(.describe, at: url)
    work.client = try KeptClient.find(address.origin, for: key, in: keychain).orNone()
    work.account = key.account
    work.headers = headers
    work.onlyIfConfigured = true
    guard
      case .described(var description) = try companion.perform(
        work, in: keychain, within: NetworkCompanion.patience)
    else { return nil }
    var kept = key
    kept.account = description.account
    description.path = try Self.formerPath(of: kept, in: keychain) ?? description.path
    return description
  }
}
