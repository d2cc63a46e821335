import Bytes
import JSON
import Keychain

/// When an item's key, its other attributes and its confidential parts were last changed. When two copies of a vault
/// are merged, each contributes the parts that it changed.
///
/// In a record they are the member `changed`, which is absent if all three equal `modified`. The member counts only
/// while its own `modified` equals the record's: a program that doesn't know the member keeps it unchanged when it
/// changes the item.
struct ChangeDates: Equatable {
  var key: Timestamp
  var attributes: Timestamp
  var secret: Timestamp

  /// The same date for all three.
  init(all date: Timestamp) {
    (key, attributes, secret) = (date, date, date)
  }

  /// The dates of a record.
  ///
  /// - Throws: ``JSONReader/Malformed`` if the line is not an object.
  init(of line: UnsafeRawBufferPointer, _ item: Item) throws(JSONReader.Malformed) {
    self.init(all: item.changeDate)
    var noted: JSONValue?
    try JSONReader.members(of: line) { (name, value) throws(JSONReader.Malformed) in
      if name == "changed" { noted = value }
    }
    guard let noted, noted.kind == .object else { return }
    var dates: [Timestamp?] = [nil, nil, nil, nil]
    try JSONReader.members(of: noted.raw) { (name, value) throws(JSONReader.Malformed) in
      for (index, known) in Self.names.enumerated() where name == known {
        dates[index] = try? value.timestamp()
      }
    }
    guard dates[0] == item.changeDate, let key = dates[1], let attributes = dates[2], let secret = dates[3]
    else {
      return
    }
    (self.key, self.attributes, self.secret) = (key, attributes, secret)
  }

  /// The dates of an item after a change.
  ///
  /// - Parameters:
  ///   - former: the dates before.
  ///   - item: the item before the change.
  ///   - changed: the item after it, with its new date.
  ///   - hasOtherSecret: whether any confidential part has changed.
  init(after former: ChangeDates, from item: Item, to changed: Item, hasOtherSecret: Bool) {
    self = former
    if item.key != changed.key { key = changed.changeDate }
    if !item.hasSameAttributes(as: changed) { attributes = changed.changeDate }
    if hasOtherSecret { secret = changed.changeDate }
  }

  private static let names: [StaticString] = ["modified", "key", "attributes", "secret"]

  /// Writes the member.
  func write(_ modified: Timestamp, to json: inout JSONWriter) {
    if self == ChangeDates(all: modified) { return }
    json.beginObject("changed")
    json.member("modified", modified)
    json.member("key", key)
    json.member("attributes", attributes)
    json.member("secret", secret)
    json.endObject()
  }
}

extension Item {
  /// Whether both have the same attributes, apart from their keys and dates.
  func hasSameAttributes(as other: Item) -> Bool {
    var compared = other
    compared.key = key
    (compared.creationDate, compared.modificationDate) = (creationDate, modificationDate)
    compared.reference = reference
    return compared == self
  }
}
