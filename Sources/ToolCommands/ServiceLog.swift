package import Bytes
package import Keychain
package import PrivateFiles

/// A program's action through `llavero serve`, as a line of JSON without secrets.
package struct ServedAccess {
  package var date: Timestamp
  /// The file that the program ran, if that is known.
  package var program: String?
  package var process: UInt32?
  package var action: String
  package var items: [Item]
  /// How many items there were; ``items`` may name only some of them.
  package var count: Int
  package var outcome: String

  package init(
    date: Timestamp, program: String?, process: UInt32?, action: String, items: [Item], count: Int,
    outcome: String
  ) {
    (self.date, self.program, self.process) = (date, program, process)
    (self.action, self.items, self.count, self.outcome) = (action, items, count, outcome)
  }

  /// The longest text of an item in the log, in bytes: programs name items, and must not fill the log with a few.
  private static let maximumText = 512

  /// With a line feed.
  package var line: Secret {
    var json = JSONWriter()
    json.beginObject()
    json.member("date", date)
    json.member("program", program.map { ByteString($0) })
    json.member("process", process.map { Int($0) })
    json.member("action", ByteString(action))
    json.member("count", count)
    json.beginArray("items")
    for item in items {
      json.beginObject()
      json.member("place", Self.shown(item.key.place))
      json.member("account", item.key.account.map { Self.shown($0.description) })
      json.member("label", item.label.map { Self.shown($0.description) })
      json.endObject()
    }
    json.endArray()
    json.member("outcome", ByteString(outcome))
    json.endObject()
    return json.finishLine()
  }

  private static func shown(_ text: String) -> ByteString {
    // A character may consist of many bytes.
    text.utf8.count > maximumText
      ? ByteString(String(decoding: text.utf8.prefix(maximumText), as: UTF8.self) + "…") : ByteString(text)
  }
}

extension LineLog {
  package static func ofService(in folder: String) -> LineLog { LineLog(in: folder, named: "serve.log") }

  package func append(_ access: ServedAccess) { append(access.line) }
}
