import Age
import Bytes
import Keychain
import PrivateFiles

extension VaultChange {
  /// Takes an item out of use. It can be brought back for a while. The date is always after the item's own, even if
  /// that is from a fast clock: a merge takes a deletion to apply to that state of the item.
  func retire(_ index: Int, _ reason: RetirementReason, at now: Timestamp) throws(KeychainError) {
    if isOfCopies { return remove(index) }
    let line = try retiredLine(index, reason, at: now)
    lines.remove(index)
    isDirty = true
    keep(line)
  }

  func retiredLine(
    _ index: Int, _ reason: RetirementReason, at now: Timestamp
  ) throws(KeychainError) -> Secret {
    let date = try lines.record(at: index, path: path).item.nextChange(at: now)
    do throws(JSONReader.Malformed) {
      return try lines.withLine(index) { (line) throws(JSONReader.Malformed) in
        try RetiredRecord.line(of: line, at: date, reason)
      }
    } catch {
      throw .malformedItem(path: path)
    }
  }

  func keep(_ line: borrowing Secret) {
    if lines.insert(line) { isDirty = true }
  }

  /// Leaves only the records out of use that are to be written: each once and for its time, and of each key
  /// ``RetiredRecord/maximumPerKey`` with their secrets. Of more, those go first whose secret is in a newer one, too,
  /// then the oldest; or they become the marks of their deletions.
  ///
  /// - Parameter now: the date by which a record's time is over.
  func settleRetired(at now: Timestamp) throws(KeychainError) {
    try keepEachOnce()
    var hasNewMarks = try forget { _, retired in retired.fate(at: now) }.marks > 0
    if try forgetSurplus(hasSecret: true, beyond: RetiredRecord.maximumPerKey) { hasNewMarks = true }
    // Two records may have differed only in members that a mark lacks.
    if hasNewMarks { try keepEachOnce() }
    try forgetSurplus(hasSecret: false, beyond: RetiredRecord.maximumMarksPerKey)
  }

  /// Of lines that differ only in date and reason, leaves the one that says most.
  private func keepEachOnce() throws(KeychainError) {
    // Such lines are adjacent.
    for index in (lines.inUse.upperBound..<lines.count).dropFirst().reversed()
    where lines.haveSameRecord(index - 1, index) {
      let later = try lines.retiredRecord(at: index, path: path)
      let isBetter = later.saysMore(than: try lines.retiredRecord(at: index - 1, path: path))
      lines.remove(isBetter ? index - 1 : index)
    }
  }

  /// Removes each key's surplus, with or without secrets. Returns whether marks were left.
  @discardableResult
  private func forgetSurplus(hasSecret: Bool, beyond limit: Int) throws(KeychainError) -> Bool {
    var surplus: Set<Int> = []
    var start = lines.inUse.upperBound
    // Lines of one key are adjacent, so there are too many only if the line `limit` places further has it, too.
    while start + limit < lines.count {
      if !lines.haveSameKey(start, start + limit) {
        start += 1
        continue
      }
      var end = start + limit + 1
      while end < lines.count, lines.haveSameKey(start, end) { end += 1 }
      surplus.formUnion(try bestFirst(start..<end, hasSecret: hasSecret).dropFirst(limit))
      start = end
    }
    if surplus.isEmpty { return false }
    return try forget { index, retired in
      if !surplus.contains(index) { return .stays }
      return retired.hasSecret && retired.reason == .deleted ? .leavesMark : .goes
    }.marks > 0
  }

  /// Some lines out of use, with secrets or without, most worth keeping first: the newest, but last those whose item
  /// has the same secret in a newer one.
  private func bestFirst(_ range: Range<Int>, hasSecret: Bool) throws(KeychainError) -> [Int] {
    var found: [(age: (Timestamp, Int64, Int), secret: Int)] = []
    for index in range {
      let retired = try lines.retiredRecord(at: index, path: path)
      if retired.hasSecret == hasSecret {
        let secret = lines.withLine(index) { retired.secretHash($0) }
        found.append(((retired.retired, retired.record.revision, index), secret))
      }
    }
    var seen: Set<Int> = []
    var (first, last): ([Int], [Int]) = ([], [])
    for record in found.sorted(by: { $0.age > $1.age }) {
      if seen.insert(record.secret).inserted { first.append(record.age.2) } else { last.append(record.age.2) }
    }
    return first + last
  }

  /// Removes everything out of use, except the marks of deletions: without them a copy of the vault would bring the
  /// items back. Returns how many records were removed or lost their secret.
  func forgetRetired(at now: Timestamp) throws(KeychainError) -> Int {
    let count = try forget { _, retired in
      if retired.reason != .deleted || retired.fate(at: now) == .goes { return .goes }
      return retired.hasSecret ? .leavesMark : .stays
    }.all
    if count > 0 { isDirty = true }
    return count
  }

  /// Removes records out of use, or replaces them by a mark. Returns how many, and the marks among them.
  private func forget(
    _ fate: (Int, RetiredRecord) -> RetiredRecord.Fate
  ) throws(KeychainError) -> (all: Int, marks: Int) {
    var marks = VaultLines()
    var count = 0
    for index in (lines.inUse.upperBound..<lines.count).reversed() {
      let fate = fate(index, try lines.retiredRecord(at: index, path: path))
      if fate == .stays { continue }
      if fate == .leavesMark {
        do throws(JSONReader.Malformed) {
          marks.insert(
            try lines.withLine(index) { (line) throws(JSONReader.Malformed) in
              try RetiredRecord.mark(of: line)
            })
        } catch {
          throw .malformedItem(path: path)
        }
      }
      lines.remove(index)
      count += 1
    }
    // Inserted last, because a mark may sort before a line still to be looked at.
    for index in 0..<marks.count { lines.insert(marks.withLine(index) { Secret(copying: $0) }) }
    return (count, marks.count)
  }
}
