import Bytes
import EncryptedFile
import JSON
import Keychain
import KeychainChoice
import Terminals
import ToolCommands

extension OpenKeychain {
  /// Gives every item without its secret, sorted as an encrypted file is: generic passwords by service, then internet
  /// passwords by server, protocol, port, tool and account. From the file each comes as soon as it is read.
  ///
  /// - Parameter body: returns whether it wants more.
  /// - Throws: ``Failure`` if the keychain can't be read, perhaps after some were given.
  func forEachItem(_ body: (Item) -> Bool) throws(Failure) {
    switch store {
    case .file(let file):
      try explaining(file.forEachItem(body))
    case .secretService(let service):
      let items = try explaining(service.items(matching: .all))
        .map { (key: RecordKey.whole(of: $0.key), item: $0) }
        .sorted { $0.key.lexicographicallyPrecedes($1.key) }
      for (_, item) in items { if !body(item) { return } }
    }
  }
}

/// Prints items as they come: the first few at once, then many at a time.
struct ItemPrinter: ~Copyable {
  /// How items are printed.
  enum Form {
    case table
    case json
    case format(OutputFormat)
  }

  private let form: Form
  private let style: TerminalStyle
  private var table: Table
  private var json = JSONWriter(capacity: 4096)
  private var rows: [[String]] = []
  private var text: [UInt8] = []
  /// How many have come.
  private(set) var count = 0
  /// How many come before something is printed.
  private var batch = 64

  init(_ form: Form) {
    self.form = form
    style = TerminalStyle()
    table = Table(limit: style.width)
    if case .json = form { json.beginArray() }
  }

  /// Takes the next item.
  ///
  /// - Throws: ``Failure`` if nothing can be printed any more.
  mutating func print(_ item: Item) throws(Failure) {
    count += 1
    switch form {
    case .table: rows.append(ItemOutput.row(item))
    case .json:
      json.beginObject()
      ItemOutput.members(of: item, in: &json)
      json.endObject()
    case .format(let format): text += format.bytes(of: item)
    }
    if count % batch == 0 {
      try flush()
      batch = 2048
    }
  }

  /// Prints the rest. Where there are no items, JSON is an empty array and everything else is nothing.
  mutating func end() throws(Failure) {
    if case .json = form {
      json.endArray()
      json.bytes.append("\n")
    }
    try flush()
  }

  private mutating func flush() throws(Failure) {
    switch form {
    case .table:
      if rows.isEmpty { return }
      let isFirst = count == rows.count
      table.fit(isFirst ? [ItemOutput.header] + rows : rows)
      var lines = isFirst ? style.heading(table.line(ItemOutput.header)) + "\n" : ""
      for row in rows { lines += table.line(row) + "\n" }
      rows = []
      try StandardStreams.write(raw: lines)
    case .json:
      try StandardStreams.write(json.bytes)
      json.bytes.truncate(to: 0)
    case .format:
      let lines = text.withUnsafeBytes { ByteString($0) }
      text = []
      try StandardStreams.write(Secret(copying: lines))
    }
  }
}
