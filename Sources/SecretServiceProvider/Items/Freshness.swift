import Bytes
import Keychain
import SecretService

// A keychain of another machine says nothing when something changes there, or is no longer allowed. So what it has is
// looked up again before a call is answered by it, unless the last look is a second old at most. A program makes some
// five calls to log in, within milliseconds: one look serves all of them. Secrets never come from a look, so that what
// was forbidden just now is shown for a second, and its secret isn't given any more.

/// Calls that wait for the keychain, or for a person who has it.
struct HeldCalls {
  /// How long one waits, in milliseconds: clients give up after 25 s.
  static let patience = 20_000
  /// How many may wait.
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

extension Provider {
  /// After which time without use the keychain is closed, in milliseconds. An ssh that forwards it doesn't end while it
  /// is open, so that somebody who logs out would have to wait.
  private static let openTime = 1500

  /// Goes on with a call when what is known of the keychain is fresh enough for it, or it is known that it can't be
  /// used.
  func whenFresh(for call: MethodCall, _ body: @escaping () -> Void) {
    guard let freshness = settings.freshness, isAboutItems(call) else { return body() }
    let now = SystemClock.awake
    if let lastLook, now - lastLook < freshness { return body() }
    do throws(ServiceError) {
      let ticket = try heldCalls.add(call, now: now)
      whenLoaded.append { [self] in
        heldCalls.remove(ticket)
        if ticket.take() { body() }
      }
      if !isLoading { load() }
    } catch {
      call.refuse(error)
    }
  }

  /// Whether the answer to a call depends on which items there are.
  private func isAboutItems(_ call: MethodCall) -> Bool {
    if call.member == "Introspect" { return false }
    if call.path == ObjectPath.service {
      return ["SearchItems", "GetSecrets", "Unlock"].contains(call.member)
    }
    guard let parts = ObjectPath.parts(call.path), parts.count > 1,
      parts[0] == "collection" || parts[0] == "aliases", parts[1] != Self.sessionCollection.description
    else { return false }
    if parts.count == 2, call.member == "Get", let name = try? call.arguments("(ss)")[1] {
      return (try? text(name)) == "Items"
    }
    return true
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
