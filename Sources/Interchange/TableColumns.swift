public import Bytes

/// The meaning of any table's columns, given by a person or guessed from their names.
public struct TableColumns: Equatable, Sendable {
  /// The meaning of a column.
  public enum Role: String, CaseIterable, Sendable {
    case name, url, account, password, notes, code, tags, created, modified
    /// A field with a name of its own.
    case field
  }

  /// A column with its meaning.
  public struct Column: Equatable, Sendable {
    /// Its meaning.
    public let role: Role
    /// The name of the field; empty unless it is one.
    public let field: ByteString
    /// The name of the column.
    public let name: ByteString

    /// Its meaning in a person's words: `url`, `field:PIN`.
    public var meaning: String { role == .field ? "field:\(field)" : role.rawValue }
  }

  /// The columns with a meaning. Others are left behind.
  public private(set) var columns: [Column] = []

  /// Parses `url=Website,account=Login,field:PIN=Pin`. An assignment with a comma is in quotes.
  ///
  /// - Throws: ``FormatFault`` with the problem.
  public init(_ text: String) throws(FormatFault) {
    let parts = Array(text.utf8).withUnsafeBytes { bytes in
      var rows = CSVRows(bytes)
      return rows.next()?.fields?.map { $0.text }
    }
    guard let parts else { throw FormatFault("the quotes in it are in disorder") }
    for part in parts {
      guard let equals = part.bytes.firstIndex(of: UInt8(ascii: "=")) else {
        throw FormatFault("'\(part)' has no '=' between what a column is and its name")
      }
      let meaning = part.bytes[..<equals].split(separator: UInt8(ascii: ":"), maxSplits: 1).map { Array($0) }
      let name = ByteString(Array(part.bytes[(equals + 1)...])).trimmed
      let role = meaning.first.map { ByteString($0).trimmed }?.text.flatMap { Role(rawValue: $0) }
      guard let role, (meaning.count == 2) == (role == .field), !name.isEmpty else {
        throw FormatFault("'\(part)' doesn't say what a column is")
      }
      columns.append(Column(role: role, field: meaning.count == 2 ? ByteString(meaning[1]) : "", name: name))
    }
    try check()
  }

  private func check() throws(FormatFault) {
    for (index, column) in columns.enumerated() {
      let before = columns[..<index]
      if before.contains(where: { $0.name == column.name }) {
        throw FormatFault("the column '\(column.name)' is in it twice")
      }
      if column.role != .field, column.role != .tags, before.contains(where: { $0.role == column.role }) {
        throw FormatFault("it names two columns for '\(column.meaning)'")
      }
    }
    if !columns.contains(where: { $0.role == .password }) {
      throw FormatFault("it doesn't say where the password is")
    }
  }

  /// Guesses from the names of columns, in some languages.
  ///
  /// - Returns: `nil` if none can be the password's, or none tells the place.
  public init?(guessedFrom header: [ByteString]) {
    var isTaken = Set<Int>()
    for (role, names) in Self.usualNames {
      let index = names.lazy.compactMap { name in
        header.indices.first { !isTaken.contains($0) && header[$0].lowercased == name }
      }.first
      guard let index, isTaken.insert(index).inserted else { continue }
      columns.append(Column(role: role, field: "", name: header[index]))
    }
    func has(_ role: Role) -> Bool { columns.contains { $0.role == role } }
    if !has(.password) || !has(.url) && !has(.name) { return nil }
  }

  /// The text for ``init(_:)``.
  public var text: String {
    var text = Secret()
    for column in columns { text.append(csvField: ByteString("\(column.meaning)=\(column.name)")) }
    return "\(ByteString(text))".dropLast(1).description
  }

  /// The format of a table with these columns.
  public var format: FileFormat {
    let roles: [Role: CSVExport.Role] = [
      .name: .name, .url: .url, .account: .account, .password: .password, .notes: .notes, .code: .code,
      .created: .created, .modified: .modified,
    ]
    return FileFormat(
      "csv", "any other table",
      CSVExport(
        columns: Dictionary(
          columns.compactMap { column in roles[column.role].map { ($0, [column.name]) } }, uniquingKeysWith: +
        ),
        tags: columns.filter { $0.role == .tags }.map { .init(column: $0.name) },
        namedFields: columns.filter { $0.role == .field }.map { ($0.name, $0.field) }, areNamesPersons: true,
        dates: .seconds))
  }

  /// The usual names of columns, in small letters, the most certain first.
  private static let usualNames: [(Role, [ByteString])] = [
    (
      .password,
      [
        "password", "pass", "pwd", "passphrase", "secret", "passwort", "kennwort", "mot de passe",
        "contraseña",
        "senha", "wachtwoord", "hasło", "пароль",
      ]
    ),
    (
      .account,
      [
        "username", "user name", "user", "login", "login name", "login_username", "userid", "user id",
        "login id",
        "benutzername", "benutzer", "nom d'utilisateur", "identifiant", "usuario", "gebruikersnaam", "e-mail",
        "email", "mail", "account",
      ]
    ),
    (
      .url,
      [
        "url", "uri", "website", "web site", "website url", "login url", "login_uri", "site", "address",
        "web address",
        "hostname", "host", "server", "domain", "link", "webseite", "adresse", "site web", "sitio web",
      ]
    ),
    (
      .name,
      [
        "title", "name", "label", "display name", "display_name", "entry", "item", "service", "description",
        "titel",
        "bezeichnung", "titre", "nom", "título", "nombre", "account",
      ]
    ),
    (
      .notes,
      [
        "notes", "note", "comments", "comment", "extra", "remarks", "notizen", "notiz", "bemerkung", "notas",
        "description",
      ]
    ),
    (
      .code,
      [
        "totp", "otpauth", "otp", "2fa", "totp secret", "twofasecret", "authenticator key",
        "one-time password",
      ]
    ),
    (
      .tags,
      [
        "tags", "labels", "folder", "group", "category", "grouping", "vault", "ordner", "gruppe", "dossier",
        "carpeta",
      ]
    ),
    (.created, ["created", "createtime", "creation date", "date created"]),
    (.modified, ["modified", "last modified", "modifytime", "updated", "date modified"]),
  ]
}
