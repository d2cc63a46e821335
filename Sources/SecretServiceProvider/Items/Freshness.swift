import Bytes
import Keychain
import SecretService

// A keychain of another machine says nothing when something changes there, or is no longer allowed. So what it has is
// looked up again before a call is answered by it, unless the last look is a second old at most. A program makes some
// five calls to log in, within milliseconds: one look serves all of them. Secrets never come from a look, so that what
// was forbidden just now is shown for a second, and its secret isn't given any more.
//
// A file tells of its changes, but a moment after whoever made them knows. A tool that has just stored a login may start
// a program that asks for it. So a call is answered by the state that the file has when the call comes.

/// Calls that wait for the keychain, or for a person who has it.
struct HeldCalls {
  /// How long one waits, in milliseconds: clients give up after 25 s.
  static let patience = 20_000
  /// How many may wait for a person.
  private static let limit = 2000

  private struct Held {
    let call: MethodCall
    let end: Int
    let ticket: HeldCall
  }
  private var held: [Held] = []

  /// Holds a call until somebody takes it, it is overdue, or its caller has left the bus.
  ///
  /// - Throws: ``ServiceError/limitsExceeded(_:)``.
  mutating func add(_ call: MethodCall, now: Int) throws(ServiceError) -> HeldCall {
    if held.count >= Self.limit { throw .limitsExceeded("too many calls wait for the other machine") }
    let ticket = HeldCall()
    held.append(Held(call: call, end: now + Self.patience, ticket: ticket))
    return ticket
  }

  /// Refuses those that have waited long enough.
  mutating func refuseOverdue(now: Int) {
    for overdue in held where overdue.end <= now && overdue.ticket.take() {
      overdue.call.refuse(
        .timedOut("the other machine has not answered in time; a person may be asked there"))
    }
  }

  /// Forgets one that has been answered.
  mutating func remove(_ ticket: HeldCall) { held.removeAll { $0.ticket === ticket } }

  /// Forgets those of a connection that has left the bus.
  mutating func remove(of owner: String) {
    for one in held where one.call.sender == owner { one.ticket.leave() }
    held.removeAll { $0.call.sender == owner }
  }
}

/// Calls that wait for a look at the file, in the order in which they came.
struct CallsBeforeLook {
  /// How long a look may keep them waiting, in milliseconds. It waits itself while a change that the service makes
  /// waits for another program's lock.
  static let patience = 2000

  private struct Waiting {
    let owner: String
    let look: Int
    let body: () -> Void
  }
  private var waiting: [Waiting] = []
  private var counts: [String: Int] = [:]

  var isEmpty: Bool { waiting.isEmpty }

  /// Whether a call of that connection waits.
  func has(of owner: String) -> Bool { counts[owner] != nil }

  /// Puts something at the end.
  ///
  /// - Parameters:
  ///   - owner: the connection that it is done for.
  ///   - look: the number of the first look that is late enough for it.
  mutating func add(of owner: String, before look: Int, _ body: @escaping () -> Void) {
    waiting.append(Waiting(owner: owner, look: look, body: body))
    counts[owner, default: 0] += 1
  }

  /// Takes out what need not wait any longer.
  ///
  /// - Parameter look: the number of the look that has ended; `nil` for all.
  mutating func take(after look: Int?) -> [() -> Void] {
    let taken = look.map { look in waiting.prefix { $0.look <= look } } ?? waiting[...]
    waiting.removeFirst(taken.count)
    for one in taken { counts[one.owner] = counts[one.owner].flatMap { $0 > 1 ? $0 - 1 : nil } }
    return taken.map(\.body)
  }
}

extension Provider {
  /// After which time without use the keychain is closed, in milliseconds. An ssh that forwards it doesn't end while it
  /// is open, so that somebody who logs out would have to wait.
  private static let openTime = 1500

  /// Goes on with a call when what is known of the keychain is fresh enough for it, or it is known that it can't be
  /// used.
  func whenFresh(for call: MethodCall, _ body: @escaping () -> Void) {
    guard let freshness = settings.freshness else { return whenLooked(for: call, body) }
    guard isAboutItems(call) else { return body() }
    let now = SystemClock.awake
    let mayBeMissing = isSearchWithoutResult(call)
    if let lastLook, now - lastLook < freshness, !mayBeMissing { return body() }
    do throws(ServiceError) {
      let ticket = try heldCalls.add(call, now: now)
      let finish = { [self] in
        heldCalls.remove(ticket)
        if ticket.take() { body() }
      }
      if isLoading, mayBeMissing {
        // The present look may have been too early for what was stored before the call came.
        whenLoaded.append { [self] in
          whenLoaded.append(finish)
          if !isLoading { load() }
        }
      } else {
        whenLoaded.append(finish)
        if !isLoading { load() }
      }
    } catch {
      call.refuse(error)
    }
  }

  /// Whether a call searches for something that isn't known. Nothing is said to be missing by an earlier look.
  private func isSearchWithoutResult(_ call: MethodCall) -> Bool {
    guard call.member == "SearchItems", let sent = try? call.arguments("(a{ss})")[0],
      let wanted = try? attributes(sent)
    else { return false }
    return holdings.search(wanted, in: Holdings.loginCollection).isEmpty
  }

  /// Whether the answer to a call depends on which items there are.
  private func isAboutItems(_ call: MethodCall) -> Bool {
    if call.member == "Introspect" { return false }
    if call.path == ObjectPath.service {
      return ["SearchItems", "GetSecrets", "Unlock"].contains(call.member)
    }
    guard isInKeychain(call.path) else { return false }
    guard ObjectPath.parts(call.path)?.count == 2, call.member == "Get",
      let name = try? call.arguments("(ss)")[1]
    else { return true }
    return (try? text(name)) == "Items"
  }

  private func isInKeychain(_ path: String) -> Bool {
    guard let parts = ObjectPath.parts(path), parts.count > 1 else { return false }
    return ["collection", "aliases"].contains(parts[0]) && parts[1] != Self.sessionCollection.description
  }

  // MARK: A file

  /// Goes on with a call when what is known of the file is what is in it.
  private func whenLooked(for call: MethodCall, _ body: @escaping () -> Void) {
    // What is locked or broken is found out before. To lock must not wait for anything.
    guard case .unlocked = state, !["Lock", "LockService"].contains(call.member) else { return body() }
    // A program's calls are answered in their order.
    let isBehindOwn = callsBeforeLook.has(of: call.sender)
    if !isBehindOwn, !isAboutFile(call) || settings.presentState() == knownState { return body() }
    endStuckLook()
    if isLookStuck { return body() }
    callsBeforeLook.add(of: call.sender, before: looksBegun + 1, body)
    if !isLoading { load(unlessOwn: true) }
  }

  private func isAboutFile(_ call: MethodCall) -> Bool {
    if call.path == ObjectPath.service {
      return call.member != "OpenSession" && ![Interface.own, Interface.keyring].contains(call.interface)
    }
    return call.path == ObjectPath.portal || isInKeychain(call.path)
  }

  /// Answers the calls that have waited for the look that has just ended.
  func endLook() {
    let isPresent = settings.presentState() == knownState
    for body in callsBeforeLook.take(after: isPresent ? nil : looksBegun) { body() }
    if !callsBeforeLook.isEmpty, !isLoading { load(unlessOwn: true) }
  }

  /// Answers the calls that wait for a look by what was known before if it takes too long.
  func endStuckLook() {
    if isLookStuck { for body in callsBeforeLook.take(after: nil) { body() } }
  }

  private var isLookStuck: Bool {
    guard isLoading, let lookBegan else { return false }
    return SystemClock.awake - lookBegan > CallsBeforeLook.patience
  }

  /// Does what a connection's departure means, after what it has asked for.
  func afterCalls(of owner: String, _ body: @escaping () -> Void) {
    if !callsBeforeLook.has(of: owner) { return body() }
    callsBeforeLook.add(of: owner, before: looksBegun + 1, body)
  }

  /// Closes the keychain where nobody has used it for a while.
  func closeUnused() {
    if settings.freshness == nil { return }
    removeEndedPermissions()
    let needed = allowedOnce.values.compactMap(\.thread)
    for thread in readers.all + askers.all + [looker, writer] where !needed.contains(where: { $0 === thread })
    {
      thread.forget(unusedFor: Self.openTime)
    }
  }
}
