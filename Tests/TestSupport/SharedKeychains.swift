public import Keychain
public import SharedKeychain

extension KeychainUnderTest {
  /// A fresh keychain as used by two parts of a program, or by two programs: each can see the other's changes.
  public func makeShared() -> (mine: SharedKeychain, others: SharedKeychain) {
    // This is sound: the new keychain is used only through these two.
    nonisolated(unsafe) let fresh = make()
    nonisolated(unsafe) let mine = fresh.keychain
    let shared = SharedKeychain(mine)
    nonisolated(unsafe) let others = fresh.reopened
    return (shared, others === mine ? shared : SharedKeychain(others))
  }
}

/// The changes that a loop over a keychain has received so far.
public final class ChangeLog: Sendable {
  private let collected = Collected<KeychainChange>()
  private let errors = Collected<KeychainError?>()
  private let task: Task<Void, Never>

  /// Starts the loop.
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

  /// All changes so far.
  public var all: [KeychainChange] { collected.all }

  /// Cancels the loop's task and waits for its end.
  public func cancel() async {
    task.cancel()
    await task.value
  }

  /// Waits until a condition holds, for at most a minute. Returns whether it does.
  public func waits(until isSo: ([KeychainChange]) -> Bool) async -> Bool {
    for _ in 0..<6000 {
      if isSo(collected.all) { return true }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  /// Waits for the loop's end, for at most a minute, and returns its error; `nil` if it is still running or there was
  /// none.
  public func error() async -> KeychainError? {
    for _ in 0..<6000 {
      if let error = errors.all.first { return error }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return nil
  }
}
