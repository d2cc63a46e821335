import Bytes
import Keychain

/// A keychain that is used on its own thread, so that waiting for it or for a lock holds up nothing else.
final class KeychainThread: @unchecked Sendable {
  // Unchecked is sound: only its own thread uses the keychain.
  private let thread = OwnThread()
  private let open: @Sendable () throws(KeychainError) -> any KeychainStore
  private var keychain: (any KeychainStore)?
  // Used by the main thread only.
  private(set) var waiting = 0
  /// When the last job ended, in milliseconds; `nil` if the keychain can't have been open since.
  private var lastUse: Int?

  /// Makes a thread for a keychain, which is opened when it is first used.
  init(_ open: @escaping @Sendable () throws(KeychainError) -> any KeychainStore) { self.open = open }

  /// Closes the keychain, with everything it keeps in memory, after the jobs before. The next job opens it again.
  func forget() {
    lastUse = nil
    thread.run { [self] in keychain = nil }
  }

  /// Closes the keychain if it was unused for this many milliseconds.
  func forget(unusedFor time: Int) {
    if waiting == 0, let lastUse, SystemClock.awake - lastUse > time { forget() }
  }

  /// Runs `body` after the jobs before it, then `report` on the main thread.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable (any KeychainStore) throws(KeychainError) -> Value,
    then report: @escaping (Result<Value, KeychainError>) -> Void
  ) {
    waiting += 1
    // Only carried back to the main thread.
    nonisolated(unsafe) let report = report
    thread.run { [self] in
      let result: Result<Value, KeychainError>
      do throws(KeychainError) {
        let keychain: any KeychainStore
        if let opened = self.keychain { keychain = opened } else { keychain = try open() }
        self.keychain = keychain
        result = .success(try body(keychain))
      } catch {
        result = .failure(error)
      }
      MainLoop.post { [self] in
        waiting -= 1
        lastUse = SystemClock.awake
        report(result)
      }
    }
  }
}

/// A secret that is passed between threads, and wiped after its last use.
final class SharedSecret: Sendable {
  let secret: Secret
  init(_ secret: consuming Secret) { self.secret = secret }
}
