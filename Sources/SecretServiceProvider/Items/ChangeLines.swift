/// Changes by programs that wait for the keychain: a line for each connection, served in turn, so that a program with
/// many changes doesn't hold up the others.
struct ChangeLines {
  /// How many may wait in one line, and in all.
  static let limit = 200
  static let limitOfAll = 2000

  private var lines: [String: [WaitingChange]] = [:]
  /// The connections that have a line, the next one first.
  private var order: [String] = []
  private var count = 0

  /// Puts a change at the end of its connection's line.
  ///
  /// - Throws: ``ServiceError/limitsExceeded(_:)``.
  mutating func add(_ change: WaitingChange, of owner: String) throws(ServiceError) {
    guard lines[owner, default: []].count < Self.limit, count < Self.limitOfAll else {
      throw .limitsExceeded("too many changes are waiting")
    }
    if lines[owner] == nil { order.append(owner) }
    lines[owner, default: []].append(change)
    count += 1
  }

  /// Takes the next changes, as many as may be one write.
  ///
  /// - Parameter limit: the most.
  mutating func next(atMost limit: Int) -> [WaitingChange] {
    var write = ChangesOfOneWrite()
    while write.changes.count < limit, let owner = order.first, let change = lines[owner]?.first,
      write.take(change)
    {
      order.removeFirst()
      lines[owner]?.removeFirst()
      count -= 1
      if lines[owner]?.isEmpty ?? true { lines[owner] = nil } else { order.append(owner) }
    }
    return write.changes
  }

  /// Removes the line of a connection that has left the bus.
  mutating func remove(of owner: String) {
    count -= lines.removeValue(forKey: owner)?.count ?? 0
    order.removeAll { $0 == owner }
  }
}
