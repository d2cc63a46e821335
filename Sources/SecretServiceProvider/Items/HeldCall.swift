import Synchronization

/// Whether somebody still waits for the answer to a call. Whoever takes it answers the call, and nobody else.
final class HeldCall: Sendable {
  private let hasBeenTaken = Atomic(false)
  private let hasNoCaller = Atomic(false)

  /// Whether it was answered, or its caller is gone.
  var isOver: Bool { hasBeenTaken.load(ordering: .acquiring) }

  /// Whether its caller is still there. It may have got an answer, and come again.
  var hasCaller: Bool { !hasNoCaller.load(ordering: .acquiring) }

  /// Takes note that the caller has left the bus.
  func leave() {
    hasNoCaller.store(true, ordering: .releasing)
    _ = take()
  }

  /// Returns whether it is to be answered now.
  func take() -> Bool { !hasBeenTaken.exchange(true, ordering: .acquiringAndReleasing) }
}
