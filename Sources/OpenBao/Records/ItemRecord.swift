package import Bytes
package import Keychain

/// An item as stored: an object whose values are strings, because a server keeps neither large numbers nor bytes that
/// aren't UTF-8.
///
/// The members are those of an item's JSON. Bytes that aren't UTF-8 are base64, in a member whose name ends in `_b64`.
/// Numbers, `true`, and sets of attributes are their JSON text.
///
/// - `created` is when the item was added.
/// - `modified` is the date of the last change, for an item from another keychain, and `modified_version` the version
///   it refers to. In any other version, somebody has changed the record since and kept both members, as `bao kv patch`
///   does; then, and without `modified`, the version's own date counts.
/// - `origin` is the path where the item was added, if it has moved since. Its former path then has a record whose only
///   member, `moved`, is the new path.
/// - `oauth_client` is the client that got a token and renews it.
/// - `replaced` has hashes of the last tokens before it, so that a machine with one of them recognizes it as a former
///   one.
/// - `write_id` is random for each write, so that its writer recognizes it: somebody else may have written the same
///   contents, as when two processes count up.
///
/// Everything is here, and nothing in the custom metadata, which has policies of its own. Members added by others are
/// kept. A record written by hand needs only `secret`: without `class`, the path tells its key.
package struct ItemRecord: ~Copyable {
  /// The item with its dates, without a reference.
  package var item: Item
  package var credential: Credential
  /// When it was added, as written; `nil` if a person wrote it.
  package var created: Timestamp?
  /// When it was last changed in another keychain, if not changed since; `nil` if the version's own date counts.
  package var modified: Timestamp?
  /// The path where it was added, if it has moved since.
  package var origin: ItemPath?
  /// The OAuth client that got a token, as JSON; `nil` if there is none.
  package var client: Secret?
  /// Hashes of the tokens before this one, the last one first. They reveal nothing, because tokens can't be guessed.
  private var replaced: [UInt64] = []
  private static let maximumReplaced = 8
  /// The mark of this version's write; `nil` if a person wrote it.
  package private(set) var writeID: ByteString?
  /// An object with the members that aren't an item's.
  package var others: Secret

  package init(
    _ item: Item, _ credential: consuming Credential, created: Timestamp?, modified: Timestamp? = nil
  ) {
    self.item = item
    self.credential = credential
    self.created = created
    self.modified = modified
    others = Secret("{}")
  }

  /// Whether the value of a member is JSON in a string.
  private static func isTyped(_ name: UnsafeRawBufferPointer) -> Bool {
    if let attribute = Item.Attribute(jsonName: name) { return attribute.form != .text }
    let typed: [StaticString] = [
      "password_expiry_utc", "attributes", "primaryAttributes", "lookupAttributes", "fields", "tags",
      "secretFields",
    ]
    return typed.contains { name == $0 }
  }

  /// The object.
  ///
  /// - Parameter version: the number of the version.
  package borrowing func encoded(inVersion version: Int) -> Secret {
    var typed = JSONWriter(capacity: 1024)
    typed.beginObject()
    typed.attributes(of: item)
    typed.confidentialMembers(of: credential)
    typed.endObject()
    let text = typed.finish()
    var json = JSONWriter(capacity: text.count + 256)
    json.beginObject()
    text.withUnsafeBytes { text in
      // It was just written, so it can be read.
      try? JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
        if value.kind == .string {
          json.rawMember(name: name, value: value.raw)
        } else {
          json.textMember(try JSONValue.name(name), value.raw)
        }
      }
    }
    json.member("created", created)
    json.member("modified", modified)
    if modified != nil { json.member("modified_version", ByteString("\(version)")) }
    json.member("origin", origin.map { ByteString($0.text) })
    client.lend { json.member("oauth_client", $0) }
    if !replaced.isEmpty {
      json.member(
        "replaced", ByteString(replaced.map { String($0, radix: 16) }.joined(separator: " ")))
    }
    json.member("write_id", writeID)
    others.withUnsafeBytes { others in
      try? JSONReader.members(of: others) { (name, value) throws(JSONReader.Malformed) in
        json.rawMember(name: name, value: value.raw)
      }
    }
    json.endObject()
    return json.finish()
  }

  /// Reads a record.
  ///
  /// - Parameters:
  ///   - text: the object.
  ///   - path: where it is stored.
  ///   - version: the number of its version.
  ///   - date: the date of its version.
  /// - Throws: `JSONReader.Malformed` unless it is an item that belongs there: a copy at another path would answer for
  ///   something that its policies aren't about.
  package init(
    parsing text: UnsafeRawBufferPointer, at path: ItemPath, inVersion version: Int,
    writtenAt date: Timestamp?
  ) throws(JSONReader.Malformed) {
    var created: Timestamp?
    var modified: Timestamp?
    // Such a record came from another keychain before that was noted; nearly always as the first version.
    var modifiedVersion: ByteString = "1"
    var origin: ItemPath?
    var client: Secret?
    var replaced: [UInt64] = []
    var writeID: ByteString?
    var typed = JSONWriter(capacity: text.count)
    typed.beginObject()
    var hasClass = false
    try JSONReader.members(of: text) { (name, _) throws(JSONReader.Malformed) in
      if name == "class" { hasClass = true }
    }
    if !hasClass { typed.attributes(of: Item(path.key)) }
    try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
      if name == "created" {
        created = try value.timestamp()
      } else if name == "modified" {
        modified = try value.timestamp()
      } else if name == "modified_version" {
        modifiedVersion = try value.string()
      } else if name == "origin" {
        origin = ItemPath(parsing: "\(try value.string())")
      } else if name == "oauth_client" {
        // A person writes it as an object.
        var text = Secret(capacity: value.raw.count)
        if value.kind == .object { text.append(value.raw) } else { try value.appendString(to: &text) }
        client = consume text
      } else if name == "replaced", value.kind == .string {
        replaced = "\(try value.string())".split(separator: " ").compactMap { UInt64($0, radix: 16) }
      } else if name == "write_id", value.kind == .string {
        writeID = try value.string()
      } else if value.kind == .string, Self.isTyped(name) {
        try Self.append(name, value, to: &typed)
      } else {
        typed.rawMember(name: name, value: value.raw)
      }
    }
    typed.endObject()
    let object = typed.finish()
    var attributes = ItemMembers()
    var others = JSONWriter()
    others.beginObject()
    try object.withUnsafeBytes { (object) throws(JSONReader.Malformed) in
      try JSONReader.members(of: object) { (name, value) throws(JSONReader.Malformed) in
        if try attributes.take(name, value) || Credential.isConfidentialMember(name) { return }
        others.rawMember(name: name, value: value.raw)
      }
    }
    others.endObject()
    if modifiedVersion != ByteString("\(version)") { modified = nil }
    var item = try attributes.item()
    guard item.key.primaryKey == path.key else { throw JSONReader.Malformed() }
    item.creationDate = created ?? date
    item.modificationDate = modified ?? date
    let credential = try object.withUnsafeBytes { (object) throws(JSONReader.Malformed) in
      try Credential(confidentialMembersOf: object)
    }
    self.init(item, credential, created: created, modified: modified)
    self.origin = origin
    self.client = client
    self.replaced = Array(replaced.prefix(Self.maximumReplaced))
    self.writeID = writeID
    self.others = others.finish()
  }

  /// Chooses the mark by which its writer recognizes this write.
  package mutating func beginWrite() {
    writeID = ByteString(String(UInt64.random(in: 0...UInt64.max), radix: 16))
  }

  /// Takes over an earlier record's members that aren't the item's.
  package mutating func takeRest(of former: borrowing ItemRecord) {
    others = former.others.copy()
    client = former.copyOfClient()
    replaced = former.replaced
    guard former.credential.hasRefreshToken, !former.credential.hasSameSecret(as: credential) else { return }
    replaced = Array(([Self.hash(former.credential.secret)] + replaced).prefix(Self.maximumReplaced))
  }

  private static func hash(_ secret: borrowing Secret) -> UInt64 { secret.withUnsafeBytes { fnv1a($0) } }

  package borrowing func hasReplaced(_ secret: borrowing Secret) -> Bool {
    replaced.contains(Self.hash(secret)) && !credential.secret.isEqual(to: secret)
  }

  package borrowing func copyOfClient() -> Secret? { client.lend { $0.copy() } }

  /// The record left in place of a moved item, for processes that know it by its reference.
  ///
  /// - Parameter path: its new path.
  package static func moved(to path: ItemPath) -> Secret {
    var json = JSONWriter()
    json.beginObject()
    json.member("moved", ByteString(path.text))
    json.endObject()
    return json.finish()
  }

  /// The path in such a record; `nil` for any other record.
  package static func destination(of text: UnsafeRawBufferPointer) -> ItemPath? {
    var path: ItemPath?
    var count = 0
    try? JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
      count += 1
      if name == "moved" { path = ItemPath(parsing: "\(try value.string())") }
    }
    return count == 1 ? path : nil
  }

  /// Writes a member whose value is JSON text in a string.
  private static func append(
    _ name: UnsafeRawBufferPointer, _ value: JSONValue, to json: inout JSONWriter
  ) throws(JSONReader.Malformed) {
    var text = Secret(capacity: value.raw.count)
    try value.appendString(to: &text)
    try text.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
      // Only a single value: more text would become further members.
      var array = Secret("[")
      array.append(text)
      array.append("]")
      var count = 0
      try array.withUnsafeBytes { (array) throws(JSONReader.Malformed) in
        try JSONReader.elements(of: array) { (_) throws(JSONReader.Malformed) in count += 1 }
      }
      guard count == 1 else { throw JSONReader.Malformed() }
      json.rawMember(name: name, value: text)
    }
  }
}
