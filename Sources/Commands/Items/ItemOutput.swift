import Bytes
import Keychain
import ToolCommands

enum ItemOutput {
  /// A JSON object and a line feed, with the secret.
  static func json(_ item: Item, _ credential: borrowing Credential) -> Secret {
    var json = JSONWriter()
    object(of: item, credential, in: &json)
    return json.finishLine()
  }

  /// Writes an object, with the secret.
  static func object(of item: Item, _ credential: borrowing Credential, in json: inout JSONWriter) {
    json.beginObject()
    members(of: item, in: &json)
    json.confidentialMembers(of: credential)
    json.endObject()
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

extension Item {
  /// The item for `--json`, without its secret.
  var report: JSONObject { JSONObject { ItemOutput.members(of: self, in: &$0) } }

  /// The same with the lifetime of its secret.
  func report(expiry: Int64?, renewsItself: Bool) -> JSONObject {
    report + ["password_expiry_utc": expiry, "renews_itself": renewsItself]
  }
}
