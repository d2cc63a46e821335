package import Bytes
package import Keychain
package import PrivateFiles

/// A program's action through `llavero serve`, as a line of JSON without secrets.
package struct ServedAccess: JSONMessage {
  /// What the log tells of an item.
  package struct Named: JSONMessage {
    package var place: ByteString = ""
    package var account: ByteString?
    package var label: ByteString?

    package init() {}

    package init(_ item: Item) {
      place = Self.shown(item.key.place)
      account = item.key.account.map { Self.shown($0.description) }
      label = item.label.map { Self.shown($0.description) }
    }

    /// The longest text of an item in the log, in bytes: programs name items, and must not fill the log with a few.
    private static let maximumText = 512

    private static func shown(_ text: String) -> ByteString {
      // A character may consist of many bytes.
      text.utf8.count > maximumText
        ? ByteString(String(decoding: text.utf8.prefix(maximumText), as: UTF8.self) + "…") : ByteString(text)
    }

    package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
      try members.member("place", &place)
      try members.member("account", &account)
      try members.member("label", &label)
    }
  }

  package private(set) var date: Timestamp?
  /// The file that the program ran, if that is known.
  package private(set) var program: String?
  package private(set) var process: Int?
  package private(set) var action = ""
  package private(set) var items: [Named] = []
  /// How many items there were; ``items`` may name only some of them.
  package private(set) var count = 0
  package private(set) var outcome = ""

  package init(
    date: Timestamp, program: String?, process: UInt32?, action: String, items: [Item], count: Int,
    outcome: String
  ) {
    (self.date, self.program, self.process) = (date, program, process.map { Int($0) })
    (self.action, self.items, self.count, self.outcome) = (action, items.map(Named.init), count, outcome)
  }

  /// Reads a line of the log.
  ///
  /// - Throws: `JSONReader.Malformed` for anything else.
  package init(parsing line: UnsafeRawBufferPointer) throws(JSONReader.Malformed) { try read(line) }

  package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    try members.need("date", "action", "outcome")
    try members.member("date", &date)
    try members.member("program", &program)
    try members.member("process", &process)
    try members.member("action", &action)
    try members.member("count", &count)
    try members.objects("items", &items) { Named() }
    try members.member("outcome", &outcome)
  }
}

extension LineLog {
  package static func ofService(in folder: String) -> LineLog { LineLog(in: folder, named: "serve.log") }

  package func append(_ access: ServedAccess) { append(access.encodedLine) }
}
