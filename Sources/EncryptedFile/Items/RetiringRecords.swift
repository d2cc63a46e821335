import Age
import Bytes
import JSON
import Keychain
import PrivateFiles

extension VaultChange {
  /// Takes an item out of use. It can be brought back for a while. The date of the retirement is always after the
  /// item's own date, even if a clock that is ahead has set that one: a merge takes a deletion to apply to that state
  /// of the item.
  func retire(_ index: Int, _ reason: RetirementReason, at now: Timestamp) throws(KeychainError) {
    let line = try retiredLine(index, reason, at: now)
    lines.remove(index)
    isDirty = true
    try keep(line)
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

  /// Inserts the line of a record that is out of use, unless it is there already. At most
  /// ``RetiredRecord/maximumPerKey`` records of one key are kept with their secrets; beyond that the oldest are
  /// removed or leave the mark of their deletion.
  func keep(_ line: borrowing Secret) throws(KeychainError) {
    guard lines.insert(line) else { return }
    isDirty = true
    let key = line.withUnsafeBytes { Array($0.key) }
    if let oldest = try oldest(of: key, hasSecret: true, beyond: RetiredRecord.maximumPerKey) {
      var mark: Secret?
      if try lines.retiredRecord(at: oldest, path: path).reason == .deleted {
        do throws(JSONReader.Malformed) {
          mark = try lines.withLine(oldest) { (line) throws(JSONReader.Malformed) in
            try RetiredRecord.mark(of: line)
          }
        } catch {
          throw .malformedItem(path: path)
        }
      }
      lines.remove(oldest)
      if let mark = mark.take() { lines.insert(mark) }
    }
    if let oldest = try oldest(of: key, hasSecret: false, beyond: RetiredRecord.maximumMarksPerKey) {
      lines.remove(oldest)
    }
  }

  /// The index of the oldest record out of use of a key, with or without a secret, if there are more than `limit`.
  private func oldest(of key: [UInt8], hasSecret: Bool, beyond limit: Int) throws(KeychainError) -> Int? {
    var oldest: (index: Int, age: (Timestamp, Int64))?
    var count = 0
    for index in lines.lines(beginning: key) where lines.withLine(index, { $0.key.elementsEqual(key) }) {
      let retired = try lines.retiredRecord(at: index, path: path)
      if retired.hasSecret != hasSecret { continue }
      let age = (retired.retired, retired.record.revision)
      count += 1
      if oldest.map({ age < $0.age }) ?? true { oldest = (index, age) }
    }
    return count > limit ? oldest?.index : nil
  }

  /// Removes what has been out of use for long enough at that time.
  func forgetExpired(at now: Timestamp) throws(KeychainError) {
    try forget { $0.fate(at: now) }
  }

  /// Removes everything that is out of use, except the marks of deletions, without which a copy of the vault would
  /// bring the items back. Returns how many records were removed or lost their secret.
  func forgetRetired(at now: Timestamp) throws(KeychainError) -> Int {
    let count = try forget { retired in
      if retired.reason != .deleted || retired.fate(at: now) == .goes { return .goes }
      return retired.hasSecret ? .leavesMark : .stays
    }
    if count > 0 { isDirty = true }
    return count
  }

  /// Removes records that are out of use, or replaces them by a mark. Returns how many were affected.
  @discardableResult
  private func forget(_ fate: (RetiredRecord) -> RetiredRecord.Fate) throws(KeychainError) -> Int {
    var marks = VaultLines()
    var count = 0
    for index in (lines.inUse.upperBound..<lines.count).reversed() {
      let fate = fate(try lines.retiredRecord(at: index, path: path))
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
    // The marks are inserted afterwards, because one may sort before a line that is still to be looked at.
    for index in 0..<marks.count { lines.insert(marks.withLine(index) { Secret(copying: $0) }) }
    return count
  }
}
