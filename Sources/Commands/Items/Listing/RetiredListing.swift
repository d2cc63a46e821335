import Bytes
import EncryptedFile
import Keychain
import Terminals

/// An item that was deleted, or a secret that was replaced, and can be brought back.
struct Retired {
  /// The item, as it was.
  let item: Item
  /// When it went out of use.
  let retired: Timestamp
  /// Why.
  let reason: RetirementReason
  /// Brings it back, and returns the item. It may replace the present secret.
  let bringBack: (_ replacing: Bool) throws(KeychainError) -> Item
}

/// What `llavero undelete --list` prints.
struct RetiredListing {
  /// Deleted items and replaced secrets, the latest first.
  let items: [Retired]
  /// Whether the items have numbers, which `--entry` takes. They count within one place.
  let isNumbered: Bool
  /// Whether they are of several keychains, so that each is named.
  let hasKeychains: Bool

  /// A table with a line for each item.
  var table: TextForTerminal {
    var titles = ["PLACE", "ACCOUNT", "WHAT", "WHEN"]
    if hasKeychains { titles.insert("KEYCHAIN", at: 2) }
    if isNumbered { titles.insert("ENTRY", at: 0) }
    let rows = items.enumerated().map { position, retired in
      let item = retired.item
      var row = [
        item.key.secretServiceItem == nil ? item.key.place : "\(item.nameForSearch)",
        item.key.account.map { "\($0)" } ?? "-", retired.reason.rawValue,
        dateText(retired.retired, seconds: true),
      ]
      if hasKeychains { row.insert(item.keychain ?? "-", at: 2) }
      if isNumbered { row.insert("\(position + 1)", at: 0) }
      return row
    }
    return columns([titles] + rows)
  }

  /// A JSON array with an object for each item, with a line end.
  var json: Secret {
    var json = JSONWriter()
    json.beginArray()
    for (position, retired) in items.enumerated() {
      json.beginObject()
      if isNumbered { json.member("entry", position + 1) }
      json.member("reason", ByteString(retired.reason.rawValue))
      json.member("retired", retired.retired)
      json.attributes(of: retired.item)
      json.member("created", retired.item.creationDate)
      json.member("modified", retired.item.modificationDate)
      json.member("reference", retired.item.reference?.bytes)
      json.member("keychain", retired.item.keychain.map { ByteString($0) })
      json.endObject()
    }
    json.endArray()
    return json.finishLine()
  }
}
