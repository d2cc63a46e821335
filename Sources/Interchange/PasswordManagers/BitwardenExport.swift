import Bytes
import Keychain

extension FileFormat {
  /// The output of "Export vault" in Bitwarden and Vaultwarden, as CSV or unencrypted JSON.
  public static let bitwarden = FileFormat(
    "bitwarden", "the CSV or JSON that Bitwarden exports", holdsLoginsAlone: true,
    severalForTheSame: .lastChangedAnswers, otherNames: ["vaultwarden"],
    looksLike: {
      bitwardenCSV.likeness(of: $0.columns) == .certain || BitwardenJSON.isLike($0)
        || $0.isArchive(of: "data.json")
    }
  ) { text throws(FormatFault) in
    if JSONEntries.isObject(text) { return try BitwardenJSON.read(text) }
    return try bitwardenCSV.read(text)
  }.wrapped(in: .archive(members: ["data.json"]))

  private static let bitwardenCSV = CSVExport(
    columns: [
      .name: ["name"], .url: ["login_uri"], .account: ["login_username"], .password: ["login_password"],
      .notes: ["notes"], .code: ["login_totp"], .kind: ["type"], .ownFields: ["fields"],
    ],
    tags: [.init(column: "folder"), .init(column: "collections", separator: UInt8(ascii: ","))],
    ownColumn: "login_password", kind: ("login", .foreign), addresses: .commas
  ) { $0.takeCustomFields() }
}

/// The export as JSON: an object with the entries in `items`. Each entry has a type; 1 is a login.
private enum BitwardenJSON {
  static func isLike(_ shape: FileShape) -> Bool {
    shape.members.contains("encrypted")
      && ["items", "data", "encKeyValidation_DO_NOT_EDIT"].contains { shape.members.contains($0) }
  }

  static func read(_ text: UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins {
    try JSONEntries.read(
      text, of: "Bitwarden", "items", besides: "folders", "collections", ifEncrypted: "as '.json' or '.csv'"
    ) { (items, file, entries) throws(JSONReader.Malformed) in
      var folders = try Folders(file["folders"], "name", by: "id")
      var collections = try Folders(file["collections"], "name", by: "id")
      try entries.readAll(items, flattening: "login") { (entry, found) throws(JSONReader.Malformed) in
        try entry.takeBitwarden(&folders, &collections, &found)
      }
      entries.found.noteOthers(ifUnused: folders)
    }
  }

  /// The rule for Bitwarden's kind of matching (its help, "Using URIs", "Match detection"): 2 is by its beginning, 3
  /// exact, 4 a regular expression, 5 never. The others are for the domain or the host.
  fileprivate static func rule(_ match: ByteString) -> EntryAddress.Rule {
    switch match {
    case "2", "3": .path
    case "4", "5": .note
    default: .page
    }
  }
}

extension TakenEntry {
  /// Takes a person's own fields: `NAME: VALUE` on a line each, where a value may have further lines. It doesn't say
  /// which ones are hidden.
  fileprivate mutating func takeCustomFields() {
    let index = entry.index(of: ["fields"])
    guard case .some(let text) = entry.peek(at: index)?.secret else { return }
    let separator = Array(": ".utf8)
    let hasNames = text.withUnsafeBytes { bytes in
      var name: ByteString = ""
      var value = Secret()
      for line in FileLines(bytes) {
        let end = line.text.indices.first { line.text[$0...].starts(with: separator) }
        guard let end else {
          if name.isEmpty { return false }
          value.append(0x0a)
          value.append(line.text)
          continue
        }
        // It has no name, or continues the line before.
        if end == 0 { return false }
        if !name.isEmpty { login.secretFields.addField(name, value) }
        name = ByteString(line.text.slice(..<end))
        value = Secret(copying: line.text.slice((end + separator.count)...))
      }
      if !name.isEmpty { login.secretFields.addField(name, value) }
      return true
    }
    if hasNames { _ = entry.take(at: index) }
  }

  fileprivate mutating func takeBitwarden(
    _ folders: inout Folders, _ collections: inout Folders, _ found: inout FoundLogins
  ) throws(JSONReader.Malformed) {
    login.name = entry.title("name")
    if entry.take(["deletedDate"]) != nil { return found.passOver(entry.origin, .discarded) }
    guard case .json(let type)? = entry.take(["type"]), try type.integer() == 1 else {
      return found.passOver(entry.origin, .noLogin)
    }
    login.account = entry.text("username")
    let password = entry.index(of: ["password"])
    login.secret = entry.secret(at: password)
    // It has an invalid one.
    if password != nil, login.secret.isEmpty { throw JSONReader.Malformed() }
    login.creationDate = entry.date("creationDate")
    login.modificationDate = entry.date("revisionDate")
    login.comment = entry.text("notes").nonEmpty
    login.oneTimeCode = entry.secret("totp")
    login.tags =
      try entry.folders("folderId", among: &folders) + entry.folders("collectionIds", among: &collections)
    for address in try entry.openElements("uris") {
      let rule = entry.text("match", in: address)
      login.addresses.append(
        EntryAddress(text: entry.text("uri", in: address), rule: BitwardenJSON.rule(rule)))
    }
    for field in try entry.openElements("fields") { takeField(field) }
    found.take(login, of: &entry)
  }

  /// Takes a custom field (its help, "Custom fields"): 0 is text, 1 hidden, 2 a choice. One linked to the password or
  /// the account has no value of its own.
  fileprivate mutating func takeField(_ field: SourceEntry.Part) {
    if entry.index(of: ["linkedId"], in: field) != nil { return }
    let isHidden = entry.text("type", in: field) == "1"
    let name = entry.text("name", in: field)
    keep(entry.index(of: ["value"], in: field), as: name, isHidden: isHidden)
  }
}
