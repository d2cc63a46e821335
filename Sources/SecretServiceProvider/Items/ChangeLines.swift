/// Changes by programs that wait for the keychain: a line for each connection, served in turn, so that a program with
/// many changes doesn't hold up the others.
struct ChangeLines {
  /// How many may wait in one line, and in all.
  static let limit = 200
  static let limitOfAll = 2000

  private var lines: [String: [() -> Void]] = [:]
  /// The connections that have a line, the next one first.
  private var order: [String] = []
  private var count = 0
  var isBusy = false

  /// Puts a change at the end of its connection's line.
  ///
  /// - Throws: ``ServiceError/limitsExceeded(_:)``.
  mutating func add(_ change: @escaping () -> Void, of owner: String) throws(ServiceError) {
    guard lines[owner, default: []].count < Self.limit, count < Self.limitOfAll else {
      throw .limitsExceeded("too many changes are waiting")
    }
    if lines[owner] == nil { order.append(owner) }
    lines[owner, default: []].append(change)
    count += 1
  }

  mutating func next() -> (() -> Void)? {
    guard !order.isEmpty else { return nil }
    let owner = order.removeFirst()
    guard let change = lines[owner]?.removeFirst() else { return nil }
    count -= 1
    if lines[owner]?.isEmpty ?? true { lines[owner] = nil } else { order.append(owner) }
    return change
  }

  /// Removes the line of a connection that has left the bus.
  mutating func remove(of owner: String) {
    count -= lines.removeValue(forKey: owner)?.count ?? 0
    order.removeAll { $0 == owner }
  }
}
