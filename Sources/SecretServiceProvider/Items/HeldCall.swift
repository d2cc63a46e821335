import Synchronization

/// Whether a call still needs an answer. Only the code that takes it may answer the call.
final class HeldCall: Sendable {
  private let hasBeenTaken = Atomic(false)
  private let hasNoCaller = Atomic(false)

  /// Whether it was answered, or its caller is gone.
  var isOver: Bool { hasBeenTaken.load(ordering: .acquiring) }

  /// Whether its caller is still there: it may have been answered and ask again.
  var hasCaller: Bool { !hasNoCaller.load(ordering: .acquiring) }

  func leave() {
    hasNoCaller.store(true, ordering: .releasing)
    _ = take()
  }

  func take() -> Bool { !hasBeenTaken.exchange(true, ordering: .acquiringAndReleasing) }
}
