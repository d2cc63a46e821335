public import Keychain
import Bytes

/// A keychain that all tasks and threads of a program may use. New programs in Swift should start with this one.
///
/// ```swift
/// let keychain = SharedKeychain(InMemoryKeychain())
/// let login = GenericPassword(service: "example", account: "alice")
/// try keychain.save("correct horse", for: login, label: "Example")
/// let secret = try keychain.secret(of: login)
/// try keychain.delete(login)
/// ```
///
/// A missing item is `nil` (or `false`); a locked, broken or missing keychain is always an error. The calls are
/// synchronous, and may last until the user has typed a passphrase. ``perform(_:)`` runs them on a thread of the
/// keychain's own, because a task must not block one of the few threads that all tasks share.
///
/// Calls from several threads wait for one another. A body run by `exclusively(_:)` may call the keychain.
public final class SharedKeychain: Sendable {
  private let lock = RecursiveLock()
  // Sound: nobody else has the store, and it is used only under the lock.
  private nonisolated(unsafe) let store: any KeychainStore
  private let thread = OwnThread()

  /// Takes over a keychain. The compiler ensures that nobody else uses it from then on.
  public init(_ store: sending any KeychainStore) {
    self.store = store
  }

  /// Gives one thread at a time access to the keychain.
  func withStore<Result: ~Copyable>(
    _ body: (any KeychainStore) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    try lock.whileHeld { () throws(KeychainError) in try body(store) }
  }

  /// Runs `body` while nobody else can change the keychain, as far as its kind allows, and saves its changes all at
  /// once. If the body throws, nothing is changed. It may run more than once; see `KeychainStore.exclusively(_:)`.
  ///
  /// ```swift
  /// try keychain.exclusively {
  ///   let count = try keychain.string(of: counter).flatMap { Int($0) } ?? 0
  ///   try keychain.save(String(count + 1), for: counter)
  /// }
  /// ```
  ///
  /// - Throws: whatever the body throws, and the errors of writing the keychain.
  @discardableResult
  public func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    try withStore { (store) throws(KeychainError) in try store.exclusively(body) }
  }

  /// The same for a body that may throw any error, as the compiler assumes of closures without a typed `throws`.
  ///
  /// - Throws: whatever the body throws, and `KeychainError` if the keychain can't be written.
  @_disfavoredOverload
  @discardableResult
  public func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    var thrown: (any Error)?
    do {
      return try exclusively { () throws(KeychainError) -> Result in try noting(&thrown, body) }
    } catch {
      throw thrown ?? error
    }
  }

  /// Runs `body`, which only reads, on a consistent state of the keychain, as far as its kind allows.
  ///
  /// - Throws: whatever the body throws.
  public func reading<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    try withStore { (store) throws(KeychainError) in try store.reading(body) }
  }

  /// The same for a body that may throw other errors too.
  ///
  /// - Throws: whatever the body throws.
  @_disfavoredOverload
  public func reading<Result>(_ body: () throws -> Result) throws -> Result {
    var thrown: (any Error)?
    do {
      return try reading { () throws(KeychainError) -> Result in try noting(&thrown, body) }
    } catch {
      throw thrown ?? error
    }
  }

  /// Whether a secret could be stored now, without asking anybody or changing anything. A program can call this before
  /// it asks the user to log in. See `KeychainStore.probe()`.
  public func probe() -> KeychainReadiness {
    let readiness = try? withStore { (store) throws(KeychainError) in store.probe() }
    return readiness ?? .unavailable(.unavailable(reason: "it can't be looked at"))
  }

  /// Runs `body` on a thread of the keychain's own, and waits for it without blocking a thread of the tasks.
  ///
  /// ```swift
  /// let secret = try await keychain.perform { try $0.secret(of: login) }
  /// ```
  ///
  /// A keychain does one thing at a time, so there is at most one such thread, and only while there is work.
  /// Cancelling the task doesn't end a call that has begun.
  ///
  /// - Throws: whatever the body throws.
  public func perform<Value: ~Copyable, Failure: Error>(
    _ body: @escaping @Sendable (SharedKeychain) throws(Failure) -> sending Value
  ) async throws(Failure) -> sending Value {
    let outcome = Outcome<Value, Failure>()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      thread.run {
        outcome.take { () throws(Failure) in try body(self) }
        continuation.resume()
      }
    }
    return try outcome.get()
  }
}

/// Runs `body`, which can throw any error, where only the keychain's errors can be thrown. Notes the error in
/// `thrown`, and throws one of the keychain's to undo the body's changes.
private func noting<Value>(
  _ thrown: inout (any Error)?, _ body: () throws -> Value
) throws(KeychainError) -> Value {
  // The body may run again.
  thrown = nil
  do {
    return try body()
  } catch {
    thrown = error
    throw error as? KeychainError ?? .promptDismissed
  }
}

/// A result that one thread passes to another, once; their continuation orders the accesses.
private final class Outcome<Value: ~Copyable, Failure: Error>: @unchecked Sendable {
  private var result: Result<Value, Failure>?

  func take(_ body: () throws(Failure) -> sending Value) {
    do throws(Failure) {
      result = .success(try body())
    } catch {
      result = .failure(error)
    }
  }

  func get() throws(Failure) -> sending Value {
    guard let result = result.take() else { preconditionFailure("nothing was handed over") }
    return try result.get()
  }
}
