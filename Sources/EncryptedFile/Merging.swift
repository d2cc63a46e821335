import Keychain

/// How two copies of a vault become one, item by item: of an item the copy that was changed last wins, the other is
/// kept as a record out of use, and nothing is dropped. A deletion wins over what was changed before it.
///
/// Both places come to the same items, whichever merges the other's copy.
struct MergePlan {
  /// A record of one of the copies that is in use there.
  struct Candidate {
    let isMine: Bool
    let index: Int
    let record: Record

    fileprivate var changed: Timestamp { record.item.changeDate }
  }

  /// A record that is to go out of use.
  struct Retirement {
    let candidate: Candidate
    let date: Timestamp
    let reason: RetirementReason
  }

  /// What stays in use.
  private(set) var winners: [Candidate] = []
  /// What goes out of use.
  private(set) var retirements: [Retirement] = []

  /// - Parameters:
  ///   - date: the date that losers go out of use at; the same in both places.
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if a record is none.
  init(
    _ mine: borrowing VaultLines, _ theirs: borrowing VaultLines, losersRetireAt date: Timestamp, path: String
  ) throws(KeychainError) {
    var candidates: [Candidate] = []
    var deletions: [ItemReference: Timestamp] = [:]
    try Self.collect(mine, isMine: true, path: path, &candidates, &deletions)
    try Self.collect(theirs, isMine: false, path: path, &candidates, &deletions)

    /// Of those that are the same item, the last one wins.
    func settle<Key: Hashable>(_ key: (Candidate) -> Key) {
      var best: [Key: Candidate] = [:]
      for candidate in candidates {
        let other = best[key(candidate)]
        guard let other else {
          best[key(candidate)] = candidate
          continue
        }
        if isSameLine(candidate, other) { continue }
        let isNewer = precedes(other, candidate)
        best[key(candidate)] = isNewer ? candidate : other
        retirements.append(
          Retirement(candidate: isNewer ? other : candidate, date: date, reason: .merged))
      }
      candidates = candidates.filter { candidate in
        best[key(candidate)].map { $0.isMine == candidate.isMine && $0.index == candidate.index } ?? false
      }
    }
    func line(_ candidate: Candidate) -> Secret {
      candidate.isMine
        ? mine.withLine(candidate.index) { Secret(copying: $0) }
        : theirs.withLine(candidate.index) { Secret(copying: $0) }
    }
    func isSameLine(_ first: Candidate, _ second: Candidate) -> Bool {
      line(first).isEqual(to: line(second))
    }
    /// Later dates win; where they are the same, the later write of its copy, then any fixed order.
    func precedes(_ first: Candidate, _ second: Candidate) -> Bool {
      let (left, right) = ((first.changed, first.record.revision), (second.changed, second.record.revision))
      if left != right { return left < right }
      return line(first).withUnsafeBytes { first in
        line(second).withUnsafeBytes { first.lexicographicallyPrecedes($0) }
      }
    }

    candidates = candidates.filter { candidate in
      guard let reference = candidate.record.item.reference, let deleted = deletions[reference],
        candidate.changed <= deleted
      else { return true }
      retirements.append(Retirement(candidate: candidate, date: deleted, reason: .deleted))
      return false
    }
    settle { $0.record.item.reference }
    // The same login may have been stored in both places, each time as a new item.
    settle { $0.record.item.key.primaryKey }
    winners = candidates
  }

  private static func collect(
    _ lines: borrowing VaultLines, isMine: Bool, path: String, _ candidates: inout [Candidate],
    _ deletions: inout [ItemReference: Timestamp]
  ) throws(KeychainError) {
    let inUse = lines.inUse
    for index in inUse {
      candidates.append(
        Candidate(isMine: isMine, index: index, record: try lines.record(at: index, path: path)))
    }
    for index in inUse.upperBound..<lines.count {
      let retired = try lines.retiredRecord(at: index, path: path)
      guard retired.reason == .deleted, let reference = retired.record.item.reference else { continue }
      deletions[reference] = max(deletions[reference] ?? retired.retired, retired.retired)
    }
  }
}

/// What merging another copy has changed.
public struct MergeOutcome: Hashable, Sendable {
  /// How many items there are now.
  public let count: Int
  /// Items of the other copy that are new here, or newer than they were here.
  public let added: Int
  /// Items that went out of use because they were deleted there.
  public let deleted: Int
}

extension VaultChange {
  /// Takes in what another copy of the vault has.
  ///
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if a record of either copy is none.
  @discardableResult
  func merge(_ other: VaultSnapshot) throws(KeychainError) -> MergeOutcome {
    follow(other.first.head)
    try mergeSlots(other)
    return try merge(try other.takeAllLines(), written: other.first.head.written)
  }

  /// Takes in the records of another copy of the vault, written at that date.
  @discardableResult
  func merge(_ theirs: borrowing VaultLines, written: Timestamp) throws(KeychainError) -> MergeOutcome {
    let date = max(head.written, written)
    let plan = try MergePlan(lines, theirs, losersRetireAt: date, path: path)
    // Their lines are read before mine change places.
    var arriving = VaultLines()
    var retired = VaultLines()
    for winner in plan.winners where !winner.isMine {
      theirs.withLine(winner.index) { arriving.insert(Secret(copying: $0)) }
    }
    for index in theirs.inUse.upperBound..<theirs.count {
      theirs.withLine(index) { retired.insert(Secret(copying: $0)) }
    }
    for retirement in plan.retirements {
      func line(_ record: UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> Secret {
        try RetiredRecord.line(of: record, at: retirement.date, retirement.reason)
      }
      let index = retirement.candidate.index
      let loser: Secret
      do throws(JSONReader.Malformed) {
        loser =
          retirement.candidate.isMine ? try lines.withLine(index, line) : try theirs.withLine(index, line)
      } catch {
        throw .malformedItem(path: path)
      }
      // An older copy has what was replaced since. Once is enough, however often such a copy comes.
      if !lines.hasRetired(loser), !theirs.hasRetired(loser) { retired.insert(loser) }
    }
    let staying = Set(plan.winners.lazy.filter(\.isMine).map(\.index))
    for index in lines.inUse.reversed() where !staying.contains(index) { remove(index) }
    for index in 0..<arriving.count {
      put(arriving.withLine(index) { Secret(copying: $0) })
    }
    for index in 0..<retired.count {
      try keep(retired.withLine(index) { Secret(copying: $0) })
    }
    return MergeOutcome(
      count: plan.winners.count, added: plan.winners.count { !$0.isMine },
      deleted: plan.retirements.count { $0.candidate.isMine && $0.reason == .deleted })
  }
}

extension VaultLines {
  /// Whether the record of a line that is out of use is among those that are, whenever and for whatever reason.
  fileprivate borrowing func hasRetired(_ line: borrowing Secret) -> Bool {
    line.withUnsafeBytes { line in
      let record = RetiredRecord.record(of: line)
      for index in lines(beginning: Array(line.key)) {
        if withLine(index, { RetiredRecord.record(of: $0).elementsEqual(record) }) { return true }
      }
      return false
    }
  }
}
