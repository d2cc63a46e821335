import Bytes
import Keychain

// The queries of tools as JSON: the members are an item's, and a missing one may have any value.

extension JSONWriter {
  /// Writes a query as the member `query`. Only those for internet and generic passwords are ever sent: for others a
  /// list is requested.
  mutating func member(query: ItemQuery) {
    beginObject("query")
    if let key = query.key { attributes(of: Item(key)) }
    endObject()
  }
}

extension ItemQuery {
  init(json value: JSONValue) throws(JSONReader.Malformed) {
    guard value.kind == .object else { throw JSONReader.Malformed() }
    // The members are those of an item's attributes; only the path and the account mean more.
    var attributes = ItemMembers()
    try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
      _ = try attributes.take(name, value)
    }
    let key = try attributes.item().key
    guard key.itemClass.isPassword, let query = try? ItemQuery(for: key) else { throw JSONReader.Malformed() }
    self = query
  }
}
