import Bytes
import Keychain

extension FileFormat {
  /// The exports of Keeper, in each of its forms.
  public static let keeper = FileFormat(
    "keeper", "the CSV or JSON that Keeper exports", forms: [.keeperCSV, .keeperJSON.beginning(with: "{[")])

  /// The output of Keeper's "Export", "CSV" (its manual, "Import a .CSV file"): rows without a header, each with seven
  /// fields, then alternating names and values of a person's own fields.
  static let keeperCSV = FileFormat(
    "keeper", "the CSV that Keeper exports", holdsLoginsAlone: true, severalForTheSame: .lastChangedAnswers,
    likeness: { KeeperCSV.likeness($0) }
  ) { text in KeeperCSV.read(text) }
}

enum KeeperFolder {
  /// A path in the form of most programs. Keeper has backslashes between folders, and two of them in a folder's name.
  static func path(_ text: ByteString) -> ByteString {
    let (slash, backslash) = (UInt8(ascii: "/"), UInt8(ascii: "\\"))
    var path: [UInt8] = []
    var rest = text.bytes[...]
    while let byte = rest.popFirst() {
      if byte == backslash, rest.first != backslash {
        path.append(slash)
      } else {
        if byte == backslash { rest.removeFirst() }
        path.append(byte)
      }
    }
    return ByteString(Array(path.drop { $0 == slash }))
  }
}

enum KeeperCSV {
  private static let names: [ByteString] = [
    "Folder", "Title", "Login", "Password", "Website Address", "Notes", "Shared Folder",
  ]

  static func likeness(_ shape: FileShape) -> Likeness {
    if isHeader(shape.columns) { return .certain }
    let rows = shape.rows
    func isRow(_ row: [CSVField]) -> Bool { row.count >= names.count && !row.count.isMultiple(of: 2) }
    guard let first = rows.first, isRow(first), rows.count(where: isRow) * 2 > rows.count else {
      return .none
    }
    func hasAddress(_ row: [CSVField]) -> Bool { isRow(row) && row[4].raw.starts(with: "http".utf8) }
    if rows.contains(where: { $0.dropFirst(names.count).contains { $0.raw == "TFC:Keeper" } }) {
      return .certain
    }
    // The first row isn't a header.
    guard hasAddress(first) || first[4].isEmpty else { return .none }
    return rows.contains(where: hasAddress) ? .certain : .possible
  }

  static func read(_ text: UnsafeRawBufferPointer) -> FoundLogins {
    FoundLogins(namedValuesIn: text, after: names, isHeader: isHeader) { entry, found in
      entry.takeKeeper(&found)
    }
  }

  private static func isHeader(_ row: [ByteString]) -> Bool {
    row.count >= names.count && zip(row, names).allSatisfy { $0.isEqualIgnoringCase($1) }
  }
}

extension TakenEntry {
  fileprivate mutating func takeKeeper(_ found: inout FoundLogins) {
    login.name = entry.text("Title")
    login.account = entry.text("Login")
    login.secret = entry.secret("Password")
    if let text = entry.text("Website Address").nonEmpty { login.addresses = [EntryAddress(text: text)] }
    login.comment = entry.text("Notes").nonEmpty
    login.tags = [entry.text("Folder"), entry.text("Shared Folder")].filter { !$0.isEmpty }.map(
      KeeperFolder.path)
    login.oneTimeCode = entry.secret("TFC:Keeper")
    for index in entry.indices(of: ["Website Address"]) {
      login.addresses.append(EntryAddress(text: entry.text(at: index)))
    }
    // It doesn't say which of the others are hidden.
    for index in entry.untaken where !entry.name(at: index).isEmpty {
      login.secretFields.addField(entry.name(at: index), entry.secret(at: index))
    }
    found.takeLogin(login, of: &entry)
  }
}
