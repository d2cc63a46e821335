import Bytes
import Keychain
import Terminals

enum ItemOutput {
  /// A JSON object and a line feed, with the secret.
  static func json(_ item: Item, _ credential: borrowing Credential) -> Secret {
    var json = JSONWriter()
    json.beginObject()
    members(of: item, in: &json)
    json.confidentialMembers(of: credential)
    json.endObject()
    return json.finishLine()
  }

  /// The same without the secret.
  static func json(_ item: Item) -> Secret {
    var json = JSONWriter()
    json.beginObject()
    members(of: item, in: &json)
    json.endObject()
    return json.finishLine()
  }

  /// A token's item as a JSON object and a line feed, with its lifetime.
  static func json(_ item: Item, expiry: Int64?, renewsItself: Bool) -> Secret {
    var json = JSONWriter()
    json.beginObject()
    members(of: item, expiry: expiry, renewsItself: renewsItself, in: &json)
    json.endObject()
    return json.finishLine()
  }

  /// A JSON array and a line feed, without secrets.
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

  /// Writes the members of an item, with those about its secret's lifetime.
  static func members(of item: Item, expiry: Int64?, renewsItself: Bool, in json: inout JSONWriter) {
    members(of: item, in: &json)
    json.member("password_expiry_utc", expiry)
    json.member("renews_itself", renewsItself)
  }

  /// Writes the members that every command's JSON has for an item, without its secret.
  static func members(of item: Item, in json: inout JSONWriter) {
    json.attributes(of: item)
    json.member("created", item.creationDate)
    json.member("modified", item.modificationDate)
    json.member("reference", item.reference?.bytes)
    json.member("keychain", item.keychain.map { ByteString($0) })
    if item.isHidden { json.member("hidden", true) }
  }
}
