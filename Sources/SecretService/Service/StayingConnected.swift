import Bytes
import Keychain

/// What a program needs that keeps its keychain for long: the service may end and be started anew meanwhile, or another
/// one take its place.
extension SecretServiceKeychain {
  /// Runs something that somebody asks for, which may consist of several such things.
  ///
  /// What was seen before is forgotten: others have changed it since. Where nothing has been asked for a while, it is
  /// looked first whether the service is still the same.
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

  /// The same for something that does no harm when it is done twice. So it is, where the service turns out to be gone,
  /// and is there again.
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
      // A program that runs for a moment asks nothing more by this.
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
