import Bytes
import Keychain

/// One line of a vault: an item and its confidential parts, as a JSON object.
///
/// The members are `k` (see `SortKey`), `id`, `rev`, `created`, `modified`, then the item's attributes and its
/// secret. Members that this version doesn't know survive a change.
struct Record {
  let item: Item
  /// The generation in which the item last changed.
  let revision: Int64

  static let opening: StaticString = #"{"k":""#

  /// Reads the parts that are not confidential.
  ///
  /// - Parameter keyPrefix: the text before the key, if the record is out of use.
  /// - Throws: ``JSONReader/Malformed`` if the line is no record of this format, or its `k` is not the key of its
  ///   attributes: then no search could be trusted.
  init(parsing line: UnsafeRawBufferPointer, keyPrefix: String = "") throws(JSONReader.Malformed) {
    var attributes = ItemMembers()
    var key: UnsafeRawBufferPointer?
    var reference: ByteString?
    var revision: Int64 = 0
    var created: Timestamp?
    var modified: Timestamp?
    try JSONReader.members(of: line) { (name, value) throws(JSONReader.Malformed) in
      if name == "k" {
        // Lines are sorted and searched by the first `k`; a second one would file a record under another's key.
        guard value.kind == .string, key == nil else { throw JSONReader.Malformed() }
        key = UnsafeRawBufferPointer(rebasing: value.raw[1..<value.raw.count - 1])
      } else if name == "id" {
        reference = try value.string()
      } else if name == "id_b64" {
        reference = try value.base64()
      } else if name == "rev" {
        revision = try value.integer()
      } else if name == "created" {
        created = try value.timestamp()
      } else if name == "modified" {
        modified = try value.timestamp()
      } else {
        _ = try attributes.take(name, value)
      }
    }
    var item = try attributes.item()
    let expected = Array(keyPrefix.utf8) + SortKey.whole(of: item.key)
    guard let key, let reference, expected.withUnsafeBytes(key.equals) else { throw JSONReader.Malformed() }
    item.reference = ItemReference(reference)
    item.creationDate = created
    item.modificationDate = modified
    self.item = item
    self.revision = revision
  }

  /// Reads the confidential parts.
  ///
  /// - Throws: ``JSONReader/Malformed`` if there is no secret or it can't be decoded.
  static func credential(parsing line: UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> Credential {
    try Credential(confidentialMembersOf: line)
  }

  /// The record of an item, as a JSON object.
  ///
  /// - Parameters:
  ///   - changed: when its parts changed; `nil` if all did when the item was changed.
  ///   - previous: the item's former line, whose unknown members are kept.
  /// - Throws: ``JSONReader/Malformed`` if `previous` is not a JSON object.
  static func line(
    _ item: Item, _ credential: borrowing Credential, revision: Int64, changed: ChangeDates? = nil,
    previous: UnsafeRawBufferPointer?
  ) throws(JSONReader.Malformed) -> Secret {
    var json = JSONWriter(capacity: 512)
    json.beginObject()
    json.member("k", ByteString(SortKey.whole(of: item.key)))
    json.member("id", item.reference?.bytes)
    json.member("rev", revision)
    json.member("created", item.creationDate)
    json.member("modified", item.modificationDate)
    changed?.write(item.changeDate, hasFurther: !credential.further.isEmpty, to: &json)
    json.attributes(of: item)
    json.confidentialMembers(of: credential)
    if let previous {
      var unknown: [(UnsafeRawBufferPointer, UnsafeRawBufferPointer)] = []
      try JSONReader.members(of: previous) { (name, value) throws(JSONReader.Malformed) in
        if try !isKnown(name, value) { unknown.append((name, value.raw)) }
      }
      for (name, value) in unknown { json.rawMember(name: name, value: value) }
    }
    json.endObject()
    return json.finish()
  }

  /// The beginning of an item's record if this program wrote it and its reference needs no escaping.
  static func beginning(_ key: [UInt8], _ reference: ItemReference) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(opening.utf8CodeUnitCount + key.count + reference.bytes.bytes.count + 9)
    text += UnsafeRawBufferPointer(start: opening.utf8Start, count: opening.utf8CodeUnitCount)
    text += key
    text += #"","id":""#.utf8
    text += reference.bytes.bytes
    text += #"","#.utf8
    return text
  }

  private static func isKnown(
    _ name: UnsafeRawBufferPointer, _ value: JSONValue
  ) throws(JSONReader.Malformed) -> Bool {
    let known: [StaticString] = [
      "k", "id", "id_b64", "rev", "created", "modified", "changed", "retired", "why",
    ]
    if known.contains(where: { name == $0 }) || Credential.isConfidentialMember(name) { return true }
    var attributes = ItemMembers()
    return try attributes.take(name, value)
  }
}

extension Item {
  /// When it last changed, as far as known.
  var changeDate: Timestamp { modificationDate ?? creationDate ?? Timestamp(milliseconds: 0) }
}
