import Bytes
import Keychain

extension FileFormat {
  /// The output of Keeper's "Export", "JSON", and of Keeper Commander's `export --format json`: an object with
  /// `records`, or just the records. Keeper's own fields have names `$TYPE:LABEL:NUMBER` (its manual, "JSON Import").
  static let keeperJSON = FileFormat(
    "keeper", "the JSON that Keeper exports", holdsLoginsAlone: true, severalForTheSame: .lastChangedAnswers,
    looksLike: { $0.members.contains("records") ? .certain : .none }
  ) { text throws(FormatFault) in
    var entries = JSONEntries(text)
    var records: JSONValue?
    do throws(JSONReader.Malformed) {
      if JSONEntries.isObject(text) {
        try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
          if name == "records" { records = value }
        }
        try entries.noteOthers(in: text, besides: "records")
      } else {
        try readAll(text, &entries)
        return entries.found
      }
      if let records { try readAll(records.raw, &entries) }
    } catch {
      throw FormatFault("it is not JSON that Keeper exports")
    }
    guard records != nil else { throw FormatFault("it has no records, as an export of Keeper has") }
    return entries.found
  }

  private static func readAll(
    _ records: UnsafeRawBufferPointer, _ entries: inout JSONEntries
  ) throws(JSONReader.Malformed) {
    try JSONReader.elements(of: records) { (record) throws(JSONReader.Malformed) in
      entries.read(record) { (entry, found) throws(JSONReader.Malformed) in try take(&entry, &found) }
    }
  }

  private static func take(
    _ entry: inout SourceEntry, _ found: inout FoundLogins
  ) throws(JSONReader.Malformed) {
    var login = LoginEntry()
    login.name = entry.text("title")
    if !login.name.isEmpty { entry.origin = .entry(login.name) }
    let type = entry.text("$type")
    if ["encryptedNotes", "bankCard", "contact", "address", "file", "photo", "sshKeys"].contains(type) {
      return found.passOver(entry.origin, .noLogin)
    }
    if !["login", "general", "legacy"].contains(type) { login.itemDescription = type.nonEmpty }
    login.account = entry.text("login")
    login.secret = entry.secret("password")
    login.addresses = [EntryAddress(text: entry.text("login_url"))]
    login.comment = entry.text("notes").nonEmpty
    login.modificationDate = entry.date(inSeconds: "last_modified")
    for folder in try entry.openElements("folders") {
      for name in [entry.text("folder", in: folder), entry.text("shared_folder", in: folder)]
      where !name.isEmpty { login.tags.append(KeeperFolder.path(name)) }
      entry.leaveToProgram("can_edit", "can_share", in: folder)
    }
    for name: ByteString in ["schema", "uid"] { entry.leaveToProgram(name) }
    try takeFields(of: &entry, &login)
    found.take(login, of: &entry)
  }

  private static func takeFields(
    of entry: inout SourceEntry, _ login: inout LoginEntry
  ) throws(JSONReader.Malformed) {
    for index in try entry.open(at: entry.index(of: ["custom_fields"]), arePersons: true).indices {
      let (type, label) = parts(of: entry.name(at: index))
      if type == "passkey" {
        entry.name(SourceEntry.Part(indices: index..<index + 1, isObject: true), type)
        continue
      }
      try entry.takeLeaves(at: index, as: label) { name, value in
        switch type {
        case "oneTimeCode", "otp": login.keepCode(value, as: name)
        case "url": login.addresses.append(EntryAddress(text: value.withUnsafeBytes { ByteString($0) }))
        case "text", "email", "phone", "date", "birthDate", "expirationDate", "host", "multiline", "name":
          login.fields.append((name, value.withUnsafeBytes { ByteString($0) }))
        default: login.secretFields.addField(name, value)
        }
      }
    }
  }

  /// The type of a field, and its label: `$host:Gate:1` has the type `host` and the label `Gate`. Commander's older
  /// name for codes has another form.
  private static func parts(of name: ByteString) -> (type: ByteString, label: ByteString) {
    if name == "TFC:Keeper" { return ("otp", name) }
    guard name.bytes.first == UInt8(ascii: "$") else { return ("", name) }
    let colon = UInt8(ascii: ":")
    let type = name.bytes.dropFirst().prefix { $0 != colon }
    // A number at the end counts fields of one label, which may contain colons itself.
    var label = name.bytes[type.endIndex...].dropFirst()
    let words = label.split(separator: colon, omittingEmptySubsequences: false)
    if words.count > 1, let last = words.last, last.allSatisfy(\.isDigit) {
      label = label.dropLast(last.count + 1)
    }
    return (ByteString(Array(type)), ByteString(Array(label.isEmpty ? type : label)))
  }
}
