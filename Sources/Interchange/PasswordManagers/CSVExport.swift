import Bytes

/// The column names of a password manager's export, including those of older versions and other languages.
struct CSVExport: Sendable {
  var name: [ByteString] = []
  var url: [ByteString]
  var account: [ByteString]
  var password: [ByteString]
  /// Words for columns that don't fit into an item. Others that don't are named as they are in the file.
  var others: [(column: ByteString, word: String)] = []
  /// The columns that the program fills by itself, without information that an item could lack.
  var incidental: [ByteString] = []
  /// The columns of an entry's creation date and of its last password change: in milliseconds since 1970, or as RFC
  /// 3339.
  var dates: (created: ByteString, modified: ByteString)? = nil
  /// A column that only exports of this program have.
  var mark: ByteString? = nil
  /// The column with the path of an entry's group, and the name of the trash group.
  var group: (column: ByteString, discarded: ByteString)? = nil
  /// The placeholders that the program replaces by other text in any field.
  var placeholders: [ByteString] = []
  /// The column with the kind of an entry, and the kind that is a login.
  var kind: (column: ByteString, login: ByteString)? = nil
  /// How several addresses of one entry are separated.
  var addresses = Addresses.one
  /// The address of an entry that belongs to the program itself.
  var foreignURL: ByteString? = nil

  /// How addresses are separated.
  enum Addresses {
    /// There is only one.
    case one
    /// Each on a line.
    case lines
    /// Separated by commas, which can't be distinguished from commas within an address. Each address after the first
    /// must have a scheme.
    case commas
  }

  /// Columns whose `0` or `false` says no more than an empty field.
  private static let flags: [ByteString] = ["archived", "favorite", "reprompt"]

  /// Reads an export.
  ///
  /// - Throws: ``FormatFault`` if it has no header with these columns.
  func read(_ text: UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins {
    var rows = CSVRows(text)
    guard let header = rows.next()?.fields?.map(\.text.trimmed) else {
      throw FormatFault("it does not begin with the names of columns", line: 1)
    }
    let columns = try Columns(of: self, in: header)
    var found = FoundLogins()
    for row in rows where !row.isBlank {
      guard let fields = row.fields, fields.count == header.count else {
        found.passOver(.line(row.line), .malformed)
        continue
      }
      read(fields, columns, row, &found)
    }
    found.sortNewestFirst()
    return found
  }

  private func read(_ fields: [CSVField], _ columns: Columns, _ row: CSVRow, _ found: inout FoundLogins) {
    let origin = Origin.line(row.line)
    func text(_ column: Int?) -> ByteString { column.map { fields[$0].text } ?? "" }
    if let kind, let column = columns.kind, !text(column).isEqualIgnoringCase(kind.login) {
      return found.passOver(origin, .noLogin)
    }
    if let group, let column = columns.group, Self.isPath(text(column), within: group.discarded) {
      return found.passOver(origin, .discarded)
    }
    var entry = LoginEntry()
    entry.name = text(columns.name)
    guard let urls = addresses(in: text(columns.url)) else { return found.passOver(origin, .addresses) }
    entry.urls = urls
    entry.account = text(columns.account)
    entry.secret = fields[columns.password].secret
    entry.leftBehind = columns.others.filter { column, _, isFlag in
      !fields[column].isEmpty && !(isFlag && ["0", "false"].contains(text(column).lowercased))
    }.map(\.word)
    // The topmost group is the whole database.
    if text(columns.group).bytes.contains(UInt8(ascii: "/")) { entry.leftBehind.append("group") }
    entry.creationDate = Self.date(text(columns.created))
    entry.modificationDate = Self.date(text(columns.modified))
    if let foreignURL, entry.urls.first == foreignURL { return found.passOver(origin, .noLogin) }
    let texts = [columns.account, columns.url, columns.password].compactMap { $0 }.map { fields[$0].raw }
    if texts.contains(where: hasPlaceholder) { return found.passOver(origin, .noSecret) }
    found.take(entry, at: origin, removals: [Removal(row.range)])
  }

  private static func date(_ text: ByteString) -> Timestamp? {
    if let milliseconds = text.text.flatMap({ Int64($0) }), milliseconds > 0 {
      return Timestamp(milliseconds: milliseconds)
    }
    return Timestamp(rfc3339: text.bytes)
  }

  /// Whether a path of groups leads through this group directly below the topmost one.
  private static func isPath(_ path: ByteString, within group: ByteString) -> Bool {
    let groups = path.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return groups.count > 1 && groups[1].elementsEqual(group.bytes)
  }

  /// Whether the program replaces a part of it by something else.
  private func hasPlaceholder(_ text: UnsafeRawBufferPointer) -> Bool {
    for index in text.indices where text[index] == UInt8(ascii: "{") {
      for name in placeholders.map(\.bytes) {
        // The name in upper or lower case, then `}` or the separator before a parameter.
        let rest = text[(index + 1)...].prefix(name.count + 1)
        guard rest.count > name.count, let end = rest.last, Array("}:-_".utf8).contains(end) else { continue }
        if zip(rest, name).allSatisfy({ $0 & 0xdf == $1 }) { return true }
      }
    }
    return false
  }

  /// The addresses in a field; `nil` if they can't be separated.
  private func addresses(in text: ByteString) -> [ByteString]? {
    guard !text.isEmpty else { return [] }
    switch addresses {
    case .one: return [text.trimmed]
    case .lines:
      return text.bytes.split(separator: 0x0a).map { ByteString(Array($0)).trimmed }.filter { !$0.isEmpty }
    case .commas:
      let parts = text.bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      guard parts.dropFirst().allSatisfy(Self.hasScheme) else { return nil }
      return parts.map { ByteString(Array($0)).trimmed }
    }
  }

  /// Whether it begins with a scheme and `://` (RFC 3986 section 3.1), followed by something.
  private static func hasScheme(_ text: ArraySlice<UInt8>) -> Bool {
    guard let first = text.first, 0x61...0x7a ~= first | 0x20 else { return false }
    let rest = text.drop { byte in
      0x61...0x7a ~= byte | 0x20 || 0x30...0x39 ~= byte || Array("+-.".utf8).contains(byte)
    }
    return rest.starts(with: "://".utf8) && rest.count > 3
  }

  /// The positions of the columns.
  private struct Columns {
    let name: Int?
    let url: Int?
    let account: Int?
    let password: Int
    /// Those that don't fit into an item.
    let others: [(column: Int, word: String, isFlag: Bool)]
    let kind: Int?
    let group: Int?
    let created: Int?
    let modified: Int?

    init(of export: CSVExport, in header: [ByteString]) throws(FormatFault) {
      func find(_ names: [ByteString]) -> Int? {
        for name in names {
          if let column = header.firstIndex(where: { $0.isEqualIgnoringCase(name) }) { return column }
        }
        return nil
      }
      func need(_ names: [ByteString]) throws(FormatFault) -> Int? {
        guard let name = names.first else { return nil }
        guard let column = find(names) else { throw FormatFault("it has no column \"\(name)\"", line: 1) }
        return column
      }
      name = try need(export.name)
      url = try need(export.url)
      account = try need(export.account)
      password = try need(export.password) ?? 0
      kind = try need(export.kind.map { [$0.column] } ?? [])
      group = try need(export.group.map { [$0.column] } ?? [])
      created = find(export.dates.map { [$0.created] } ?? [])
      modified = find(export.dates.map { [$0.modified] } ?? [])
      if let mark = export.mark { _ = try need([mark]) }
      let known = [name, url, account, password, kind, group, created, modified]
      others = header.indices.compactMap { index in
        let column = header[index]
        func isOne(of names: [ByteString]) -> Bool { names.contains(where: column.isEqualIgnoringCase) }
        if known.contains(index) || isOne(of: export.incidental) { return nil }
        let word = export.others.first { column.isEqualIgnoringCase($0.column) }?.word
        let name = column.isEmpty ? "a nameless column" : "\(column)"
        return (index, word ?? name, isOne(of: CSVExport.flags))
      }
    }
  }
}
