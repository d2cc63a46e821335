public import _Concurrency
public import Keychain

extension SharedKeychain {
  /// The changes of the keychain's items from now on, whoever makes them: this program or another.
  ///
  /// ```swift
  /// for try await change in try keychain.changes() {
  ///   switch change {
  ///   case .added(let item), .updated(let item): show(item)
  ///   case .deleted(let item): hide(item)
  ///   }
  /// }
  /// ```
  ///
  /// The keychain watches, and remembers what there is, when this returns; so no later change is missed, whenever the
  /// loop begins. Changes that follow close upon one another may be told as one, which has their outcome: an item that
  /// was added and at once deleted isn't told of. The loop ends when its task is cancelled, and with an error when the
  /// keychain can't be read any more.
  ///
  /// - Returns: a sequence for one loop. What watches ends when nobody holds it any more.
  /// - Throws: `KeychainError.unavailable(reason:)` if this kind of keychain can't tell; `KeychainError` if it
  ///   can't be read now.
  public func changes() throws(KeychainError) -> KeychainChanges {
    try withStore { (store) throws(KeychainError) in
      let store = try store.reportingChanges()
      // One signal that waits is enough: whoever takes it looks at everything.
      let (signals, continuation) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let subscription = try store.onChange { continuation.yield() }
      continuation.onTermination = { _ in subscription.cancel() }
      return KeychainChanges(self, signals, try store.revisions())
    }
  }

  fileprivate func revisions() async throws(KeychainError) -> [ItemRevision] {
    try await perform { (keychain) throws(KeychainError) in
      try keychain.withStore { (store) throws(KeychainError) in
        try store.reportingChanges().revisions()
      }
    }
  }
}

/// The changes of a keychain's items; see ``SharedKeychain/changes()``.
public struct KeychainChanges: AsyncSequence, Sendable {
  /// One change.
  public typealias Element = KeychainChange
  /// The keychain can't be read any more.
  public typealias Failure = KeychainError

  private let keychain: SharedKeychain
  private let signals: AsyncStream<Void>
  private let beginning: [ItemRevision]

  fileprivate init(_ keychain: SharedKeychain, _ signals: AsyncStream<Void>, _ beginning: [ItemRevision]) {
    self.keychain = keychain
    self.signals = signals
    self.beginning = beginning
  }

  /// Begins with what has changed since the sequence was made.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(keychain, signals.makeAsyncIterator(), beginning)
  }

  /// Waits for changes, one after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let keychain: SharedKeychain
    private var signals: AsyncStream<Void>.Iterator
    private var seen: [ItemRevision]
    /// What is still to be told; the next change is the last.
    private var waiting: [KeychainChange] = []
    private var hasEnded = false

    fileprivate init(
      _ keychain: SharedKeychain, _ signals: AsyncStream<Void>.Iterator, _ seen: [ItemRevision]
    ) {
      self.keychain = keychain
      self.signals = signals
      self.seen = seen
    }

    /// The next change; `nil` if the task was cancelled.
    ///
    /// - Throws: `KeychainError` if the keychain can't be read any more; `nil` follows.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(KeychainError) -> KeychainChange? {
      while !hasEnded, !Task.isCancelled {
        if let change = waiting.popLast() { return change }
        guard await signals.next(isolation: actor) != nil else { break }
        // Much of what comes at once is one change to those who wait, and read once.
        try? await Task.sleep(for: .milliseconds(20))
        if Task.isCancelled { break }
        do throws(KeychainError) {
          let now = try await keychain.revisions()
          waiting = KeychainChange.between(seen, now).reversed()
          seen = now
        } catch {
          hasEnded = true
          throw error
        }
      }
      hasEnded = true
      return nil
    }
  }
}
