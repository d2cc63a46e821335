public import Keychain
public import SharedKeychain

extension KeychainUnderTest {
  /// A fresh keychain as two parts of a program, or two programs, have it: each can see what the other one does.
  public func makeShared() -> (mine: SharedKeychain, others: SharedKeychain) {
    // Sound: what was just made is used through these two alone.
    nonisolated(unsafe) let fresh = make()
    nonisolated(unsafe) let mine = fresh.keychain
    let shared = SharedKeychain(mine)
    nonisolated(unsafe) let others = fresh.reopened
    return (shared, others === mine ? shared : SharedKeychain(others))
  }
}

/// What a loop over a keychain's changes has brought so far.
public final class ChangeLog: Sendable {
  private let collected = Collected<KeychainChange>()
  private let errors = Collected<KeychainError?>()
  private let task: Task<Void, Never>

  /// Begins the loop.
  public init(_ changes: KeychainChanges) {
    task = Task { [collected, errors] in
      do throws(KeychainError) {
        var iterator = changes.makeAsyncIterator()
        while let change = try await iterator.next() { collected.append(change) }
        errors.append(nil)
      } catch {
        errors.append(error)
      }
    }
  }

  deinit { task.cancel() }

  /// Everything so far.
  public var all: [KeychainChange] { collected.all }

  /// Cancels the loop's task and waits for its end.
  public func cancel() async {
    task.cancel()
    await task.value
  }

  /// Waits until something is so, at most a minute. Returns whether it is.
  public func waits(until isSo: ([KeychainChange]) -> Bool) async -> Bool {
    for _ in 0..<6000 {
      if isSo(collected.all) { return true }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  /// Waits for the loop's end, at most a minute, and gives the error with which it ended; `nil` if it still runs or
  /// there was none.
  public func error() async -> KeychainError? {
    for _ in 0..<6000 {
      if let error = errors.all.first { return error }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return nil
  }
}
