import Bytes

/// The column names of a password manager's export, including those of older versions and other languages.
struct CSVExport: Sendable {
  var name: [ByteString] = []
  var url: [ByteString]
  var account: [ByteString]
  var password: [ByteString]
  /// Further addresses.
  var otherURL: [ByteString] = []
  /// The columns of an entry's creation date and of its last password change: in milliseconds since 1970, or as RFC
  /// 3339.
  var dates: (created: ByteString, modified: ByteString)? = nil
  /// A column that only exports of this program have.
  var mark: ByteString? = nil
  /// Columns of which only exports of this program have any, if it doesn't write one of them always.
  var marks: [ByteString] = []
  /// Further columns that the program writes.
  var others: [ByteString] = []
  /// How quotes are escaped.
  var escape = CSVStyle.Escape.doubled
  /// The column with the path of an entry's group, and the names of the trash group.
  var group: (column: ByteString, discarded: [ByteString])? = nil
  /// The placeholders that the program replaces by other text in any field.
  var placeholders: [ByteString] = []
  /// The column with the kind of an entry, and the kind that is a login.
  var kind: (column: ByteString, login: ByteString, others: OtherKinds)? = nil
  /// How several addresses of one entry are separated.
  var addresses = Addresses.one
  /// The address of an entry that belongs to the program itself.
  var foreignURL: ByteString? = nil
  /// The column with fields that people name, a line each, among which are those of our own export.
  var ownFields: ByteString? = nil

  /// What entries of other kinds are.
  enum OtherKinds {
    /// No logins.
    case foreign
    /// Passwords, described by their kind.
    case described
  }

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

  /// Whether a file with this header looks like an export of the program.
  func likeness(of header: [ByteString]) -> Likeness {
    guard (try? Columns(of: self, in: header)) != nil else { return .none }
    func has(_ names: [ByteString]) -> Bool {
      names.contains { name in header.contains { $0.isEqualIgnoringCase(name) } }
    }
    if mark != nil || has(marks) { return .certain }
    if !marks.isEmpty { return .possible }
    // Without a column of its own, it must be all that the program writes.
    let known =
      name + url + account + password + otherURL + others + [kind?.column, group?.column].compactMap(\.self)
    return header.allSatisfy { column in known.contains { $0.isEqualIgnoringCase(column) } }
      ? .certain : .possible
  }

  /// Reads an export.
  ///
  /// - Throws: ``FormatFault`` if it has no header with these columns.
  func read(_ text: UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins {
    guard let first = CSVHeader(text, escape: escape) else {
      throw FormatFault("it does not begin with the names of columns", line: 1)
    }
    let header = first.names
    let columns = try Columns(of: self, in: header)
    let names = header.map(FieldName.init)
    var found = FoundLogins()
    for row in first.rows where !row.isBlank {
      guard let fields = row.fields, fields.count == header.count else {
        found.passOver(row.origin, row.isOpen ? .cutOff : .malformed)
        continue
      }
      var entry = SourceEntry(
        at: .line(row.lines.lowerBound), removals: [Removal(row.range)], names, fields.map { .csv($0) })
      read(&entry, columns, &found)
    }
    return found
  }

  private func read(_ entry: inout SourceEntry, _ columns: Columns, _ found: inout FoundLogins) {
    let origin = entry.origin
    var login = LoginEntry()
    let type = entry.text(at: columns.kind)
    if let kind, !type.isEmpty, !type.isEqualIgnoringCase(kind.login) {
      if kind.others == .foreign { return found.passOver(origin, .noLogin) }
      login.itemDescription = type.nonEmpty
    }
    if let group, let column = columns.group, let names = entry.peek(at: column)?.text.map(Self.groups) {
      if names.count > 1, group.discarded.contains(names[1]) { return found.passOver(origin, .discarded) }
      // The topmost group is the whole database.
      if names.count < 2 { entry.leaveToProgram(at: column) }
    }
    for column in [columns.account, columns.url, columns.password]
    where hasPlaceholder(entry.peek(at: column)) {
      return found.passOver(origin, .reference)
    }
    login.name = entry.text(at: columns.name)
    guard let addresses = addresses(in: entry.text(at: columns.url)) else {
      return found.passOver(origin, .addresses)
    }
    if let foreignURL, addresses.first == foreignURL { return found.passOver(origin, .noLogin) }
    if let own = entry.peek(at: columns.ownFields)?.text.flatMap(OwnFields.init(reading:)) {
      _ = entry.take(at: columns.ownFields)
      login.own = own
      if own["comment"] != nil { login.comment = entry.text(at: columns.notes).nonEmpty }
    }
    login.addresses = addresses.map { EntryAddress(text: $0) }
    let other = entry.text(at: columns.otherURL)
    if !addresses.contains(other) { login.addresses.append(EntryAddress(text: other, rule: .note)) }
    login.account = entry.text(at: columns.account)
    login.secret = entry.secret(at: columns.password)
    login.creationDate = entry.date(at: columns.created)
    login.modificationDate = entry.date(at: columns.modified)
    found.take(login, of: &entry)
  }

  /// The names of a path of groups.
  private static func groups(_ path: ByteString) -> [ByteString] {
    path.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
      ByteString(Array($0))
    }
  }

  /// Whether the program replaces a part of it by something else.
  private func hasPlaceholder(_ value: FieldValue?) -> Bool {
    guard !placeholders.isEmpty, case .csv(let field) = value else { return false }
    let text = field.raw
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
    let otherURL: Int?
    let account: Int?
    let password: Int
    let kind: Int?
    let group: Int?
    let created: Int?
    let modified: Int?
    let ownFields: Int?
    let notes: Int?

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
      otherURL = find(export.otherURL)
      account = try need(export.account)
      password = try need(export.password) ?? 0
      kind = export.kind.flatMap { find([$0.column]) }
      group = try need(export.group.map { [$0.column] } ?? [])
      created = find(export.dates.map { [$0.created] } ?? [])
      modified = find(export.dates.map { [$0.modified] } ?? [])
      ownFields = find(export.ownFields.map { [$0] } ?? [])
      notes = find(["notes"])
      if let mark = export.mark { _ = try need([mark]) }
    }
  }
}

extension FileFormat {
  /// Makes the format of a password manager's CSV.
  init(_ name: String, _ summary: String, otherNames: [String] = [], _ export: CSVExport) {
    self.init(
      name, summary, holdsLoginsAlone: true, severalForTheSame: .lastChangedAnswers, otherNames: otherNames,
      looksLike: { export.likeness(of: $0.columns) }
    ) { text throws(FormatFault) in try export.read(text) }
  }
}
