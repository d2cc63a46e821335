import Bytes
public import Keychain

/// Why a record went out of use.
public enum RetirementReason: String, Hashable, Sendable {
  /// A person deleted the item, or git erased it.
  case deleted
  /// The item was given another secret.
  case replaced
  /// A copy of the vault from elsewhere had another, newer secret for the item.
  case merged
}

/// An item before it was deleted or its secret was replaced. It can be brought back for 30 days.
public struct RetiredItem: Hashable, Sendable {
  /// The item, with its former reference and dates.
  public let item: Item
  /// When it went out of use.
  public let retired: Timestamp
  /// Why.
  public let reason: RetirementReason
  /// A hash seeded by this process, for items that differ only in secrets, as two machines can make at once.
  let line: Int
}

/// The line of a record that is out of use: the record's line with `old ` before its key, and the members `retired`
/// and `why` at its end. So these lines sort after all others, a search for an item never meets them, and everything
/// in the record survives, including members from newer versions.
///
/// After 30 days the record is forgotten. A deletion leaves a mark for another 150 days, 180 in all, which only names
/// the item. Without it, a copy of the vault that has been away would bring the item back.
struct RetiredRecord {
  static let keyPrefix = "old "

  let record: Record
  let retired: Timestamp
  let reason: RetirementReason
  let hasSecret: Bool

  /// Reads the parts of a line that are not confidential.
  ///
  /// - Throws: ``JSONReader/Malformed`` as ``Record/init(parsing:)`` does, or without a date of retirement.
  init(parsing line: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    record = try Record(parsing: line, keyPrefix: Self.keyPrefix)
    var retired: Timestamp?
    var reason: RetirementReason?
    var hasSecret = false
    try JSONReader.members(of: line) { (name, value) throws(JSONReader.Malformed) in
      if name == "retired" {
        // The last one counts: the record itself may have had a member of that name, with any value.
        retired = try? value.timestamp()
      } else if name == "why" {
        reason = (try? value.string()).flatMap { RetirementReason(rawValue: $0.description) }
      } else if name == "secret" || name == "secret_b64" {
        hasSecret = true
      }
    }
    // An unknown reason from a newer version must not lose the record.
    guard let retired else { throw JSONReader.Malformed() }
    self.retired = retired
    self.reason = reason ?? .replaced
    self.hasSecret = hasSecret
  }

  /// A hash, seeded by this process, that distinguishes the item and its secret from others. `line` is the record's.
  func secretHash(_ line: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(record.item.reference)
    // It was read as a whole already, so nothing in it is malformed.
    try? JSONReader.members(of: line) { (name, value) throws(JSONReader.Malformed) in
      if Credential.isConfidentialMember(name), !(name == "password_expiry_utc") {
        hasher.combine(bytes: value.raw)
      }
    }
    return hasher.finalize()
  }

  /// A record's line once it is out of use.
  static func line(
    of record: UnsafeRawBufferPointer, at now: Timestamp, _ reason: RetirementReason
  ) throws(JSONReader.Malformed) -> Secret {
    let opening = Record.opening.utf8CodeUnitCount
    var end = record.count
    while end > 0, record[end - 1] != UInt8(ascii: "}") { end -= 1 }
    guard end > opening else { throw JSONReader.Malformed() }
    var line = Secret(capacity: record.count + 96)
    line.append(Record.opening)
    line.append(contentsOf: ByteString(keyPrefix))
    line.append(UnsafeRawBufferPointer(rebasing: record[opening..<end - 1]))
    line.append(",\"retired\":\"")
    line.append(contentsOf: ByteString(now.description))
    line.append("\",\"why\":\"")
    line.append(contentsOf: ByteString(reason.rawValue))
    line.append("\"}")
    return line
  }

  /// The line before it went out of use, without the addition of ``line(of:at:_:)``. A quotation mark within a value
  /// is escaped, so the last match is the member.
  static func record(of line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let member: StaticString = ",\"retired\":\""
    var start = line.count - member.utf8CodeUnitCount
    while start >= 0, !(line.part(start, member.utf8CodeUnitCount) == member) { start -= 1 }
    return UnsafeRawBufferPointer(rebasing: line[..<max(start, 0)])
  }

  /// The mark of a deletion: its date and the members that name the item. All others are dropped.
  static func mark(of line: UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> Secret {
    var json = JSONWriter(capacity: line.count)
    json.beginObject()
    var members: [(UnsafeRawBufferPointer, UnsafeRawBufferPointer)] = []
    try JSONReader.members(of: line) { (name, value) throws(JSONReader.Malformed) in
      if isOfMark(name) { members.append((name, value.raw)) }
    }
    for (name, value) in members { json.rawMember(name: name, value: value) }
    json.endObject()
    return json.finish()
  }

  private static func isOfMark(_ name: UnsafeRawBufferPointer) -> Bool {
    if let attribute = Item.Attribute(jsonName: name.asWritten.name) { return attribute.isOfKey }
    let names: [StaticString] = ["k", "id", "id_b64", "rev", "class", "primaryAttributes", "retired", "why"]
    return names.contains { name == $0 }
  }

  /// Whether this line counts more than another of the same record. The latest deletion counts most, because other
  /// copies follow it. Each merge has another date, and the first is nearest to when the record went out of use.
  func saysMore(than other: RetiredRecord) -> Bool {
    if reason != other.reason { return reason == .deleted || other.reason == .merged }
    return reason == .merged ? retired < other.retired : retired > other.retired
  }

  /// The item, to bring back. `line` is the record's.
  func item(_ line: UnsafeRawBufferPointer) -> RetiredItem {
    var hasher = Hasher()
    hasher.combine(bytes: line)
    return RetiredItem(item: record.item, retired: retired, reason: reason, line: hasher.finalize())
  }

  enum Fate { case stays, leavesMark, goes }

  func fate(at now: Timestamp) -> Fate {
    let age = now.milliseconds - retired.milliseconds
    if age <= Self.retention { return .stays }
    guard reason == .deleted, age <= Self.markRetention else { return .goes }
    return hasSecret ? .leavesMark : .stays
  }
}
