import Bytes
import CredentialProtocols
import Glibc
package import Keychain
import OpenBao
import PrivateFiles
import SignIn

/// Renews tokens with their refresh tokens. If many processes need the same one, only one asks the server.
package final class TokenRenewal: SecretRenewing {
  private let stateFolder: String
  private let companion: () -> NetworkCompanion?
  /// Whether it has said why a token was not renewed, so that nobody repeats it.
  package private(set) var hasExplained = false
  /// How many renewals have come to nothing because something that they need can't be used: the server doesn't answer, or
  /// the token of a job is missing. Those of ended logins aren't among them.
  package private(set) var failures = 0
  /// Whether the last token was another program's, which may renew it: that is no failure.
  private var isLeftToOthers = false

  /// - Parameters:
  ///   - stateFolder: the folder of the locks.
  ///   - companion: finds the network program; called only when that is needed.
  package init(
    stateFolder: String, companion: @escaping () -> NetworkCompanion? = { NetworkCompanion() }
  ) {
    self.stateFolder = stateFolder
    self.companion = companion
  }

  /// For how long a request goes on after Ctrl-C, in milliseconds.
  private static let grace = 10_000

  /// How long one of several machines holds the lease of a token, in seconds. It is the same on all of them, whatever
  /// their settings.
  static let leaseTime = 90
  /// The longest time for the service's answer under a lease, in milliseconds.
  private static let requestTime = 45_000
  /// What must be left of the lease then, to store the new token and send it, in milliseconds.
  private static let sendingTime = 15_000
  /// The longest time to ask for the lease, in seconds.
  private static let lateness = 30

  /// Whether to stop waiting for another machine's lease. It was seen a little after the wait began, and so ends a
  /// little later: without that allowance, an abandoned lease would defeat every process that waits only as long as it
  /// lasts.
  ///
  /// - Parameters:
  ///   - waited: the wait so far, in milliseconds.
  ///   - seconds: how long the lease still lasts.
  static func isTooLong(_ waited: Int, leaving seconds: Int) -> Bool {
    waited > leaseTime * 1000 && (seconds > lateness || waited > 2 * leaseTime * 1000)
  }

  /// How long to wait for another process, in seconds: longer than it may take.
  static var patience: Int { NetworkCompanion.patience / 1000 + 30 }

  package func renew(
    _ item: Item, _ credential: borrowing Credential, in keychain: any KeychainStore, at now: Timestamp
  ) throws(KeychainError) -> RenewalOutcome {
    guard let place = SignedInPlace(item, credential.authenticationScheme), let companion = companion() else {
      return .failed
    }
    isLeftToOthers = false
    do throws(KeychainError) {
      switch try renew(item, credential, at: place, by: companion, in: keychain) {
      case .renewed(let answer): return .renewed(answer)
      case .ended: return .ended
      case .failed: break
      }
      if !isLeftToOthers { failures += 1 }
      return .failed
    } catch .promptDismissed {
      // A signal has ended it, which ends this program too.
      throw .promptDismissed
    } catch {
      // A token that is valid for another minute can still be used.
      say(place, error.message)
      failures += 1
      return .failed
    }
  }

  private func renew(
    _ item: Item, _ credential: borrowing Credential, at place: SignedInPlace, by companion: NetworkCompanion,
    in keychain: any KeychainStore
  ) throws(KeychainError) -> RenewalOutcome {
    let begin = SystemClock.sinceBoot
    let lock = try RenewalLock(named: place.lockName, in: stateFolder, patience: Self.patience)
    // If a server rotates refresh tokens, sending one for the second time ends the login for everybody.
    try keychain.bringInStep()
    // Only the keychain knows what others have done meanwhile.
    guard let present = try keychain.current(item) else { return .ended }
    if !present.credential.isExpired(at: .now), !present.credential.hasSameSecret(as: credential) {
      return .renewed(present)
    }
    guard present.item.isMinted || present.credential.hasRefreshToken else { return .ended }
    if lock.hasFailed(since: begin) { return .failed }
    let wait = lock.wait(with: present.credential.secret)
    if wait > 0 {
      sayThatItWaits(place, wait)
      return .failed
    }
    // For how long the server wants no more requests, in seconds.
    var pause = 0
    if let obstacle = keychain.probe().reason {
      // The server's answer would be lost, and with it the only valid token.
      say(place, obstacle.message)
      return .failed
    }
    if !present.credential.hasRefreshToken, keychain is any RemoteKeychain {
      say(
        place, "a keychain on a server renews no tokens from an exchange or an app",
        hint: "keep it in a keychain of your own; see \(command: "llavero", "add", "--help")")
      return .ended
    }
    // A token made anew from something else can be made twice.
    guard present.credential.hasRefreshToken, let leasing = keychain as? any RenewalLeasing else {
      return try renew(present, at: place, by: companion, in: keychain, lock, pausing: &pause)
    }
    if lock.hasRefused(present.credential.refreshToken) {
      sayThatItIsRefused(place)
      return .ended
    }
    var end = 0
    if let other = try waitForLease(of: present, at: place, in: leasing, until: &end) { return other }
    defer { leasing.endLease(of: present.item, pausing: pause) }
    // Another machine may have renewed it before that, and its refresh token may be used up.
    try keychain.bringInStep()
    guard let latest = try keychain.current(present.item), latest.credential.hasRefreshToken else {
      return .ended
    }
    if !latest.credential.isExpired(at: .now), !latest.credential.hasSameSecret(as: present.credential) {
      return .renewed(latest)
    }
    return try renew(latest, at: place, by: companion, in: keychain, lock, pausing: &pause, before: end)
  }

  /// Asks the server, in the process with the right to renew the token.
  ///
  /// - Parameters:
  ///   - pause: is set to how long the server wants no more requests, in seconds.
  ///   - end: the end of the lease, by ``SystemClock/sinceBoot``, in milliseconds; `nil` without a lease.
  private func renew(
    _ present: borrowing Answer, at place: SignedInPlace, by companion: NetworkCompanion,
    in keychain: any KeychainStore, _ lock: borrowing RenewalLock, pausing pause: inout Int,
    before end: Int? = nil
  ) throws(KeychainError) -> RenewalOutcome {
    guard let work = try work(for: present, at: place, in: keychain) else { return .failed }
    let patience = end == nil ? NetworkCompanion.patience : Self.requestTime
    if let end, SystemClock.sinceBoot + patience + Self.sendingTime > end {
      // For example, the machine was asleep.
      say(place, "that was interrupted for too long")
      return .failed
    }
    // If this process ended now, a server that rotates refresh tokens would have nobody to give the next one to.
    let signals = HeldSignals()
    defer { withExtendedLifetime(signals) {} }
    switch try companion.perform(work, in: keychain, within: patience, grace: Self.grace) {
    case .tokens(let tokens):
      let credential = Credential(
        tokens.accessToken.copy(), expiry: tokens.expiry,
        refreshToken: tokens.copyOfRefreshToken() ?? present.credential.copyOfRefreshToken(),
        authenticationScheme: present.credential.authenticationScheme)
      // Before it is replaced, so that nobody can store it in between.
      lock.noteReplaced(present.credential.secret)
      return try kept(credential, at: place, in: keychain, insteadOf: present, trying: end ?? 0)
    case .minted(let minted):
      return try kept(
        Credential(minted.token.copy(), expiry: minted.expiry), at: place, in: keychain, insteadOf: present)
    case .refreshRefused:
      if let newer = try renewedElsewhere(present, in: keychain) { return .renewed(newer) }
      if (keychain as? any RenewalLeasing)?.mayBeBehind ?? false {
        // Another machine may have the valid one, and not have sent it yet.
        lock.noteRefused(present.credential.refreshToken)
      } else {
        try forgetRefreshToken(of: present, in: keychain)
      }
      sayThatItIsRefused(place)
      return .ended
    case .failed(let message, let hint, let seconds):
      pause = seconds
      lock.noteFailure(with: present.credential.secret, pausing: seconds)
      say(place, message)
      if let hint { StandardStreams.say("hint: \(hint)") }
    default:
      lock.noteFailure()
      // Another program may have stored it, and may renew it too.
      guard present.item.itemDescription == SigningIn.tokenDescription else {
        isLeftToOthers = true
        return .failed
      }
      say(
        place, "neither the keychain nor git's configuration says how any more",
        hint: "\(command: "llavero", "login", place.url)")
    }
    return .failed
  }

  /// Waits until this machine has the lease of an item. Returns the outcome if another one has renewed it meanwhile,
  /// or holds the lease for too long.
  ///
  /// - Parameter end: is set to the end of the lease, by ``SystemClock/sinceBoot``, in milliseconds.
  private func waitForLease(
    of present: borrowing Answer, at place: SignedInPlace, in keychain: any RenewalLeasing,
    until end: inout Int
  ) throws(KeychainError) -> RenewalOutcome? {
    let begin = SystemClock.awake
    var isSaid = false
    var pauses = LeasePauses()
    while true {
      let seconds: Int
      // Others may see the lease before this process does.
      end = SystemClock.sinceBoot + Self.leaseTime * 1000
      switch try keychain.takeLease(of: present.item, for: Self.leaseTime, isUrgent: false) {
      case .taken: return nil
      case .held(let left): seconds = left
      case .paused(let wait):
        sayThatItWaits(place, wait)
        return .failed
      }
      // The token is renewed ahead of its end.
      if !present.credential.isExpired(at: .now) { return .failed }
      if let newer = try renewedElsewhere(present, in: keychain) { return .renewed(newer) }
      let waited = SystemClock.awake - begin
      if Self.isTooLong(waited, leaving: seconds) {
        say(place, "another machine is renewing it, and may do so for another \(seconds) s")
        return .failed
      }
      if waited > Self.silence, !isSaid {
        StandardStreams.say("waiting for another machine, which is renewing the token for \(place.url)")
        isSaid = true
      }
      usleep(UInt32(pauses.next() * 1000))
    }
  }

  /// After how long a message says that another machine is waited for, in milliseconds.
  private static let silence = 2000

  /// The token that somebody sharing the keychain has renewed on another machine at the same time; `nil` if nobody
  /// has.
  private func renewedElsewhere(
    _ used: borrowing Answer, in keychain: any KeychainStore
  ) throws(KeychainError) -> Answer? {
    try keychain.bringInStep()
    guard let present = try keychain.current(used.item), !present.credential.isExpired(at: .now),
      !present.credential.hasSameSecret(as: used.credential)
        || !present.credential.hasSameRefreshToken(as: used.credential)
    else { return nil }
    return present
  }

  package func hasReplaced(_ secret: borrowing Secret, of item: Item) -> Bool {
    guard let place = SignedInPlace(item) else { return false }
    return RenewalLock.hasReplaced(secret, named: place.lockName, in: stateFolder)
  }

  private func sayThatItIsRefused(_ place: SignedInPlace) {
    say(place, "its refresh token isn't valid any more", hint: "\(command: "llavero", "login", place.url)")
  }

  private func sayThatItWaits(_ place: SignedInPlace, _ seconds: Int) {
    say(place, "the server doesn't want to be asked for another \(seconds) s")
  }

  private func say(_ place: SignedInPlace, _ reason: String, hint: TextForTerminal? = nil) {
    hasExplained = true
    StandardStreams.say("the token for \(place.url) was not renewed: \(reason)")
    if let hint { StandardStreams.say("hint: \(hint)") }
  }

  /// The companion's work; `nil` if that isn't known, which has been reported.
  private func work(
    for present: borrowing Answer, at place: SignedInPlace, in keychain: any KeychainStore
  ) throws(KeychainError) -> SignInWork? {
    if !present.credential.hasRefreshToken { return try mintingWork(at: place, in: keychain) }
    var work = SignInWork(.renew, at: place.url)
    guard case .internetPassword(let key) = present.item.key else { return nil }
    switch try KeptClient.find(place.origin, for: key, in: keychain) {
    case .client(let client): work.client = consume client
    // Another program has signed in.
    case .none: break
    case .unreadable:
      let kept: ByteString =
        keychain is any RemoteKeychain
        ? ByteString("oauth_client in its record")
        : ByteString("the item \(RenewalSetting.client.service(of: place.origin))")
      say(
        place, "\(kept) can't be read",
        hint: "\(command: "llavero", "login", place.url)")
      return nil
    }
    work.refreshToken = present.credential.copyOfRefreshToken()
    work.account = present.item.key.account
    return work
  }

  private func mintingWork(at place: SignedInPlace, in keychain: any KeychainStore) throws(KeychainError)
    -> SignInWork?
  {
    switch try KeptMinting.find(place.url, in: keychain) {
    case .app(let app):
      var work = SignInWork(.install, at: place.url)
      work.app = consume app
      return work
    case .exchange(let exchange):
      if try !ApprovedExchanges(in: stateFolder).contains(exchange, for: place.url) {
        let command: Hint = "\(commandOf: exchange.commandToAdd(for: place.url))"
        say(
          place,
          """
          nobody has set up on this machine that what is in \(exchange.source.text) goes to \
          \(exchange.tokenEndpoint.text)
          """, hint: "only if you want that, type \(command)")
        return nil
      }
      switch SubjectToken.read(exchange.source) {
      case .missing(let reason):
        say(place, reason, hint: exchange.source.hintIfMissing)
        return nil
      case .token(let token):
        var work = SignInWork(.exchange, at: place.url)
        work.exchange = consume exchange
        work.subjectToken = consume token
        return work
      }
    case .none:
      say(
        place, "the keychain has nothing any more that gets it",
        hint: "see \(command: "llavero", "add", "--help")")
      return nil
    }
  }

  /// Stores a new token before anybody gets it. If that fails, the token still serves the present request, because the
  /// server has given it.
  ///
  /// - Parameter end: when to stop trying, by ``SystemClock/sinceBoot``, in milliseconds.
  private func kept(
    _ new: borrowing Credential, at place: SignedInPlace, in keychain: any KeychainStore,
    insteadOf used: borrowing Answer, trying end: Int = 0
  ) throws(KeychainError) -> RenewalOutcome {
    do throws(KeychainError) {
      let outcome = try keep(new, in: keychain, insteadOf: used, trying: end)
      do throws(KeychainError) {
        try keychain.bringInStep()
      } catch {
        StandardStreams.say(
          """
          the token for \(place.url) was renewed, and those who share the keychain can't get it yet: \
          \(error.message)
          """)
      }
      return outcome
    } catch {
      say(
        place, "the new token can't be kept: \(error.message)",
        hint: "\(command: "llavero", "login", place.url)")
      return .renewed(Answer(item: used.item, credential: new.copy()))
    }
  }

  /// Stores a new token, with every effort if others share the keychain: otherwise the next refresh token is lost.
  private func keep(
    _ new: borrowing Credential, in keychain: any KeychainStore, insteadOf used: borrowing Answer,
    trying end: Int
  ) throws(KeychainError) -> RenewalOutcome {
    let new = new.copy()
    let former = used.item
    let usedCredential = used.credential.copy()
    func attempt() throws(KeychainError) -> Item? {
      try keychain.exclusively { () throws(KeychainError) -> Item? in
        guard let present = try keychain.current(former) else { return nil }
        // Somebody who signed in meanwhile has a newer one.
        let isUsed =
          present.credential.hasSameRefreshToken(as: usedCredential)
          || !present.credential.hasRefreshToken && present.credential.hasSameSecret(as: usedCredential)
        guard isUsed else { return present.item }
        return try keychain.update(present.item, new)
      }
    }
    var stored: Item?
    while true {
      do throws(KeychainError) {
        stored = try attempt()
        break
      } catch {
        guard let fault = error.ofOpenBao else { throw error }
        if case .forbidden = fault { throw error }
        guard SystemClock.sinceBoot < end else { throw error }
        sleep(1)
      }
    }
    guard let stored else { return .ended }
    let item = keychain.committed(stored)
    let answer: Answer?
    do throws(KeychainError) {
      answer = try keychain.current(item)
    } catch {
      // The token is stored.
      return .renewed(Answer(item: item, credential: new.copy()))
    }
    guard let answer else { return .ended }
    // A token that is valid only for a moment is valid.
    if answer.credential.isExpired(at: .now), !answer.credential.hasSameSecret(as: new) { return .ended }
    return .renewed(answer)
  }

  /// Forgets a refresh token that the server has refused, unless another has replaced it. The item stays.
  private func forgetRefreshToken(
    of used: borrowing Answer, in keychain: any KeychainStore
  ) throws(KeychainError) {
    let former = used.item
    let usedCredential = used.credential.copy()
    try keychain.exclusively { () throws(KeychainError) in
      guard let present = try keychain.current(former),
        present.credential.hasSameRefreshToken(as: usedCredential)
      else { return }
      var without = present.credential.copy()
      without.refreshToken = nil
      try keychain.update(present.item, without)
    }
  }
}
