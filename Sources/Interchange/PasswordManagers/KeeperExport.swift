import Bytes
import Keychain

extension FileFormat {
  /// The output of Keeper's "Export", "JSON", and of Keeper Commander's `export --format json`: an object with
  /// `records`, or just the records. Keeper's own fields have names `$TYPE:LABEL:NUMBER` (its manual, "JSON Import").
  static let keeperJSON = FileFormat(
    "keeper", "the JSON that Keeper exports", holdsLoginsAlone: true, severalForTheSame: .lastChangedAnswers,
    looksLike: { $0.members.contains("records") }
  ) { text throws(FormatFault) in
    if JSONEntries.isObject(text) {
      return try JSONEntries.read(text, of: "Keeper", "records", called: "records") {
        (records, _, entries) throws(JSONReader.Malformed) in try readAll(records, &entries)
      }
    }
    var entries = JSONEntries(text)
    do throws(JSONReader.Malformed) {
      try readAll(JSONValue(array: text), &entries)
    } catch {
      throw FormatFault("it is not JSON that Keeper exports")
    }
    return entries.found
  }

  private static func readAll(
    _ records: JSONValue, _ entries: inout JSONEntries
  ) throws(JSONReader.Malformed) {
    try entries.readAll(records) { (entry, found) throws(JSONReader.Malformed) in
      try entry.takeKeeper(&found)
    }
  }
}

extension TakenEntry {
  fileprivate mutating func takeKeeper(_ found: inout FoundLogins) throws(JSONReader.Malformed) {
    login.name = entry.title("title")
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
    entry.leaveToProgram("schema", "uid")
    try takeFields()
    found.take(login, of: &entry)
  }

  fileprivate mutating func takeFields() throws(JSONReader.Malformed) {
    for index in try entry.open(at: entry.index(of: ["custom_fields"]), arePersons: true).indices {
      let (type, label) = Self.parts(of: entry.name(at: index))
      if type == "passkey" {
        entry.name(SourceEntry.Part(indices: index..<index + 1, isObject: true), type)
        continue
      }
      try entry.takeLeaves(at: index, as: label, into: &login) { login, name, value in
        switch type {
        case "oneTimeCode", "otp": login.keepCode(value, as: name)
        case "url": login.addresses.append(EntryAddress(text: ByteString(value)))
        case "text", "email", "phone", "date", "birthDate", "expirationDate", "host", "multiline", "name":
          login.fields.append((name, ByteString(value)))
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
