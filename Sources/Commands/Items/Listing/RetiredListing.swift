import EncryptedFile
import JSON
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

  /// A table with a line for each item.
  var table: TextForTerminal {
    let rows = items.enumerated().map { position, retired in
      (isNumbered ? ["\(position + 1)"] : []) + [
        retired.item.key.secretServiceItem == nil ? retired.item.key.place : "\(retired.item.nameForSearch)",
        retired.item.key.account.map { "\($0)" } ?? "-", retired.reason.rawValue,
        dateText(retired.retired, seconds: true),
      ]
    }
    return columns([(isNumbered ? ["ENTRY"] : []) + ["PLACE", "ACCOUNT", "WHAT", "WHEN"]] + rows)
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
      json.endObject()
    }
    json.endArray()
    return json.finishLine()
  }
}
