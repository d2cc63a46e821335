import Synchronization

/// Calls that wait for the keychain, or for a person.
struct HeldCalls {
  /// How long a call waits, in milliseconds: clients give up after 25 s.
  static let patience = 20_000
  /// How many calls may wait for a person.
  private static let limit = 2000

  /// Whether a call still needs an answer. Only the code that takes it may answer the call.
  final class Ticket: Sendable {
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

  private struct Held {
    let call: MethodCall
    let end: Int
    let ticket: Ticket
  }
  private var held: [Held] = []

  /// Holds a call until it is taken, is overdue, or its caller has left the bus.
  ///
  /// - Throws: ``ServiceError/limitsExceeded(_:)``.
  mutating func add(_ call: MethodCall, now: Int) throws(ServiceError) -> Ticket {
    if held.count >= Self.limit { throw .limitsExceeded("too many calls wait for the other machine") }
    let ticket = Ticket()
    held.append(Held(call: call, end: now + Self.patience, ticket: ticket))
    return ticket
  }

  mutating func refuseOverdue(now: Int) {
    for overdue in held where overdue.end <= now && overdue.ticket.take() {
      overdue.call.refuse(
        .timedOut("the other machine has not answered in time; a person may be asked there"))
    }
  }

  mutating func remove(_ ticket: Ticket) { held.removeAll { $0.ticket === ticket } }

  /// Forgets the calls of a connection that has left the bus.
  mutating func remove(of owner: String) {
    for one in held where one.call.sender == owner { one.ticket.leave() }
    held.removeAll { $0.call.sender == owner }
  }
}
