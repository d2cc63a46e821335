import Bytes
import Keychain
import Threads

/// A keychain that is used on a thread of its own, so that whoever waits for it, or for a lock, keeps nobody else waiting.
final class KeychainThread: @unchecked Sendable {
  // Unchecked is sound: the keychain is used on its thread alone.
  private let thread = OwnThread()
  private let open: @Sendable () throws(KeychainError) -> any KeychainStore
  private var keychain: (any KeychainStore)?

  /// Makes a thread for a keychain, which is opened when it is first used.
  init(_ open: @escaping @Sendable () throws(KeychainError) -> any KeychainStore) { self.open = open }

  /// Closes the keychain after everything before it, with what it keeps in memory. It is opened again when it is used.
  func forget() { thread.run { [self] in keychain = nil } }

  /// Runs `body` after everything before it, and then `report` on the main thread.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable (any KeychainStore) throws(KeychainError) -> Value,
    then report: @escaping @Sendable (Result<Value, KeychainError>) -> Void
  ) {
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
      MainLoop.post { report(result) }
    }
  }
}

/// A secret that goes from one thread to another, and is wiped when nobody needs it any more.
final class SharedSecret: Sendable {
  let secret: Secret
  init(_ secret: consuming Secret) { self.secret = secret }
}
