import Bytes
import SecretService

// A file reports its changes, but a moment after their author knows of them. A tool that has just stored a login may
// start a program that asks for it. So a call is answered by the file's state at the time of the call.

extension Provider {
  /// Continues with a call once the known state is the file's.
  func whenFileLooked(for call: MethodCall, _ body: @escaping () -> Void) {
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
      && ([ObjectPath.service, ObjectPath.portal].contains(call.path) || ObjectPath.isInKeychain(call.path))
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
}
