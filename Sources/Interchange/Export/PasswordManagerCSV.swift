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
  ) { item, credential, fields, text in
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
    for name in ["description", "creator", "type", "default"] + item.furtherAttributes.tags.map(\.description)
    {
      if let value = fields.take(name), name != "tags" { own.add(ByteString(name), value) }
    }
    if item.tags.count > 1 { own.add("tags", item.furtherAttributes["tags"] ?? "") }
    switch ExportedLogin.taking(item, credential, &fields, hasOwnFields: true) {
    case .omitted(let omission): return omission
    case .login(let login):
      text.append(csvField: login.tags.count == 1 ? login.tags[0] : "")
      text.append(",,login,")
      text.append(csvField: login.name)
      text.append(",")
      text.append(csvField: login.comment)
      text.append(",")
      text.append(csvField: fieldsColumn(own, item, credential, &fields))
      text.append(",0,")
      text.append(csvFields: login.url, login.account)
      text.append(",")
      text.append(csvField: login.secret)
      text.append(",")
      text.append(csvField: login.code)
      text.append("\n")
      return nil
    }
  }

  /// The column with fields, a line each. What has a line break in it has no place there.
  private static func fieldsColumn(
    _ own: OwnFields, _ item: Item, _ credential: borrowing Credential, _ fields: inout ExportedFields
  ) -> Secret {
    var column = FieldLines(text: Secret(copying: own.text))
    var hasAll = true
    for (name, value) in item.fields where !value.bytes.withUnsafeBytes({ column.append(name, $0) }) {
      hasAll = false
    }
    if hasAll { fields.take("fields") }
    hasAll = true
    credential.further.forEachField { if !column.append($0, $1) { hasAll = false } }
    if hasAll { fields.take("hidden fields") }
    return column.text.copy()
  }

  /// CSV as KeePassXC exports and imports it: its columns have these names, so that nobody has to assign them.
  public static let keepassxcCSV = ExportFormat(
    "keepassxc", "CSV as KeePassXC reads it",
    frame: Frame(beginning: { _ in
      "\"Group\",\"Title\",\"Username\",\"Password\",\"URL\",\"Notes\",\"TOTP\",\"Icon\",\"Last Modified\",\"Created\"\n"
    })
  ) { item, credential, fields, text in
    switch ExportedLogin.taking(item, credential, &fields, hasOwnFields: false) {
    case .omitted(let omission): return omission
    case .login(let login):
      // It has one group, and groups within groups. What is in a group of the bin's name would be in the trash.
      let tag = login.tags.first { tag in
        let name = ByteString(Array(tag.bytes.prefix { $0 != UInt8(ascii: "/") }))
        return !FileFormat.keePassXCBins.contains(name)
      }
      let group = tag.map { [ByteString("/"), $0] } ?? []
      if login.tags.count > (tag == nil ? 0 : 1) { fields.put("tags") }
      fields.take(all: "creation date", "modification date")
      text.append(csvField: ByteString(Array(([ByteString("Root")] + group).flatMap(\.bytes))))
      text.append(",")
      text.append(csvFields: login.name, login.account)
      text.append(",")
      text.append(csvField: login.secret)
      text.append(",")
      text.append(csvFields: login.url, login.comment)
      text.append(",")
      text.append(csvField: login.code)
      text.append(",0,")
      text.append(
        csvFields: item.modificationDate.map { rfc3339($0) } ?? "",
        item.creationDate.map { rfc3339($0) } ?? "")
      text.append("\n")
      return nil
    }
  }

  /// CSV with the columns that 1Password 8 exports and imports.
  public static let onePasswordCSV = ExportFormat(
    "1password", "CSV as 1Password reads it",
    frame: Frame(beginning: { _ in
      "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\n"
    })
  ) { item, credential, fields, text in
    switch ExportedLogin.taking(item, credential, &fields, hasOwnFields: false) {
    case .omitted(let omission): return omission
    case .login(let login):
      text.append(csvFields: login.name, login.url, login.account)
      text.append(",")
      text.append(csvField: login.secret)
      text.append(",")
      text.append(csvField: login.code)
      text.append(",false,false,")
      // A semicolon separates tags there.
      if login.tags.contains(where: { $0.bytes.contains(UInt8(ascii: ";")) }) { fields.put("tags") }
      let tags = login.tags.map { $0.bytes.map { $0 == UInt8(ascii: ";") ? UInt8(ascii: ",") : $0 } }
      text.append(csvFields: ByteString(Array(tags.joined(separator: [UInt8(ascii: ";")]))), login.comment)
      text.append("\n")
      return nil
    }
  }
}

/// Fields as lines `NAME: VALUE`, as Bitwarden has them in a column.
private struct FieldLines: ~Copyable {
  var text: Secret

  /// Returns whether the field is one line, and would be read as it is.
  mutating func append(_ name: ByteString, _ value: UnsafeRawBufferPointer) -> Bool {
    func isLine(_ text: UnsafeRawBufferPointer) -> Bool { !text.contains { $0 == 0x0a || $0 == 0x0d } }
    guard isLine(value), name.bytes.withUnsafeBytes(isLine), !name.bytes.starts(with: "llavero-".utf8),
      !name.bytes.contains(UInt8(ascii: ":"))
    else { return false }
    if !text.isEmpty { text.append("\n") }
    text.append(contentsOf: name)
    text.append(": ")
    text.append(value)
    return true
  }
}

extension InternetPassword {
  /// The URL, if what reads it back would make another place of it, as it does of a login page's.
  fileprivate var placeForCSV: ByteString? {
    guard let url = url().map({ ByteString($0) }) else { return nil }
    var key = self
    key.account = nil
    key.authenticationType = nil
    let isKept =
      path == nil && Place.ofServer(in: url)?.place.key(account: nil, for: nil).primaryKey == key.primaryKey
    return isKept ? nil : url
  }
}
