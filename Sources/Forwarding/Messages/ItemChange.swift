import Bytes
package import Keychain

/// A change of one item, for sending. An object, because a credential can't be an element of an array.
package final class ItemChange {
  package enum Kind: Equatable, Sendable {
    /// Add an item; with its dates if it is from elsewhere.
    case add(Item, keepsDates: Bool)
    /// Change an item from the first state to the second.
    case update(Item, Item)
    /// Delete the item in this state.
    case delete(Item)
  }

  package let kind: Kind
  /// The new secret; `nil` if the item keeps its own.
  package let credential: Credential?
  /// The secret seen in the item; `nil` if none was. If the item has another one by now, nothing is changed.
  package let seen: Credential?

  package init(_ kind: Kind, _ credential: consuming Credential? = nil, seen: consuming Credential? = nil) {
    self.kind = kind
    self.credential = credential
    self.seen = seen
  }

  func write(to json: inout JSONWriter) {
    json.beginObject()
    switch kind {
    case .add(let item, let keepsDates):
      json.member("add", item: item)
      if keepsDates { json.member("keepsDates", true) }
    case .update(let former, let item):
      json.member("was", item: former)
      json.member("is", item: item)
    case .delete(let former): json.member("was", item: former)
    }
    credential.lend { json.member("credential", credential: $0) }
    seen.lend { json.member("seen", credential: $0) }
    json.endObject()
  }

  init(json value: JSONValue) throws(JSONReader.Malformed) {
    guard value.kind == .object else { throw JSONReader.Malformed() }
    var (added, former, item): (Item?, Item?, Item?)
    var keepsDates = false
    var credential: Credential?
    var seen: Credential?
    try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
      if name == "add" {
        added = try Item(json: value)
      } else if name == "was" {
        former = try Item(json: value)
      } else if name == "is" {
        item = try Item(json: value)
      } else if name == "keepsDates" {
        keepsDates = try value.bool()
      } else if name == "credential" {
        credential = try Credential(json: value)
      } else if name == "seen" {
        seen = try Credential(json: value)
      }
    }
    switch (added, former, item) {
    case (let added?, nil, nil): kind = .add(added, keepsDates: keepsDates)
    case (nil, let former?, let item?): kind = .update(former, item)
    case (nil, let former?, nil): kind = .delete(former)
    default: throw JSONReader.Malformed()
    }
    self.credential = credential
    self.seen = seen
  }
}

extension JSONWriter {
  mutating func member(_ name: StaticString, item: Item) {
    beginObject(name)
    members(of: item)
    endObject()
  }

  /// Writes an item with its reference and dates into an object already begun.
  mutating func members(of item: Item) {
    member("reference", item.reference?.bytes)
    attributes(of: item)
    member("created", item.creationDate)
    member("modified", item.modificationDate)
  }

  mutating func member(_ name: StaticString, credential: borrowing Credential) {
    beginObject(name)
    confidentialMembers(of: credential)
    endObject()
  }
}

extension Item {
  /// Reads an item with its reference and dates.
  init(json value: JSONValue) throws(JSONReader.Malformed) {
    guard value.kind == .object else { throw JSONReader.Malformed() }
    var attributes = ItemMembers()
    var reference: ByteString?
    var (created, modified): (Timestamp?, Timestamp?)
    try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
      if name == "reference" {
        reference = try value.string()
      } else if name == "reference_b64" {
        reference = try value.base64()
      } else if name == "created" {
        created = try value.timestamp()
      } else if name == "modified" {
        modified = try value.timestamp()
      } else {
        _ = try attributes.take(name, value)
      }
    }
    self = try attributes.item()
    self.reference = reference.map { ItemReference($0) }
    creationDate = created
    modificationDate = modified
  }
}

extension Credential {
  init(json value: JSONValue) throws(JSONReader.Malformed) {
    guard value.kind == .object else { throw JSONReader.Malformed() }
    try self.init(confidentialMembersOf: value.raw)
  }
}
