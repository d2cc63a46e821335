import Bytes
import Keychain
import SecretService

// Another machine's keychain doesn't report changes or withdrawn permissions. So the items are looked up again before a
// call is answered, unless the last look is at most a second old. A login takes a program some five calls within
// milliseconds, and one look serves them all. Secrets never come from a look: an item forbidden just now is shown for
// up to a second, but its secret is no longer given.

extension Provider {
  /// How long the keychain stays open without use, in milliseconds. While it is open, the ssh that forwards it doesn't
  /// end, and keeps a person who logs out waiting.
  private static let openTime = 1500

  /// Continues with a call once the known state is at most `freshness` milliseconds old, if that matters for it, or the
  /// keychain turns out to be unusable.
  func whenFresh(_ freshness: Int, for call: MethodCall, _ body: @escaping () -> Void) {
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
    guard ObjectPath.isInKeychain(call.path) else { return false }
    guard ObjectPath.parts(call.path)?.count == 2, call.need == .property, let sent = try? call.arguments()
    else { return true }
    return sent[1].text == "Items"
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
