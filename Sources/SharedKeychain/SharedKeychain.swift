public import Keychain
import Threads

/// A keychain that any task and thread of a program may use: the one that new programs in Swift begin with.
///
/// ```swift
/// let keychain = SharedKeychain(InMemoryKeychain())
/// let login = GenericPassword(service: "example", account: "alice")
/// try keychain.save("correct horse", for: login, label: "Example")
/// let secret = try keychain.secret(of: login)
/// try keychain.delete(login)
/// ```
///
/// What is not there is `nil` (or `false`); a keychain that is locked, broken or missing always is an error. The calls
/// are synchronous, and some take as long as a person takes to type a passphrase; ``perform(_:)`` has them made on a
/// thread of the keychain's own, for a task must not keep one of the few threads waiting that all tasks share.
///
/// Calls from several threads wait for one another. A body that `exclusively(_:)` runs may call the keychain.
public final class SharedKeychain: Sendable {
  private let lock = RecursiveLock()
  // Sound: nobody else has it, and it is touched under the lock alone.
  private nonisolated(unsafe) let store: any KeychainStore
  private let thread = OwnThread()

  /// Takes a keychain over. The compiler sees to it that nobody else uses it from then on.
  public init(_ store: sending any KeychainStore) {
    self.store = store
  }

  /// Lends the keychain to one thread at a time.
  func withStore<Result: ~Copyable>(
    _ body: (any KeychainStore) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    try lock.whileHeld { () throws(KeychainError) in try body(store) }
  }

  /// Runs `body` while nobody else can change the keychain, as far as its kind allows, and makes what the body changed
  /// lasting all at once. If the body throws, nothing has changed. It may be run more than once; see
  /// `KeychainStore.exclusively(_:)`.
  ///
  /// ```swift
  /// try keychain.exclusively {
  ///   let count = try keychain.string(of: counter).flatMap { Int($0) } ?? 0
  ///   try keychain.save(String(count + 1), for: counter)
  /// }
  /// ```
  ///
  /// - Throws: what the body throws, and what writing the keychain throws.
  @discardableResult
  public func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    try withStore { (store) throws(KeychainError) in try store.exclusively(body) }
  }

  /// The same for a body that may throw other errors, too. The compiler takes every closure that names no error for one.
  ///
  /// - Throws: what the body throws, and `KeychainError` if the keychain can't be written.
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

  /// Runs `body`, which only reads, and lets it see the keychain as it was at one moment, as far as its kind allows.
  ///
  /// - Throws: what the body throws.
  public func reading<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    try withStore { (store) throws(KeychainError) in try store.reading(body) }
  }

  /// The same for a body that may throw other errors, too.
  ///
  /// - Throws: what the body throws.
  @_disfavoredOverload
  public func reading<Result>(_ body: () throws -> Result) throws -> Result {
    var thrown: (any Error)?
    do {
      return try reading { () throws(KeychainError) -> Result in try noting(&thrown, body) }
    } catch {
      throw thrown ?? error
    }
  }

  /// Whether a secret could be kept now, without asking anybody and without changing anything: for a program that is
  /// about to ask a person to log in. See `KeychainStore.probe()`.
  public func probe() -> KeychainReadiness {
    let readiness = try? withStore { (store) throws(KeychainError) in store.probe() }
    return readiness ?? .unavailable(.unavailable(reason: "it can't be looked at"))
  }

  /// Has a thread of the keychain's own run `body`, and waits for that without keeping a thread of the tasks' waiting.
  ///
  /// ```swift
  /// let secret = try await keychain.perform { try $0.secret(of: login) }
  /// ```
  ///
  /// A keychain does one thing at a time; so there is one such thread at most, and only while there is something to
  /// do. Cancelling the task doesn't end a call that has begun.
  ///
  /// - Throws: what the body throws.
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

/// Runs `body`, and notes what it throws where none but an error of the keychain's can be thrown. Whichever that is, it
/// undoes what the body did.
private func noting<Value>(
  _ thrown: inout (any Error)?, _ body: () throws -> Value
) throws(KeychainError) -> Value {
  // It may be run once more.
  thrown = nil
  do {
    return try body()
  } catch {
    thrown = error
    throw error as? KeychainError ?? .promptDismissed
  }
}

/// What one thread hands to another, once: the continuation between them orders the two.
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
