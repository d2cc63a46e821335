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

  /// The first line of a table of items.
  static let header = ["PLACE", "ACCOUNT", "CHANGED", ""]

  /// Items as a table for people.
  static func table(_ items: [Item]) -> TextForTerminal { columns([header] + items.map(row)) }

  /// An item as a line of a table for people.
  static func row(_ item: Item) -> [String] {
    [item.key.place, item.key.account.map { "\($0)" } ?? "-", changed(item), remark(on: item)].map(
      terminalText)
  }

  /// Writes the members that every command's JSON has for an item, without its secret.
  static func members(of item: Item, in json: inout JSONWriter) {
    json.attributes(of: item)
    json.member("created", item.creationDate)
    json.member("modified", item.modificationDate)
    json.member("reference", item.reference?.bytes)
  }

  private static func changed(_ item: Item) -> String {
    guard let date = item.modificationDate else { return "-" }
    return dateText(date)
  }

  private static func remark(on item: Item) -> String {
    let noted = [item.label, item.comment].compactMap { $0 }.map { "\($0)" }.joined(separator: ": ")
    if !item.isDefault { return noted }
    return noted.isEmpty ? "default" : "default; " + noted
  }
}
