package import Bytes

/// A server's description of one version of a record: the member `metadata` in the reply to a read, or `data` in the
/// reply to a write.
package struct StoredVersion: Equatable, Sendable {
  package let number: Int
  package let created: Timestamp?
  /// When it was deleted; `nil` if it isn't, or not yet.
  package let deleted: Timestamp?
  /// Whether its data is gone for good.
  package let isDestroyed: Bool
  /// Whether it was deleted, for good or not.
  package var isDeleted: Bool { deleted != nil || isDestroyed }

  package init(number: Int, created: Timestamp?) {
    self.number = number
    self.created = created
    deleted = nil
    isDestroyed = false
  }

  /// Parses an object.
  ///
  /// - Throws: `JSONReader.Malformed` without a number from 1 to 2^31 − 1.
  package init(parsing object: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var number = 0
    var created: Timestamp?
    var deleted: Timestamp?
    var isDestroyed = false
    try JSONReader.members(of: object) { (name, value) throws(JSONReader.Malformed) in
      if name == "version" {
        number = try value.integer()
      } else if name == "created_time" {
        created = try Self.date(value)
      } else if name == "deletion_time" {
        // With `delete_version_after` it may be in the future.
        if let date = try Self.date(value), date <= .now { deleted = date }
      } else if name == "destroyed" {
        isDestroyed = try value.bool()
      }
    }
    guard 1...Int(Int32.max) ~= number else { throw JSONReader.Malformed() }
    self.number = number
    self.created = created
    self.deleted = deleted
    self.isDestroyed = isDestroyed
  }

  /// A date with up to nine digits after the seconds, of which three are kept; `nil` for an empty one.
  private static func date(_ value: JSONValue) throws(JSONReader.Malformed) -> Timestamp? {
    let text = try value.string().bytes
    if text.isEmpty { return nil }
    guard text.last == UInt8(ascii: "Z"), text.count >= 20 else { throw JSONReader.Malformed() }
    var seconds = Array(text.prefix(19))
    let rest = text.dropFirst(19).dropLast()
    if !rest.isEmpty {
      guard rest.first == UInt8(ascii: "."), 2...10 ~= rest.count,
        rest.dropFirst().allSatisfy({ 0x30...0x39 ~= $0 })
      else { throw JSONReader.Malformed() }
      seconds += (Array(rest) + [0x30, 0x30]).prefix(4)
    }
    guard let date = Timestamp(rfc3339: seconds + [UInt8(ascii: "Z")]) else { throw JSONReader.Malformed() }
    return date
  }
}

package enum ReadOutcome: ~Copyable {
  case record(ItemRecord, StoredVersion)
  /// Something other than an item of llavero's.
  case foreign(StoredVersion)
  /// The note left in place of a moved item.
  case moved(to: ItemPath, StoredVersion)
  /// An item whose newest version was deleted.
  case deleted(StoredVersion)
  /// Nothing, and no earlier version.
  case absent

  var version: StoredVersion? {
    switch self {
    case .record(_, let version): version
    case .foreign(let version): version
    case .moved(_, let version): version
    case .deleted(let version): version
    case .absent: nil
    }
  }

  /// Reads a reply with status 200 or 404 to `GET data/PATH`.
  ///
  /// - Throws: `JSONReader.Malformed` for anything else.
  package init(_ reply: borrowing ServerReply, at path: ItemPath) throws(JSONReader.Malformed) {
    var version: StoredVersion?
    var isPresent = false
    try reply.body.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
      try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
        guard name == "data", value.kind == .object else { return }
        try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
          if name == "metadata" { version = try StoredVersion(parsing: value.raw) }
          if name == "data" { isPresent = value.kind == .object }
        }
      }
    }
    guard let version else {
      guard reply.status == 404 else { throw JSONReader.Malformed() }
      self = .absent
      return
    }
    if version.isDeleted || !isPresent {
      self = .deleted(version)
      return
    }
    guard reply.status == 200 else { throw JSONReader.Malformed() }
    let destination = try? reply.withMember("data") { (data) throws(JSONReader.Malformed) in
      ItemRecord.destination(of: try ServerReply.object("data", of: data))
    }
    if let destination {
      self = .moved(to: destination, version)
      return
    }
    let record: ItemRecord
    do throws(JSONReader.Malformed) {
      record = try reply.withMember("data") { (data) throws(JSONReader.Malformed) in
        try ItemRecord(
          parsing: try ServerReply.object("data", of: data), at: path, inVersion: version.number,
          writtenAt: version.created)
      }
    } catch {
      self = .foreign(version)
      return
    }
    self = .record(record, version)
  }
}
