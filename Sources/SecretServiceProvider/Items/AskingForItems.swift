import Bytes
import Keychain
import SecretService

// On another machine, items that its rules allow are in the list of items. Items that a person there must allow are
// not: they must be asked for, as llavero's own commands do. So a search that finds nothing in the list asks.

/// A short permission by a person.
struct AllowedOnce {
  /// The thread whose connection has the permission; `nil` if every thread may try.
  let thread: KeychainThread?
  /// Its end, in milliseconds.
  let end: Int

  /// How long a requested item is shown, in milliseconds. The program reads the secret right away; meanwhile the
  /// permitted connection stays open, and ssh with it.
  static let timeAsked = 10_000
  /// How long a stored item is shown, in milliseconds: as long as the other machine remembers a single permission.
  static let timeStored = 60_000
}

extension Provider {
  /// Answers a search by asking for an item that isn't in the list, if the attributes describe a login.
  ///
  /// - Parameter finish: answers the call, whether or not the item was found.
  /// - Returns: false if there is nothing to ask; the call isn't answered then.
  func answerByAsking(
    for wanted: LookupAttributes, in collection: ByteString?, _ call: MethodCall,
    then finish: @escaping () throws(ServiceError) -> Void
  ) throws(ServiceError) -> Bool {
    guard collection == nil || collection == CollectionName.login, case .unlocked = state,
      !isLocked(CollectionName.login), holdings.search(wanted, in: collection).isEmpty,
      let query = settings.question(wanted)
    else { return false }
    let ticket = try heldCalls.add(call, now: SystemClock.awake)
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
        // The call may be overdue by now. If the program asks again, the permission answers it.
        for item in items { allowOnce(took(item), by: thread, for: AllowedOnce.timeAsked) }
        if ticket.take() { call.answering(finish) }
      case .failure(let error):
        // Closing the connection withdraws the question.
        if !ticket.hasCaller { thread.forget() }
        if ticket.take() { call.refuse(ServiceError(unusable: error)) }
      }
    }
    return true
  }

  /// Shows an item for a short time, even if it isn't in the list.
  func allowOnce(_ path: String, by thread: KeychainThread?, for time: Int) {
    allowedOnce[path] = AllowedOnce(thread: thread, end: SystemClock.awake + time)
  }

  /// Forgets the short permissions for items that are in the list.
  func forgetListed(_ items: [Item]) {
    if allowedOnce.isEmpty { return }
    for item in items {
      if let served = ServedItem(item, standard: CollectionName.login) { allowedOnce[served.path] = nil }
    }
  }

  /// The paths of items that may be missing from the list.
  func unlistedPaths() -> Set<String> {
    removeEndedPermissions()
    return Set(allowedOnce.keys)
  }

  func removeEndedPermissions() {
    if allowedOnce.isEmpty { return }
    let now = SystemClock.awake
    allowedOnce = allowedOnce.filter { now < $0.value.end }
  }
}
