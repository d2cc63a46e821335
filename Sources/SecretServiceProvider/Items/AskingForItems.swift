import Bytes
import Keychain
import SecretService

// What a rule of another machine allows is in the list of its items. What a person has to allow there isn't: it has to
// be asked for, as llavero's own commands do it. So a search that finds nothing in the list asks.

/// What a person has allowed for a short time.
struct AllowedOnce {
  /// The thread whose connection has it; `nil` if every one may try.
  let thread: KeychainThread?
  /// When that ends, in milliseconds.
  let end: Int

  /// How long what was asked for is shown, in milliseconds. A program gets the secret right away; meanwhile the
  /// connection for which it was allowed stays open, and ssh with it.
  static let timeAsked = 10_000
  /// How long what was stored is shown, in milliseconds: as long as the other machine remembers what was allowed once.
  static let timeStored = 60_000
}

extension Provider {
  /// Asks for what a search doesn't find in the list, if its attributes describe a login.
  ///
  /// - Parameter finish: answers the call when that is there, or isn't.
  /// - Returns: false if there is nothing to ask, and the call isn't answered.
  func asks(
    for wanted: LookupAttributes, in collection: ByteString?, _ call: MethodCall,
    then finish: @escaping () throws(ServiceError) -> Void
  ) throws(ServiceError) -> Bool {
    guard collection == nil || collection == Holdings.loginCollection, case .unlocked = state,
      !isLocked(Holdings.loginCollection), holdings.search(wanted, in: collection).isEmpty,
      let query = settings.question(wanted)
    else { return false }
    let ticket = try heldCalls.add(call, now: SystemClock.awake)
    let ending = Ending<Void> {
      do throws(ServiceError) { try finish() } catch { call.refuse(error) }
    } refuse: {
      call.refuse($0)
    }
    let thread = askers.next
    let whileWanted = settings.whileWanted
    thread.run { (keychain) throws(KeychainError) -> [Item] in
      // Nobody is asked for a program that has given up.
      if ticket.isOver { return [] }
      whileWanted(keychain) { ticket.hasCaller }
      defer { whileWanted(keychain) { true } }
      return try keychain.items(matching: query)
    } then: { [self, thread] result in
      heldCalls.remove(ticket)
      switch result {
      case .success(let items):
        // The call may be overdue by now. If the program comes again, it is answered by what was allowed.
        for item in items { allowOnce(took(item), by: thread, for: AllowedOnce.timeAsked) }
        if ticket.take() { ending.finish(()) }
      case .failure(let error):
        // With the connection goes the question.
        if !ticket.hasCaller { thread.forget() }
        if ticket.take() { ending.refuse(ServiceError(unusable: error, explain: settings.explain)) }
      }
    }
    return true
  }

  /// Shows an item for a short time, although the list may not have it.
  func allowOnce(_ path: String, by thread: KeychainThread?, for time: Int) {
    allowedOnce[path] = AllowedOnce(thread: thread, end: SystemClock.awake + time)
  }

  /// Forgets what is shown for a short time where the list has it.
  func forgetListed(_ items: [Item]) {
    if allowedOnce.isEmpty { return }
    for item in items {
      if let served = ServedItem(item, standard: Holdings.loginCollection) { allowedOnce[served.path] = nil }
    }
  }

  /// The paths of what is there although the list may not have it.
  func unlistedPaths() -> Set<String> {
    removeEndedPermissions()
    return Set(allowedOnce.keys)
  }

  /// Forgets what is no longer allowed.
  func removeEndedPermissions() {
    if allowedOnce.isEmpty { return }
    let now = SystemClock.awake
    allowedOnce = allowedOnce.filter { now < $0.value.end }
  }
}
