import Bytes
import Keychain

/// The changes made by merging another copy.
public struct MergeOutcome: Hashable, Sendable {
  /// How many items there are now.
  public let count: Int
  /// Items of the other copy that are new here, or newer in some part.
  public let added: Int
  /// Items that went out of use because they were deleted there, or had lost their key to others.
  public let deleted: Int
  /// Items known to have changed differently in both: the later state is in use, the other one can be brought back.
  public let undecided: Int
}

extension VaultChange {
  /// Merges another copy of the vault.
  ///
  /// - Parameters:
  ///   - base: the common ancestor, if known.
  ///   - isUnfinished: whether it is a write that never came into the vault's place. Nobody was told of its changes
  ///     to the ways in, so these stay as they are.
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if a line of a copy is not a record.
  @discardableResult
  func merge(
    _ other: VaultSnapshot, base: VaultSnapshot? = nil, isUnfinished: Bool = false
  ) throws(KeychainError) -> MergeOutcome {
    follow(other.first.head)
    let slots = try mergeSlots(other, isTried: isUnfinished)
    if !isUnfinished {
      mergedSlots.append(slots)
    } else if !slots.isEmpty {
      leftSlots.append(other.path)
    }
    let former: VaultLines?
    if let base { former = try base.takeAllLines() } else { former = nil }
    let outcome = try merge(try other.takeAllLines(), base: former, written: other.first.head.written)
    head.past.formUnion(other.first.head.past)
    head.past.insert(other.generation)
    return outcome
  }

  /// Merges the records of another copy, written at the given date, or of several copies together.
  @discardableResult
  func merge(
    _ theirs: borrowing VaultLines, base: borrowing VaultLines? = nil, written: Timestamp
  ) throws(KeychainError) -> MergeOutcome {
    let plan = try MergePlan(
      lines, theirs, base: base, losersRetireAt: max(head.written, written), path: path)
    // Their lines are read before mine are moved.
    var arriving = VaultLines()
    var retired = VaultLines()
    var added = plan.made.count
    for item in plan.made { arriving.insert(item.line) }
    for index in theirs.inUse where plan.winners.contains(.theirs(index)) {
      _ = theirs.withLine(index) { arriving.insert(Secret(copying: $0)) }
      added += 1
    }
    for index in theirs.inUse.upperBound..<theirs.count {
      _ = theirs.withLine(index) { retired.insert(Secret(copying: $0)) }
    }
    for retirement in plan.retirements {
      let loser = try line(of: retirement, theirs)
      // An older copy has items that were replaced since. They are retired once, however often it comes.
      if !lines.hasRetired(loser), !theirs.hasRetired(loser) { retired.insert(loser) }
    }
    for index in lines.inUse.reversed() where !plan.winners.contains(.mine(index)) { remove(index) }
    for index in 0..<arriving.count {
      put(arriving.withLine(index) { Secret(copying: $0) })
    }
    for index in 0..<retired.count {
      keep(retired.withLine(index) { Secret(copying: $0) })
    }
    return MergeOutcome(
      count: lines.inUse.count, added: added, deleted: plan.deleted, undecided: plan.undecided)
  }

  /// Runs a merge, written at `now`, of records that may have been merged before. If nothing is new, nothing is.
  func mergingAgain(at now: Timestamp, _ body: () throws(KeychainError) -> Void) throws(KeychainError) {
    let before = (lines.savepoint, isDirty, received)
    // Expiry alone is no reason to write.
    let due = min(now, head.written)
    try settleRetired(at: due)
    let settled = lines.savepoint
    try body()
    try settleRetired(at: due)
    isDirty = true
    if lines.areSame(as: settled) {
      lines.restore(before.0)
      (isDirty, received) = (before.1, before.2)
    }
  }

  private func line(
    of retirement: MergePlan.Retirement, _ theirs: borrowing VaultLines
  ) throws(KeychainError) -> Secret {
    func line(_ record: UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> Secret {
      try RetiredRecord.line(of: record, at: retirement.date, retirement.reason)
    }
    do throws(JSONReader.Malformed) {
      switch retirement.place {
      case .mine(let index): return try lines.withLine(index, line)
      case .theirs(let index): return try theirs.withLine(index, line)
      case .made:
        guard let made = retirement.made else { throw JSONReader.Malformed() }
        return try made.line.withUnsafeBytes(line)
      }
    } catch {
      throw .malformedItem(path: path)
    }
  }
}

extension VaultLines {
  /// Whether a retired line's record is among the retired ones, with any date and reason.
  borrowing func hasRetired(_ line: borrowing Secret) -> Bool {
    line.withUnsafeBytes { line in
      let record = RetiredRecord.record(of: line)
      for index in lines(beginning: Array(line.key)) {
        if withLine(index, { RetiredRecord.record(of: $0).equals(record) }) { return true }
      }
      return false
    }
  }

  /// Whether two lines out of use are of the same record, with any dates and reasons.
  borrowing func haveSameRecord(_ one: Int, _ other: Int) -> Bool {
    if !haveSameKey(one, other) { return false }
    return withLine(one) { one in
      withLine(other) { other in
        // Another program may have written it in a form that isn't found.
        let record = RetiredRecord.record(of: one)
        return !record.isEmpty && RetiredRecord.record(of: other).equals(record)
      }
    }
  }
}
