import Synchronization

/// What is told of changes until it is cancelled or nobody holds it any more.
public final class ChangeSubscription: Sendable {
  private let end: Mutex<(@Sendable () -> Void)?>

  /// Takes what ends the telling. It is called once, and must not wait for anything.
  public init(_ end: @escaping @Sendable () -> Void) {
    self.end = Mutex(end)
  }

  deinit { cancel() }

  /// Ends it. May be called several times, from any thread.
  public func cancel() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}

/// Tells any number of listeners that something has changed.
package final class ChangeBroadcast: Sendable {
  private struct State {
    var listeners: [Int: @Sendable () -> Void] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  /// Without a listener yet.
  package init() {}

  /// Whether there is nobody to tell.
  package var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

  /// Has a listener told until the subscription ends.
  ///
  /// - Parameter onEnd: called when it has ended.
  package func subscribe(
    _ report: @escaping @Sendable () -> Void, onEnd: @escaping @Sendable () -> Void = {}
  ) -> ChangeSubscription {
    let number = state.withLock { state in
      state.lastNumber += 1
      state.listeners[state.lastNumber] = report
      return state.lastNumber
    }
    return ChangeSubscription { [weak self] in
      self?.remove(number)
      onEnd()
    }
  }

  private func remove(_ number: Int) {
    // The closure goes outside the lock, for with it may go what holds other subscriptions.
    let removed = state.withLock { $0.listeners.removeValue(forKey: number) }
    withExtendedLifetime(removed) {}
  }

  /// Tells all.
  package func report() {
    let listeners = state.withLock { $0.listeners.values.map { $0 } }
    for listener in listeners { listener() }
  }
}
