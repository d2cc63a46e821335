package import Bytes
package import Keychain

/// The extension of the SSH agent protocol for forwarding a keychain.
package enum KeychainExtension {
  package static let name: StaticString = "keychain-v1@llavero"

  /// The largest request or response in bytes: one of the largest items, and the attributes of others. OpenSSH forwards
  /// larger ones.
  package static let maximumSize = 2 * ItemBounds.item
}

/// A request to a forwarded keychain: one JSON object.
package struct ForwardRequest: ~Copyable {
  /// The tool, as named by the other side; this isn't verified.
  package let tool: ByteString
  package let purpose: Purpose
  package let action: Action

  /// Why the other side sends a request.
  package enum Purpose: String, Hashable, Sendable {
    case get
    case store
    case erase
  }

  package enum Action {
    /// Whether the keychain can be used, without opening it.
    case probe
    /// The items that match a query, with the secret of the best one.
    case find(ItemQuery)
    /// The items that rules allow, without secrets. Nobody is asked for a list.
    case list
    /// The secret of an item, with the query that found it, if any.
    case credential(ItemReference, ItemQuery?)
    /// Changes, made all or not at all.
    case change([ItemChange])
    /// The outcome of a request that a person is deciding about.
    case wait(ticket: ByteString)
  }

  /// The longest name of a tool, and the longest ticket, in bytes.
  package static let maximumTool = 64
  package static let maximumChanges = 1000

  package init(_ action: Action, tool: ByteString, for purpose: Purpose = .get) {
    self.action = action
    self.tool = tool
    self.purpose = purpose
  }

  package var encoded: Secret {
    var json = JSONWriter()
    json.beginObject()
    json.member("tool", tool)
    json.member("for", ByteString(purpose.rawValue))
    switch action {
    case .probe: json.member("do", "probe" as ByteString)
    case .list: json.member("do", "list" as ByteString)
    case .find(let query):
      json.member("do", "find" as ByteString)
      json.member(query: query)
    case .credential(let reference, let query):
      json.member("do", "credential" as ByteString)
      json.member("reference", reference.bytes)
      if let query { json.member(query: query) }
    case .change(let changes):
      json.member("do", "change" as ByteString)
      json.beginArray("changes")
      for change in changes { change.write(to: &json) }
      json.endArray()
    case .wait(let ticket):
      json.member("do", "wait" as ByteString)
      json.member("ticket", ticket)
    }
    json.endObject()
    return json.finish()
  }

  /// - Throws: ``JSONReader/Malformed`` for anything that ``encoded`` never writes; unknown members are ignored.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var fields = RequestFields()
    try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
      try fields.take(name, value)
    }
    guard let tool = fields.tool, Self.isWord(tool),
      let purpose = fields.purpose?.text.flatMap(Purpose.init(rawValue:))
    else { throw JSONReader.Malformed() }
    self.init(try fields.action(), tool: tool, for: purpose)
  }

  /// The query for its items; `nil` for a list, and for a change.
  package var query: ItemQuery? {
    switch action {
    case .find(let query), .credential(_, let query?): query
    default: nil
    }
  }

  /// Whether it can be a tool's name or a ticket: 1 to ``maximumTool`` visible ASCII characters.
  package static func isWord(_ text: ByteString) -> Bool {
    1...maximumTool ~= text.bytes.count && text.bytes.allSatisfy { 0x21...0x7e ~= $0 }
  }
}

private struct RequestFields {
  var tool: ByteString?
  var purpose: ByteString?
  private var name: ByteString?
  private var query: ItemQuery?
  private var reference: ByteString?
  private var ticket: ByteString?
  private var changes: [ItemChange]?

  mutating func take(_ name: UnsafeRawBufferPointer, _ value: JSONValue) throws(JSONReader.Malformed) {
    if name == "tool" {
      tool = try value.string()
    } else if name == "for" {
      purpose = try value.string()
    } else if name == "do" {
      self.name = try value.string()
    } else if name == "query" {
      query = try ItemQuery(json: value)
    } else if name == "reference" {
      reference = try value.string()
    } else if name == "reference_b64" {
      reference = try value.base64()
    } else if name == "ticket" {
      ticket = try value.string()
    } else if name == "changes" {
      changes = try Self.changes(value)
    }
  }

  private static func changes(_ value: JSONValue) throws(JSONReader.Malformed) -> [ItemChange] {
    guard value.kind == .array else { throw JSONReader.Malformed() }
    var changes: [ItemChange] = []
    try JSONReader.elements(of: value.raw) { (element) throws(JSONReader.Malformed) in
      guard changes.count < ForwardRequest.maximumChanges else { throw JSONReader.Malformed() }
      changes.append(try ItemChange(json: element))
    }
    return changes
  }

  func action() throws(JSONReader.Malformed) -> ForwardRequest.Action {
    switch name {
    case "probe": return .probe
    case "list": return .list
    case "find":
      if let query { return .find(query) }
    case "credential":
      if let reference { return .credential(ItemReference(reference), query) }
    case "change":
      if let changes { return .change(changes) }
    case "wait":
      if let ticket, ForwardRequest.isWord(ticket) { return .wait(ticket: ticket) }
    default: break
    }
    throw JSONReader.Malformed()
  }
}
