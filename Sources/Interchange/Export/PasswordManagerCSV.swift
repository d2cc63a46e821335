import Bytes
import CredentialProtocols
import Keychain

extension ExportFormat {
  /// CSV as imported by Bitwarden (its help, "Condition a .csv file") and most other password managers.
  public static let bitwardenCSV = ExportFormat(
    "csv", "CSV as Bitwarden and other password managers read it",
    frame: Frame(beginning: { _ in
      "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n"
    })
  ) { (item, credential, fields, text) throws(Omission) in
    var own = OwnFields()
    switch item.key {
    case .internetPassword(let key):
      if let type = fields.take("authentication type") { own.add("authenticationType", type) }
      if let place = key.placeForCSV { own.add("place", place) }
    case .genericPassword: if let service = fields.take("service") { own.add("service", service) }
    case .cryptographic, .secretService: break
    }
    if item.key.account?.isEmpty == true { own.add("account", "") }
    if item.comment != nil { own.add("comment", "") }
    // A row without one is no login.
    if credential.secret.isEmpty { own.add("password", "") }
    for name in ["description", "creator", "type", "default"] + item.furtherAttributes.tags.map(\.description)
    {
      if let value = fields.take(name), name != "tags" { own.add(ByteString(name), value) }
    }
    if item.tags.count > 1 || item.tags.contains(where: { $0.trimmed != $0 }) {
      own.add("tags", item.furtherAttributes["tags"] ?? "")
    }
    let login = try ExportedLogin.taking(item, credential, &fields, .whole)
    text.append(csvField: login.tags.count == 1 ? login.tags[0] : "", then: ",,login,")
    text.append(csvField: login.name)
    text.append(csvField: login.comment)
    text.append(csvField: fieldsColumn(own, item, credential, &fields), then: ",0,")
    text.append(csvField: login.url)
    text.append(csvField: login.account)
    text.append(csvField: login.secret)
    text.append(csvField: login.code, then: "\n")
  }

  /// The column with fields, a line each. Fields with line breaks have no place there.
  private static func fieldsColumn(
    _ own: OwnFields, _ item: Item, _ credential: borrowing Credential, _ fields: inout ExportedFields
  ) -> Secret {
    var own = own
    let shown = item.fields.filter { name, value in
      value.bytes.withUnsafeBytes { FieldLines.areLine(name, $0) }
    }
    if shown.count == item.fields.count { fields.take("fields") }
    for (name, _) in shown { own.add(OwnFields.shown, name) }
    var column = FieldLines(text: Secret(copying: own.text))
    for (name, value) in shown { _ = value.bytes.withUnsafeBytes { column.append(name, $0) } }
    var hasAll = true
    credential.further.forEachField { if !column.append($0, $1) { hasAll = false } }
    if hasAll { fields.take("hidden fields") }
    return column.text.copy()
  }

  /// CSV as KeePassXC exports and imports it, with its column names, so that nobody has to assign them.
  public static let keepassxcCSV = ExportFormat(
    "keepassxc", "CSV as KeePassXC reads it",
    frame: Frame(beginning: { _ in
      "\"Group\",\"Title\",\"Username\",\"Password\",\"URL\",\"Notes\",\"TOTP\",\"Icon\",\"Last Modified\",\"Created\"\n"
    })
  ) { (item, credential, fields, text) throws(Omission) in
    let login = try ExportedLogin.taking(item, credential, &fields, .servers)
    // It would replace them.
    if login.secret.withUnsafeBytes(KeePassPlaceholders.areIn)
      || [login.account, login.url].contains(where: { $0.bytes.withUnsafeBytes(KeePassPlaceholders.areIn) })
    {
      throw .unspeakable
    }
    // It has one group, and groups within groups. The contents of a group with the bin's name may be in the trash.
    let tag = login.tags.first { tag in
      !tag.bytes.split(separator: UInt8(ascii: "/")).contains {
        FileFormat.keePassXCBins.contains(ByteString(Array($0)))
      }
    }
    let group = tag.map { [ByteString("/"), $0] } ?? []
    if login.tags.count > (tag == nil ? 0 : 1) { fields.put("tags") }
    fields.take(all: "creation date", "modification date")
    text.append(csvField: ByteString(Array(([ByteString("Root")] + group).flatMap(\.bytes))))
    text.append(csvField: login.name)
    text.append(csvField: login.account)
    text.append(csvField: login.secret)
    text.append(csvField: login.url)
    text.append(csvField: login.comment)
    text.append(csvField: login.code, then: ",0,")
    text.append(csvField: item.modificationDate.map { rfc3339($0) } ?? "")
    text.append(csvField: item.creationDate.map { rfc3339($0) } ?? "", then: "\n")
  }

  /// CSV with the columns that 1Password 8 exports and imports.
  public static let onePasswordCSV = ExportFormat(
    "1password", "CSV as 1Password reads it",
    frame: Frame(beginning: { _ in
      "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\n"
    })
  ) { (item, credential, fields, text) throws(Omission) in
    let login = try ExportedLogin.taking(item, credential, &fields, .servers)
    text.append(csvField: login.name)
    text.append(csvField: login.url)
    text.append(csvField: login.account)
    text.append(csvField: login.secret)
    text.append(csvField: login.code, then: ",false,false,")
    // A semicolon separates tags there, and white space around them is ignored.
    if login.tags.contains(where: { $0.bytes.contains(UInt8(ascii: ";")) || $0.trimmed != $0 }) {
      fields.put("tags")
    }
    let tags = login.tags.map { $0.bytes.map { $0 == UInt8(ascii: ";") ? UInt8(ascii: ",") : $0 } }
    text.append(csvField: ByteString(Array(tags.joined(separator: [UInt8(ascii: ";")]))))
    text.append(csvField: login.comment, then: "\n")
  }
}

/// Fields as lines `NAME: VALUE`, for Bitwarden's column.
private struct FieldLines: ~Copyable {
  var text: Secret

  /// Whether a field is one line, and would be read unchanged.
  static func areLine(_ name: ByteString, _ value: UnsafeRawBufferPointer) -> Bool {
    func isLine(_ text: UnsafeRawBufferPointer) -> Bool { !text.contains { $0 == 0x0a || $0 == 0x0d } }
    return isLine(value) && name.bytes.withUnsafeBytes(isLine) && !name.bytes.starts(with: "llavero-".utf8)
      && !name.bytes.contains(UInt8(ascii: ":"))
  }

  /// Appends a field. Returns whether it has a place there.
  mutating func append(_ name: ByteString, _ value: UnsafeRawBufferPointer) -> Bool {
    guard Self.areLine(name, value) else { return false }
    if !text.isEmpty { text.append("\n") }
    text.append(contentsOf: name)
    text.append(": ")
    text.append(value)
    return true
  }
}
