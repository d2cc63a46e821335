import Bytes
import Keychain

/// A password manager's CSV: the names of its columns, including those of older versions and other languages, and their
/// meaning.
struct CSVExport: Sendable {
  /// What a column is for.
  enum Role: Int, CaseIterable {
    case name, url, otherURL, account, password, notes, code, kind, created, modified
    /// The path of an entry's group, below that of the whole database.
    case group
    /// People's own fields, a line each, which include those of our own export.
    case ownFields

    /// Those without which a file is no export, if the program writes them.
    static let necessary: [Role] = [.name, .url, .account, .password, .group]
  }

  /// The names of the columns, including those of older versions and other languages.
  var columns: [Role: [ByteString]]
  /// Columns with other names for the account, of which the first filled one replaces an empty account.
  var otherAccounts: [ByteString] = []
  var tags: [TagColumn] = []
  /// Columns that become fields of their own, which may be shown.
  var fields: [ByteString] = []
  /// Columns that become fields of other names. Whether they may be shown is unknown.
  var namedFields: [(column: ByteString, name: ByteString)] = []
  /// Whether all other columns are a person's own, and become fields.
  var othersAreFields = false
  /// Whether a person has named the columns, so that none can be known to matter only to a program.
  var areNamesPersons = false
  /// The unit of dates since 1970. They may be in RFC 3339, too.
  var dates = DateUnit.milliseconds
  /// A column that all exports of this program have, and no others.
  var ownColumn: ByteString? = nil
  /// Columns that only exports of this program have.
  var ownColumns: [ByteString] = []
  /// A column of newer versions, without which a file may be another program's.
  var typicalColumn: ByteString? = nil
  var others: [ByteString] = []
  var escape = CSVStyle.Escape.doubled
  /// How many fields rows may have, compared with the header.
  var length = RowLength.same
  /// The names of the trash group.
  var bins: [ByteString] = []
  /// Whether the program replaces KeePass's placeholders in any field.
  var hasPlaceholders = false
  /// The kind of a login, and the meaning of other kinds.
  var kind: (login: ByteString, others: OtherKinds)? = nil
  var addresses = Addresses.one
  /// Addresses of entries for the program itself, or that are no logins.
  var foreignURLs: [ByteString] = []
  /// The program's own processing of an entry, at the end. Its fields that were not taken before are still there.
  var refine: @Sendable (inout TakenEntry) -> Void = { _ in }

  struct TagColumn: Sendable {
    let column: ByteString
    /// The separator of several; `nil` if there is only one.
    var separator: UInt8? = nil
    /// Whether it is a path of folders, which may begin with a slash and be separated by backslashes.
    var isPath = false
  }

  enum DateUnit: Int64 {
    case milliseconds = 1
    case seconds = 1000
  }

  /// How many fields rows have.
  enum RowLength {
    case same
    /// The last field may be missing.
    case lastMayLack
    /// Fields after the last column belong to it, and it may be missing.
    case lastRepeats
  }

  /// The meaning of entries of other kinds.
  enum OtherKinds {
    /// No logins.
    case foreign
    /// Passwords, described by their kind.
    case described
  }

  enum Addresses {
    case one
    case lines
    /// Separated by commas, indistinguishable from commas within an address. Each address after the first must have a
    /// scheme.
    case commas
    /// The same with a space after each comma.
    case commasAndSpaces
  }

  /// Whether a file with this header looks like an export of the program.
  func likeness(of header: [ByteString]) -> Likeness {
    guard (try? CSVColumns(of: self, in: header)) != nil else { return .none }
    func has(_ names: [ByteString]) -> Bool {
      names.contains { name in header.contains { $0.isEqualIgnoringCase(name) } }
    }
    if ownColumn != nil || has(ownColumns) { return .certain }
    if !ownColumns.isEmpty { return .possible }
    if let typicalColumn, !has([typicalColumn]) { return .possible }
    // Without a column of its own, the header must be complete.
    let known = self.known
    return header.allSatisfy { column in known.contains { $0.isEqualIgnoringCase(column) } }
      ? .certain : .possible
  }

  var known: [ByteString] {
    columns.values.joined() + otherAccounts + fields + others + tags.map(\.column) + ownColumns
      + [ownColumn].compactMap { $0 }
  }

  /// Reads an export.
  ///
  /// - Throws: ``FormatFault`` if it has no header with these columns.
  func read(_ text: UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins {
    guard let header = CSVHeader(text, escape: escape) else {
      throw FormatFault("it does not begin with the names of columns", line: 1)
    }
    let columns = try CSVColumns(of: self, in: header.names)
    let names = header.names.map { FieldName($0, partOf: nil, isPersons: areNamesPersons) }
    var found = FoundLogins()
    for row in header.rows where !row.isBlank {
      guard let fields = row.fields, let last = names.last, hasGoodLength(fields.count, names.count) else {
        found.passOver(row.origin, row.isOpen ? .cutOff : .malformed)
        continue
      }
      // Nearly all rows share the header's names.
      let further = max(0, fields.count - names.count)
      let rowNames =
        fields.count == names.count
        ? names : Array(names.prefix(fields.count)) + Array(repeating: last, count: further)
      var taken = TakenEntry(SourceEntry(of: row, rowNames, fields))
      read(&taken, columns, &found)
    }
    return found
  }

  private func hasGoodLength(_ count: Int, _ columns: Int) -> Bool {
    switch length {
    case .same: count == columns
    case .lastMayLack: count == columns || count == columns - 1
    case .lastRepeats: count >= columns - 1
    }
  }

  private func read(_ taken: inout TakenEntry, _ columns: CSVColumns, _ found: inout FoundLogins) {
    let origin = taken.entry.origin
    let type = taken.entry.text(at: columns[.kind])
    if let kind, !type.isEmpty, !type.isEqualIgnoringCase(kind.login) {
      if kind.others == .foreign { return found.passOver(origin, .noLogin) }
      taken.login.itemDescription = type.nonEmpty
    }
    if let names = taken.entry.peek(at: columns[.group])?.text.map(Self.groups) {
      if let bin = names.dropFirst().firstIndex(where: bins.contains) {
        // Slashes in names aren't escaped. So further down it may be the bin of a database with a slash in its name, or
        // a moved bin, or no bin. Such a login is imported, and stays there as well.
        if bin == 1 { return found.passOver(origin, .discarded) }
        taken.entry.mayBeDiscarded = true
        taken.entry.add("place in what may be the bin", .part)
      }
      taken.takeGroup(names, columns[.group])
    }
    for role in [Role.account, .url, .password]
    where hasWord(taken.entry.peek(at: columns[role]), KeePassPlaceholders.areIn) {
      return found.passOver(origin, .reference)
    }
    taken.login.name = taken.entry.text(at: columns[.name])
    guard let addresses = addresses(in: taken.entry.text(at: columns[.url])) else {
      return found.passOver(origin, .addresses)
    }
    if let first = addresses.first, foreignURLs.contains(first) { return found.passOver(origin, .noLogin) }
    taken.takeOwnFields(columns)
    taken.takeAddresses(addresses, columns)
    taken.takeAccount(columns)
    taken.login.creationDate = taken.entry.date(at: columns[.created], unit: dates)
    taken.login.modificationDate = taken.entry.date(at: columns[.modified], unit: dates)
    if !hasWord(taken.entry.peek(at: columns[.notes]), KeePassPlaceholders.areReferences) {
      taken.login.comment = taken.entry.text(at: columns[.notes]).nonEmpty
    }
    taken.takeRest(columns)
    refine(&taken)
    found.takeLogin(taken.login, of: &taken.entry)
  }

  private static func groups(_ path: ByteString) -> [ByteString] {
    path.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
      ByteString(Array($0))
    }
  }

  /// Whether the program replaces a part of it.
  private func hasWord(_ value: FieldValue?, _ areIn: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    guard hasPlaceholders, case .csv(let field) = value else { return false }
    return areIn(field.raw)
  }

  /// The addresses in a field; `nil` if they can't be separated.
  private func addresses(in text: ByteString) -> [ByteString]? {
    guard !text.isEmpty else { return [] }
    switch addresses {
    case .one: return [text.trimmed]
    case .lines:
      return text.bytes.split(separator: 0x0a).map { ByteString(Array($0)).trimmed }.filter { !$0.isEmpty }
    case .commas, .commasAndSpaces:
      let parts = text.bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      let spaces = addresses == .commasAndSpaces ? 1 : 0
      guard
        parts.dropFirst().allSatisfy({
          $0.prefix(spaces).allSatisfy { $0 == 0x20 } && Self.hasScheme($0.dropFirst(spaces))
        })
      else { return nil }
      return parts.map { ByteString(Array($0)).trimmed }
    }
  }

  /// Whether it begins with a scheme and `://` (RFC 3986 section 3.1), followed by something.
  private static func hasScheme(_ text: ArraySlice<UInt8>) -> Bool {
    let scheme = text.prefix(while: \.isOfScheme)
    return scheme.isScheme && text[scheme.endIndex...].starts(with: "://".utf8)
      && text.count > scheme.count + 3
  }
}

extension TakenEntry {
  /// Takes our own export's fields from the column of fields, and the others in it.
  fileprivate mutating func takeOwnFields(_ columns: CSVColumns) {
    guard case .some(let column) = entry.peek(at: columns[.ownFields])?.secret else { return }
    var hidden = TextMembersBuilder()
    var shown: [(name: ByteString, value: ByteString)] = []
    let own = column.withUnsafeBytes { text in
      OwnFields(reading: text) { name, value, isShown in
        if isShown { shown.append((name, ByteString(value))) } else { hidden.addField(name, value) }
      }
    }
    guard let own else { return }
    _ = entry.take(at: columns[.ownFields])
    login.own = own
    login.fields = shown
    login.secretFields = hidden
  }

  fileprivate mutating func takeAddresses(_ addresses: [ByteString], _ columns: CSVColumns) {
    login.addresses = addresses.map { EntryAddress(text: $0) }
    let other = entry.text(at: columns[.otherURL])
    if !addresses.contains(other) { login.addresses.append(EntryAddress(text: other, rule: .note)) }
  }

  fileprivate mutating func takeAccount(_ columns: CSVColumns) {
    login.account = entry.text(at: columns[.account])
    for column in columns.otherAccounts {
      let text = entry.text(at: column.index)
      if text.isEmpty || text == login.account { continue }
      if login.account.isEmpty { login.account = text } else { login.fields.append((column.name, text)) }
    }
  }

  fileprivate mutating func takeRest(_ columns: CSVColumns) {
    login.secret = entry.secret(at: columns[.password])
    login.oneTimeCode = entry.secret(at: columns[.code])
    for column in columns.tags {
      let text = entry.text(at: column.index)
      let parts = column.separator.map { text.bytes.split(separator: $0) } ?? [text.bytes[...]]
      for tag in parts.map({ ByteString(Array($0)).trimmed }) where !tag.isEmpty {
        login.tags.append(column.isPath ? tag.asPath : tag)
      }
    }
    for column in columns.fields {
      if let text = entry.text(at: column.index).nonEmpty { login.fields.append((column.name, text)) }
    }
    for column in columns.persons {
      let secret = entry.secret(at: column.index)
      if !secret.isEmpty { login.secretFields.addField(column.name, secret) }
    }
  }

  fileprivate mutating func takeGroup(_ names: [ByteString], _ column: Int?) {
    guard let column else { return }
    // The topmost group is the whole database.
    if names.count < 2 { return entry.leaveToProgram(at: column) }
    _ = entry.take(at: column)
    login.tags.append(ByteString(Array(names.dropFirst().map(\.bytes).joined(separator: "/".utf8))))
  }
}

extension FoundLogins {
  /// Adds an entry of a table, whose rows may be anything. Without a password or a secret of one-time codes it is no
  /// login.
  mutating func takeLogin(_ login: borrowing LoginEntry, of entry: inout SourceEntry) {
    if login.secret.isEmpty, login.oneTimeCode.isEmpty, login.own.isEmpty {
      return passOver(entry.origin, .noSecret)
    }
    take(login, of: &entry)
  }
}

extension ByteString {
  /// A path of folders in the form of most programs: `Work/Clients`.
  var asPath: ByteString {
    let slash = UInt8(ascii: "/")
    return ByteString(Array(bytes.map { $0 == UInt8(ascii: "\\") ? slash : $0 }.drop { $0 == slash }))
  }
}

extension FileFormat {
  /// The format of a password manager's CSV.
  init(_ name: String, _ summary: String, otherNames: [String] = [], _ export: CSVExport) {
    self.init(
      name, summary, holdsLoginsAlone: true, severalForTheSame: .lastChangedAnswers, otherNames: otherNames,
      likeness: { export.likeness(of: $0.columns) }
    ) { text throws(FormatFault) in try export.read(text) }
  }
}
