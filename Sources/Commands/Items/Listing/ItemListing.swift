import Bytes
import EncryptedFile
import Keychain
import KeychainChoice
import ToolCommands

extension OpenKeychain {
  /// Passes every item without its secret to `body`, in the order of ``SortKey``: generic passwords by service, then
  /// internet passwords by server, protocol, port, tool and account. Items of an encrypted file arrive as soon as they
  /// are read.
  ///
  /// - Parameter body: returns whether to continue.
  /// - Throws: ``KeychainError`` if the keychain can't be read, possibly after some items were passed.
  func forEachItem(_ body: (Item) -> Bool) throws(KeychainError) {
    if list == nil, let file { return try file.forEachItem(body) }
    // Of items with the same key, that of the first keychain comes first.
    let items = try keychain.items(matching: .all).enumerated()
      .map { (key: SortKey.whole(of: $0.element.key), place: $0.offset, item: $0.element) }
      .sorted { a, b in
        a.key == b.key ? a.place < b.place : a.key.lexicographicallyPrecedes(b.key)
      }
    for (_, _, item) in items { if !body(item) { return } }
  }
}

/// Prints items as they arrive: the first few at once, then many at a time.
struct ItemPrinter: ~Copyable {
  enum Form {
    case table
    case json
    case format(OutputFormat)
  }

  private let form: Form
  /// Whether to print items of more than one keychain.
  private let hasKeychains: Bool
  /// The items so far, for more than one keychain.
  private var shadows = Shadows()
  /// The keychains that have shadowed items, and those that have others.
  private var shadowed: Set<String> = []
  private var answering: Set<String> = []
  private let style: TerminalStyle
  private let inUTC: Bool
  /// What the first items need.
  private var columns: ItemColumns?
  private var table = Table()
  private var json = JSONWriter(capacity: 4096)
  private var rows: [ItemRow] = []
  private var text: [UInt8] = []
  /// The number of items so far.
  private(set) var count = 0
  /// How many items are printed together.
  private var batch = 64

  init(_ form: Form, inUTC: Bool, hasKeychains: Bool = false) {
    self.form = form
    self.inUTC = inUTC
    self.hasKeychains = hasKeychains
    style = TerminalStyle()
    if case .json = form { json.beginArray() }
  }

  mutating func print(_ item: Item) throws(KeychainError) {
    count += 1
    switch form {
    case .table:
      let isShadowed = hasKeychains && shadows.cover(item)
      if let name = item.keychain {
        if isShadowed { shadowed.insert(name) } else { answering.insert(name) }
      }
      rows.append(ItemRow(item, isShadowed: isShadowed, inUTC: inUTC))
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

  /// Prints the rest. If there are no items, JSON is an empty array and everything else is empty.
  mutating func end() throws(KeychainError) {
    if case .json = form {
      json.endArray()
      json.bytes.append("\n")
    }
    try flush()
  }

  /// Says once to a person what a state means, and which columns there was no room for.
  ///
  /// - Parameters:
  ///   - isWhole: whether all items were listed. A keychain whose logins are all shadowed need not be asked.
  ///   - home: the keychain for new items, which is always asked.
  func sayWhatIsLeftOut(isWhole: Bool, newItemsIn home: String) {
    if !shadowed.isEmpty, StandardStreams.isTerminal(2) {
      StandardStreams.say("shadowed: an earlier keychain has the same login, and answers in its place")
      if isWhole, shadowed.count == 1, let name = shadowed.first, name != home, !answering.contains(name) {
        let remove: Hint = "\(command: "llavero", "keychain", "remove", name)"
        StandardStreams.say("hint: \(remove) stops asking it; its items stay where they are")
      }
    }
    guard StandardStreams.isTerminal(2), let missing = columns?.missing(without: table.leftOut) else {
      return
    }
    StandardStreams.say("the terminal is too narrow for \(missing)")
  }

  private mutating func flush() throws(KeychainError) {
    switch form {
    case .table:
      if rows.isEmpty { return }
      let shown = columns ?? ItemColumns(of: rows, hasKeychains: hasKeychains)
      let isFirst = columns == nil
      if isFirst { table = Table(limit: style.width, whole: shown.whole) }
      columns = shown
      let cells = rows.map(shown.cells)
      table.fit(isFirst ? [shown.header] + cells : cells)
      var lines = ""
      if isFirst {
        for line in table.lines(shown.header, wrappedTo: style.width) { lines += style.heading(line) + "\n" }
      }
      for row in cells {
        for line in table.lines(row, wrappedTo: style.width) { lines += line + "\n" }
      }
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
