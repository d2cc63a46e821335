import JSON
import Keychain
import Terminals

/// Output formats for items.
enum ItemOutput {
  /// An item as a JSON object and a line feed, with its secret.
  static func json(_ item: Item, _ credential: borrowing Credential) -> Secret {
    var json = JSONWriter()
    json.beginObject()
    members(of: item, in: &json)
    json.confidentialMembers(of: credential)
    json.endObject()
    return json.finishLine()
  }

  /// An item as a JSON object and a line feed, without its secret.
  static func json(_ item: Item) -> Secret {
    var json = JSONWriter()
    json.beginObject()
    members(of: item, in: &json)
    json.endObject()
    return json.finishLine()
  }

  /// Items as a JSON array and a line feed, without their secrets.
  static func json(_ items: [Item]) -> Secret {
    var json = JSONWriter()
    json.beginArray()
    for item in items {
      json.beginObject()
      members(of: item, in: &json)
      json.endObject()
    }
    json.endArray()
    return json.finishLine()
  }

  /// Writes the members that every command's JSON has for an item, without its secret.
  static func members(of item: Item, in json: inout JSONWriter) {
    json.attributes(of: item)
    json.member("created", item.creationDate)
    json.member("modified", item.modificationDate)
    json.member("reference", item.reference?.bytes)
  }
}
