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
  /// How many may wait that are refused in the end.
  private static let limit = 2000

  private struct Held {
    let call: MethodCall
    let end: Int
    let ticket: HeldCall
    let endWaiting: (() -> Void)?
  }
  private var held: [Held] = []

  /// Holds a call until somebody takes it, it is overdue, or its caller has left the bus.
  ///
  /// - Parameter endWaiting: what is done with it when it is overdue; otherwise it is refused.
  /// - Throws: ``ServiceError/limitsExceeded(_:)``.
  mutating func add(
    _ call: MethodCall, now: Int, endWaiting: (() -> Void)? = nil
  ) throws(ServiceError) -> HeldCall {
    if endWaiting == nil, held.count >= Self.limit {
      throw .limitsExceeded("too many calls wait for the other machine")
    }
    let ticket = HeldCall()
    held.append(Held(call: call, end: now + Self.patience, ticket: ticket, endWaiting: endWaiting))
    return ticket
  }

  /// Takes those that have waited long enough.
  ///
  /// - Returns: what is to be done with each.
  func takeOverdue(now: Int) -> [() -> Void] {
    held.filter { $0.end <= now && $0.ticket.take() }.map { one in
      one.endWaiting ?? {
        one.call.refuse(
          .timedOut("the other machine has not answered in time; a person may be asked there"))
      }
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
    if isFresh(for: call) { return body() }
    let now = SystemClock.awake
    do throws(ServiceError) {
      // A file may have to wait for another program's lock. Then what is known of it has to do.
      let ticket = try heldCalls.add(call, now: now, endWaiting: settings.freshness == nil ? body : nil)
      let finish = { [self] in
        heldCalls.remove(ticket)
        if ticket.take() { body() }
      }
      if isLoading, settings.freshness == nil {
        // The present look may have been too early. The next one isn't, so whoever changes the keychain again and again
        // holds no call for ever.
        whenLoaded.append { [self] in
          if isFresh(for: call) { return finish() }
          whenLoaded.append(finish)
          if !isLoading { load(unlessOwn: true) }
        }
      } else {
        whenLoaded.append(finish)
        if !isLoading { load(unlessOwn: true) }
      }
    } catch {
      call.refuse(error)
    }
  }

  private func isFresh(for call: MethodCall) -> Bool {
    if let freshness = settings.freshness {
      guard isAboutItems(call) else { return true }
      return lastLook.map { SystemClock.awake - $0 < freshness } ?? false
    }
    // What is locked or broken is found out before, and sessions and prompts are no part of the keychain.
    guard case .unlocked = state, call.member != "OpenSession" else { return true }
    switch ObjectPath.parts(call.path)?.first {
    case "session", "prompt": return true
    default: return settings.presentState() == knownState
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
