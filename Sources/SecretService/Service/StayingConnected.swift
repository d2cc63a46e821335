import Bytes
import Keychain

/// Support for programs that keep a keychain open for long: the service may be restarted meanwhile, or replaced by
/// another one.
extension SecretServiceKeychain {
  /// Runs a request, which may consist of several others.
  ///
  /// Items seen before are forgotten, because others may have changed them. After a while without requests, this first
  /// checks whether the service is still the same.
  func asked<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if depth == 0 {
      seen = [:]
      try reconnectIfReplaced()
    }
    depth += 1
    defer {
      depth -= 1
      lastUse = SystemClock.sinceBoot
    }
    return try body()
  }

  /// The same for a request that can be repeated without harm. It is repeated if the service was gone and is back
  /// again.
  func repeatable<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    try asked { () throws(KeychainError) in
      do throws(KeychainError) {
        return try body()
      } catch {
        if !service.bus.isLost { throw error }
      }
      try reconnect()
      return try body()
    }
  }

  private func reconnectIfReplaced() throws(KeychainError) {
    if !service.bus.isLost {
      // A program that runs only briefly makes no additional call.
      if SystemClock.sinceBoot - lastUse < 1000 { return }
      do throws(BusFailure) {
        if try service.isStillThere() {
          chosenCollection = nil
          return
        }
      } catch {
        if !error.isAboutMissingService, !service.bus.isLost { throw error.keychainError }
      }
    }
    try reconnect()
  }

  private func reconnect() throws(KeychainError) {
    session = nil
    openingSession = nil
    chosenCollection = nil
    seen = [:]
    service = try reporting(Self.connect(address, settings))
    lastUse = SystemClock.sinceBoot
  }
}
