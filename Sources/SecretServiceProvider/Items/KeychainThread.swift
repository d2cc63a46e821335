import Bytes
import Keychain
import System

/// A keychain that is used on a thread of its own, so that whoever waits for it, or for a lock, keeps nobody else
/// waiting.
final class KeychainThread: @unchecked Sendable {
  // Unchecked is sound: the keychain is used on its thread alone.
  private let thread = OwnThread()
  private let open: @Sendable () throws(KeychainError) -> any KeychainStore
  private var keychain: (any KeychainStore)?
  // The main thread alone uses these.
  /// How many jobs have not ended.
  private(set) var waiting = 0
  /// When the last one ended, in milliseconds, if the keychain may have been open since.
  private var lastUse: Int?

  /// Makes a thread for a keychain, which is opened when it is first used.
  init(_ open: @escaping @Sendable () throws(KeychainError) -> any KeychainStore) { self.open = open }

  /// Closes the keychain after everything before it, with what it keeps in memory. It is opened again when it is used.
  func forget() {
    lastUse = nil
    thread.run { [self] in keychain = nil }
  }

  /// Closes the keychain if nobody has used it for a time in milliseconds.
  func forget(unusedFor time: Int) {
    if waiting == 0, let lastUse, SystemClock.awake - lastUse > time { forget() }
  }

  /// Runs `body` after everything before it, and then `report` on the main thread.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable (any KeychainStore) throws(KeychainError) -> Value,
    then report: @escaping @Sendable (Result<Value, KeychainError>) -> Void
  ) {
    waiting += 1
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

/// A secret that goes from one thread to another, and is wiped when nobody needs it any more.
final class SharedSecret: Sendable {
  let secret: Secret
  init(_ secret: consuming Secret) { self.secret = secret }
}
