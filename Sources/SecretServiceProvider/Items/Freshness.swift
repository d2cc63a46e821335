import Bytes
import Keychain
import SecretService

// Another machine's keychain doesn't report changes or withdrawn permissions. So the items are looked up again before a
// call is answered, unless the last look is at most a second old. A login takes a program some five calls within
// milliseconds, and one look serves them all. Secrets never come from a look: an item forbidden just now is shown for
// up to a second, but its secret is no longer given.
//
// A file reports its changes, but a moment after their author knows of them. A tool that has just stored a login may
// start a program that asks for it. So a call is answered by the file's state at the time of the call.

extension Provider {
  /// How long the keychain stays open without use, in milliseconds. While it is open, the ssh that forwards it doesn't
  /// end, and keeps a person who logs out waiting.
  private static let openTime = 1500

  /// Continues with a call once the known state is fresh enough for it, or the keychain turns out to be unusable.
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
      let look = { [self] in
        whenLoaded.append(finish)
        if !isLoading { load() }
      }
      // The present look may have begun before an item was stored that this call needs.
      if isLoading, mayBeMissing { whenLoaded.append(look) } else { look() }
    } catch {
      call.refuse(error)
    }
  }

  /// Whether a call searches for an unknown item. An earlier look is no reason to report one as missing.
  private func isSearchWithoutResult(_ call: MethodCall) -> Bool {
    guard call.need == .search, let sent = try? call.arguments()[0], let wanted = try? attributes(sent)
    else { return false }
    return holdings.search(wanted, in: CollectionName.login).isEmpty
  }

  /// Whether the answer to a call depends on which items there are.
  private func isAboutItems(_ call: MethodCall) -> Bool {
    if call.need < .object { return false }
    if call.path == ObjectPath.service { return call.need >= .items }
    guard isInKeychain(call.path) else { return false }
    guard ObjectPath.parts(call.path)?.count == 2, call.need == .property, let sent = try? call.arguments()
    else { return true }
    return sent[1].text == "Items"
  }

  private func isInKeychain(_ path: String) -> Bool {
    guard let parts = ObjectPath.parts(path), parts.count > 1 else { return false }
    return ["collection", "aliases"].contains(parts[0]) && parts[1] != CollectionName.session.description
  }

  // MARK: A file

  /// Continues with a call once the known state is the file's.
  private func whenLooked(for call: MethodCall, _ body: @escaping () -> Void) {
    // The states locked and broken are checked before.
    guard case .unlocked = state, call.need > .nothing else { return body() }
    // A program's calls are answered in their order.
    let isBehindOwn = callsBeforeLook.has(of: call.sender)
    if !isBehindOwn, !isAboutFile(call) || settings.presentState() == knownState { return body() }
    endStuckLook()
    if isLookStuck { return body() }
    callsBeforeLook.add(of: call.sender, before: looksBegun + 1, body)
    if !isLoading { load(unlessOwn: true) }
  }

  private func isAboutFile(_ call: MethodCall) -> Bool {
    call.need > .earlierCalls
      && ([ObjectPath.service, ObjectPath.portal].contains(call.path) || isInKeychain(call.path))
  }

  /// Answers the calls that waited for the look that has just ended.
  func endLook() {
    let isPresent = settings.presentState() == knownState
    for body in callsBeforeLook.take(after: isPresent ? nil : looksBegun) { body() }
    if !callsBeforeLook.isEmpty, !isLoading { load(unlessOwn: true) }
  }

  /// Answers the waiting calls from the known state if a look takes too long.
  func endStuckLook() {
    if isLookStuck { for body in callsBeforeLook.take(after: nil) { body() } }
  }

  private var isLookStuck: Bool {
    guard isLoading, let lookBegan else { return false }
    return SystemClock.awake - lookBegan > CallsBeforeLook.patience
  }

  /// Handles a connection's departure after its calls.
  func afterCalls(of owner: String, _ body: @escaping () -> Void) {
    if !callsBeforeLook.has(of: owner) { return body() }
    callsBeforeLook.add(of: owner, before: looksBegun + 1, body)
  }

  /// Closes the keychain if nobody has used it for a while.
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
