public import _Concurrency
public import Keychain

extension SharedKeychain {
  /// The changes of the keychain's items from now on, made by this program or another.
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
  /// When this returns, the keychain is being watched and its present items are noted, so the loop misses no later
  /// change, whenever it begins. Changes in quick succession may be reported as one with the final result: an item
  /// that is added and immediately deleted is not reported. The loop ends when its task is cancelled, and throws an
  /// error when the keychain can't be read any more.
  ///
  /// - Returns: a sequence for one loop. Watching ends when the sequence is released.
  /// - Throws: `KeychainError.unavailable(reason:)` if this kind of keychain can't report changes; `KeychainError`
  ///   if it can't be read now.
  public func changes() throws(KeychainError) -> KeychainChanges {
    try withStore { (store) throws(KeychainError) in
      let store = try store.reportingChanges()
      // One pending signal is enough: its receiver looks at everything.
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
  /// A single change.
  public typealias Element = KeychainChange
  /// The reason why the keychain can't be read any more.
  public typealias Failure = KeychainError

  private let keychain: SharedKeychain
  private let signals: AsyncStream<Void>
  private let beginning: [ItemRevision]

  fileprivate init(_ keychain: SharedKeychain, _ signals: AsyncStream<Void>, _ beginning: [ItemRevision]) {
    self.keychain = keychain
    self.signals = signals
    self.beginning = beginning
  }

  /// Makes an iterator that begins with the changes since the sequence was made.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(keychain, signals.makeAsyncIterator(), beginning)
  }

  /// Waits for one change after another.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let keychain: SharedKeychain
    private var signals: AsyncStream<Void>.Iterator
    private var seen: [ItemRevision]
    /// In reverse order.
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
        // Changes that arrive together are often one change to the program, so they are read once.
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
