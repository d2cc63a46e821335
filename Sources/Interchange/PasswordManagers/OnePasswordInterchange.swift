import Bytes
import Keychain

/// 1Password's older Interchange Format, `data.1pif`: an entry in JSON on each line, with separator lines between them.
enum OnePasswordInterchange {
  /// The separator line, the same in every file.
  private static let separator: StaticString = "***5642bee8-a5ff-11dc-8314-0800200c9a66***"

  static func isOne(_ text: UnsafeRawBufferPointer) -> Bool {
    FileLines(text).prefix(4).contains { $0.text == separator }
  }

  static func read(_ text: UnsafeRawBufferPointer) -> FoundLogins {
    var folders = Folders()
    for line in FileLines(text) where JSONEntries.isObject(line.text) { addFolder(line.text, to: &folders) }
    var found = FoundLogins()
    for line in FileLines(text) where !line.isBlank && !(line.text == separator) {
      var entry = SourceEntry(at: .line(line.number), removals: [Removal(line.range)])
      do throws(JSONReader.Malformed) {
        try entry.addMembers(of: line.text)
        var taken = TakenEntry(entry)
        try taken.takeInterchange(&folders, &found)
      } catch {
        found.passOver(.line(line.number), .malformed)
      }
    }
    found.noteOthers(ifUnused: folders)
    return found
  }

  private static func addFolder(_ line: UnsafeRawBufferPointer, to folders: inout Folders) {
    var kind: ByteString = ""
    var identifier: ByteString = ""
    var title: ByteString = ""
    var parent: ByteString = ""
    do throws(JSONReader.Malformed) {
      try JSONReader.members(of: line) { (name, value) throws(JSONReader.Malformed) in
        if name == "typeName" { kind = try value.string() }
        if name == "uuid" { identifier = try value.string() }
        if name == "title" { title = try value.string() }
        if name == "folderUuid", value.kind == .string { parent = try value.string() }
      }
    } catch { return }
    if kind == regularFolder { folders.add(identifier, title, in: parent) }
  }

  fileprivate static let regularFolder: ByteString = "system.folder.Regular"

  /// The kinds of entries that are logins or have a password, with their descriptions.
  fileprivate static let kinds: [ByteString: ByteString?] = [
    "webforms.WebForm": nil, "passwords.Password": nil, "wallet.computer.UnixServer": "Server",
    "wallet.computer.Database": "Database", "wallet.computer.Router": "Wireless Router",
    "wallet.onlineservices.Email.v2": "Email Account", "wallet.onlineservices.GenericAccount": "Account",
    "wallet.onlineservices.FTP": "FTP Account", "wallet.onlineservices.ISP": "Internet Provider",
  ]
}

extension TakenEntry {
  fileprivate mutating func takeInterchange(_ folders: inout Folders, _ found: inout FoundLogins)
    throws(JSONReader.Malformed)
  {
    let type = entry.text("typeName")
    if type == OnePasswordInterchange.regularFolder { return }
    // A person's saved search.
    if type.bytes.starts(with: "system.folder".utf8) { return found.noteOthers() }
    login.name = entry.title("title")
    if entry.take(["trashed"]) != nil { return found.passOver(entry.origin, .discarded) }
    guard let description = OnePasswordInterchange.kinds[type] else {
      return found.passOver(entry.origin, .noLogin)
    }
    login.itemDescription = description
    login.creationDate = entry.date(inSeconds: "createdAt")
    login.modificationDate = entry.date(inSeconds: "updatedAt")
    let open = try entry.open("openContents")
    login.tags = try entry.folders("folderUuid", among: &folders) + entry.texts("tags", in: open)
    let details = try entry.open("secureContents")
    let location = entry.text("location")
    if !location.isEmpty { login.addresses.append(EntryAddress(text: location)) }
    for url in try entry.openElements("URLs", in: details) {
      takeAddress(in: url, besides: location)
    }
    entry.leaveToProgram("uuid", "locationKey", "securityLevel", "contentsHash", "keyID", "txTimestamp")
    entry.leaveToProgram("scope", "autosubmit", "securityLevel", "contentsHash", in: open)
    entry.leaveToProgram(
      "htmlForm", "htmlMethod", "htmlName", "htmlID", "htmlAction", "backupKeys", "sendEverything",
      in: details)
    try takeDetails(details)
    found.take(login, of: &entry)
  }

  fileprivate mutating func takeDetails(_ details: SourceEntry.Part) throws(JSONReader.Malformed) {
    login.comment = entry.text("notesPlain", in: details).nonEmpty
    login.secret = entry.secret("password", in: details)
    for field in try entry.openElements("fields", in: details) {
      takeLoginField(field)
    }
    for section in try entry.openElements("sections", in: details) {
      entry.leaveToProgram("name", in: section)
      let title = entry.text("title", in: section)
      for field in try entry.openElements("fields", in: section) {
        try takeField(field, in: title)
      }
    }
    if login.itemDescription == nil { return }
    // The other kinds have these outside their sections.
    if login.account.isEmpty { login.account = entry.text("username", "pop_username", in: details) }
    if login.secret.isEmpty { login.secret = entry.secret("wireless_password", "pop_password", in: details) }
    for name: ByteString in ["hostname", "url", "server", "pop_server"] {
      let address = entry.text(name, in: details)
      if !address.isEmpty { login.addresses.append(EntryAddress(text: address, rule: .note)) }
    }
  }

  /// Takes a field of a section: `k` is its kind, `n` its identifier, `t` its title and `v` its value.
  fileprivate mutating func takeField(
    _ field: SourceEntry.Part, in section: ByteString
  ) throws(JSONReader.Malformed) {
    entry.leaveToProgram("inputTraits", "a", in: field)
    let kind = entry.text("k", in: field)
    let identifier = entry.text("n", in: field)
    let title = entry.text("t", in: field)
    let name = (title.nonEmpty ?? identifier).ofField(in: section)
    guard let index = entry.index(of: ["v"], in: field) else { return }
    if identifier.bytes.starts(with: "TOTP_".utf8) {
      login.keepCode(entry.secret(at: index), as: name)
    } else if kind == "concealed" {
      takeSecret(index, identifier, as: name)
    } else if kind == "URL" || OnePasswordArchive.isAddress(identifier) && login.itemDescription != nil {
      login.addresses.append(EntryAddress(text: entry.text(at: index), rule: .note))
    } else if kind == "reference" || kind == "file" {
      return
    } else if identifier == "username", login.account.isEmpty, login.itemDescription != nil {
      login.account = entry.text(at: index)
    } else if kind == "address" {
      try keepAll(at: index, as: name)
    } else {
      keep(index, as: name, isHidden: false)
    }
  }
}
