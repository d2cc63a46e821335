import Synchronization

/// A subscription to changes, until it is cancelled or released.
public final class ChangeSubscription: Sendable {
  private let end: Mutex<(@Sendable () -> Void)?>

  /// Takes a closure that ends the subscription. It is called once, and must not wait for anything.
  public init(_ end: @escaping @Sendable () -> Void) {
    self.end = Mutex(end)
  }

  deinit { cancel() }

  /// Ends the subscription. May be called several times, from any thread.
  public func cancel() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}

/// Reports changes to any number of listeners.
package final class ChangeBroadcast: Sendable {
  private struct State {
    var listeners: [Int: @Sendable () -> Void] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

  /// Adds a listener until the subscription ends. `onEnd` is called then.
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
    // The closure may own other subscriptions, so it is released outside the lock.
    let removed = state.withLock { $0.listeners.removeValue(forKey: number) }
    withExtendedLifetime(removed) {}
  }

  package func report() {
    let listeners = state.withLock { $0.listeners.values.map { $0 } }
    for listener in listeners { listener() }
  }
}
