import Bytes
import Keychain

/// When an item's key, its other attributes, its secret and its further secrets (never for tools) last changed. When
/// two copies of a vault are merged, each contributes the parts that it changed.
///
/// In a record they are the member `changed`, absent if all equal `modified`; the further secrets have a date of their
/// own there if it isn't the secret's, or if they were removed. The member counts only while its own `modified` equals
/// the record's: a program that doesn't know the member keeps it unchanged when it changes the item.
struct ChangeDates: Equatable {
  var key: Timestamp
  var attributes: Timestamp
  var secret: Timestamp
  /// ``never`` if there never were any.
  var further: Timestamp

  static let never = Timestamp(milliseconds: .min)

  init(all date: Timestamp) {
    (key, attributes, secret, further) = (date, date, date, date)
  }

  /// The dates of a record.
  ///
  /// - Throws: ``JSONReader/Malformed`` if the line is not an object.
  init(of line: UnsafeRawBufferPointer, _ item: Item) throws(JSONReader.Malformed) {
    self.init(all: item.changeDate)
    var noted: JSONValue?
    var hasFurther = false
    try JSONReader.members(of: line) { (name, value) throws(JSONReader.Malformed) in
      if name == "changed" { noted = value }
      if FurtherSecrets.isMember(name) { hasFurther = true }
    }
    if !hasFurther { further = Self.never }
    guard let noted, noted.kind == .object else { return }
    var dates: [Timestamp?] = [nil, nil, nil, nil, nil]
    try JSONReader.members(of: noted.raw) { (name, value) throws(JSONReader.Malformed) in
      for (index, known) in Self.names.enumerated() where name == known {
        dates[index] = try? value.timestamp()
      }
    }
    guard dates[0] == item.changeDate, let key = dates[1], let attributes = dates[2], let secret = dates[3]
    else {
      return
    }
    (self.key, self.attributes, self.secret, further) = (
      key, attributes, secret, dates[4] ?? (hasFurther ? secret : Self.never)
    )
  }

  /// The dates after a change of the item from `item` with `before` to `changed` with `after`.
  init(
    after former: ChangeDates, from item: Item, to changed: Item,
    _ before: borrowing Credential, _ after: borrowing Credential
  ) {
    self = former
    if item.key != changed.key { key = changed.changeDate }
    if !item.hasSameNotes(as: changed) { attributes = changed.changeDate }
    if !before.isSameForTools(as: after) { secret = changed.changeDate }
    if !before.further.isSame(as: after.further) { further = changed.changeDate }
  }

  private static let names: [StaticString] = ["modified", "key", "attributes", "secret", "further"]

  func write(_ modified: Timestamp, hasFurther: Bool, to json: inout JSONWriter) {
    let isImplied = further == (hasFurther ? secret : Self.never)
    if isImplied, [key, attributes, secret].allSatisfy({ $0 == modified }) { return }
    json.beginObject("changed")
    json.member("modified", modified)
    json.member("key", key)
    json.member("attributes", attributes)
    json.member("secret", secret)
    if !isImplied { json.member("further", further) }
    json.endObject()
  }
}
