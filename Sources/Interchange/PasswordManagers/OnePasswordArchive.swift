import Bytes
import Keychain

/// The common parts of 1Password's own export formats: kinds of entries, and fields in sections.
enum OnePasswordArchive {
  /// Reads `export.data` of a `.1pux` file (support.1password.com/1pux-format): accounts with vaults with items.
  static func read(_ text: UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins {
    try JSONEntries.read(text, of: "1Password", "accounts", called: "accounts") {
      (accounts, _, entries) throws(JSONReader.Malformed) in
      try JSONReader.elements(of: accounts.raw) { (account) throws(JSONReader.Malformed) in
        try noteOthers(in: account, besides: "vaults", &entries)
        guard let vaults = try account.member("vaults") else { return }
        try JSONReader.elements(of: vaults.raw) { (vault) throws(JSONReader.Malformed) in
          try read(vault, &entries)
        }
      }
    }
  }

  private static func read(_ vault: JSONValue, _ entries: inout JSONEntries) throws(JSONReader.Malformed) {
    let name = try vault.member("attrs")?.text("name") ?? ""
    try noteOthers(in: vault, besides: "items", &entries)
    let items = try vault.member("items")
    entries.noteOthers(ifEmpty: items)
    guard let items else { return }
    // Older exports have each item within an object.
    try entries.readAll(items, flattening: "item") { (entry, found) throws(JSONReader.Malformed) in
      try entry.takeOnePassword(in: name, &found)
    }
  }

  /// Notes the further values of an account or a vault.
  private static func noteOthers(
    in whole: JSONValue, besides parts: ByteString, _ entries: inout JSONEntries
  ) throws(JSONReader.Malformed) {
    if whole.kind != .object { return }
    let about = try entries.members(of: whole.raw, parts, ["attrs"])["attrs"]
    if let about, about.kind == .object { try entries.members(of: about.raw) }
  }

  /// The kinds of entries that are no logins: cards, notes, identities, documents and so on.
  fileprivate static let foreign: [ByteString] = [
    "002", "003", "004", "006", "100", "101", "103", "104", "105", "106", "107", "108", "113", "114", "115",
  ]
  /// The descriptions of the other kinds, except logins and passwords.
  fileprivate static let descriptions: [ByteString: ByteString] = [
    "102": "Database", "109": "Wireless Router", "110": "Server", "111": "Email Account",
    "112": "API Credential",
  ]

  static func isAddress(_ identifier: ByteString) -> Bool {
    ["hostname", "url", "server", "pop_server", "admin_console_url"].contains(identifier)
  }
}

extension TakenEntry {
  fileprivate mutating func takeOnePassword(in vault: ByteString, _ found: inout FoundLogins)
    throws(JSONReader.Malformed)
  {
    let overview = try entry.open("overview")
    let details = try entry.open("details")
    login.name = entry.title("title", in: overview)
    let state = entry.index(of: ["state"])
    if entry.peek(at: state)?.text == "trashed" || entry.take(["trashed"]) != nil {
      return found.passOver(entry.origin, .discarded)
    }
    let category = entry.text("categoryUuid")
    if OnePasswordArchive.foreign.contains(category) { return found.passOver(entry.origin, .noLogin) }
    login.itemDescription = OnePasswordArchive.descriptions[category]
    login.creationDate = entry.date(inSeconds: "createdAt")
    login.modificationDate = entry.date(inSeconds: "updatedAt")
    login.tags = (vault.isEmpty ? [] : [vault]) + (try entry.texts("tags", in: overview))
    // Other values in it stay.
    switch entry.peek(at: state)?.text {
    case "archived":
      login.tags.append(EntryMark.archived)
      entry.mayBeDiscarded = true
      _ = entry.take(at: state)
    case "active": _ = entry.take(at: state)
    default: break
    }
    try takeAddresses(in: overview)
    let subtitle = entry.index(of: ["subtitle"], in: overview)
    entry.leaveToProgram(
      "ps", "pbe", "pgrng", "icons", "watchtowerExclusions", "ainfo", "passwordStrength", in: overview)
    entry.leaveToProgram("uuid")
    try takeDetails(details)
    // It is shown below the title, and is the account of most.
    if [login.account, login.name, "-", "–", "—"].contains(entry.peek(at: subtitle)?.text) {
      _ = entry.take(at: subtitle)
    }
    found.take(login, of: &entry)
  }

  fileprivate mutating func takeAddresses(in overview: SourceEntry.Part) throws(JSONReader.Malformed) {
    let first = entry.text("url", in: overview)
    if !first.isEmpty { login.addresses.append(EntryAddress(text: first)) }
    for url in try entry.openElements("urls", in: overview) {
      let rule: EntryAddress.Rule = entry.text("mode", in: url) == "never" ? .note : .page
      entry.leaveToProgram("primary", in: url)
      takeAddress(in: url, besides: first, rule)
    }
  }

  /// Takes an address. A person's label for it becomes the name of a field.
  ///
  /// - Parameter first: the address that the entry repeats.
  mutating func takeAddress(
    in url: SourceEntry.Part, besides first: ByteString, _ rule: EntryAddress.Rule = .page
  ) {
    let text = entry.text("url", in: url)
    if text != first { login.addresses.append(EntryAddress(text: text, rule: rule)) }
    let label = entry.index(of: ["label"], in: url)
    if entry.peek(at: label)?.text?.isEqualIgnoringCase("website") == true {
      entry.leaveToProgram("label", in: url)
    } else if label != nil, !text.isEmpty {
      login.fields.append((entry.text(at: label), text))
    }
  }

  fileprivate mutating func takeDetails(_ details: SourceEntry.Part) throws(JSONReader.Malformed) {
    login.comment = entry.text("notesPlain", in: details).nonEmpty
    login.secret = entry.secret("password", in: details)
    for field in try entry.openElements("loginFields", in: details) {
      takeLoginField(field)
    }
    for section in try entry.openElements("sections", in: details) {
      entry.leaveToProgram("name", "hideAddAnotherField", in: section)
      let title = entry.text("title", in: section)
      for field in try entry.openElements("fields", in: section) {
        try takeField(field, in: title)
      }
    }
  }

  /// Takes a field of the form that the login was saved from. Only two of them have a meaning.
  mutating func takeLoginField(_ field: SourceEntry.Part) {
    let type = entry.text("fieldType", "type", in: field)
    let role = entry.text("designation", in: field)
    let value = entry.index(of: ["value"], in: field)
    if role == "username", login.account.isEmpty {
      login.account = entry.text(at: value)
      entry.leaveToProgram("name", in: field)
    } else if role == "password", login.secret.isEmpty {
      login.secret = entry.secret(at: value)
      entry.leaveToProgram("name", in: field)
    } else if value != nil {
      let name = entry.text("name", in: field)
      keep(value, as: name.nonEmpty ?? role, isHidden: type == "P")
    } else {
      // A button or an empty line of the form.
      entry.leaveToProgram("name", in: field)
    }
  }

  /// Takes a field of a section; its value determines its type.
  fileprivate mutating func takeField(
    _ field: SourceEntry.Part, in section: ByteString
  ) throws(JSONReader.Malformed) {
    entry.leaveToProgram("indexAtSource", "guarded", "multiline", "dontGenerate", "inputTraits", in: field)
    let identifier = entry.peek(at: entry.index(of: ["id"], in: field))?.text ?? ""
    let value = try entry.open("value", in: field)
    let title = entry.text("title", in: field)
    let name = (title.nonEmpty ?? identifier).ofField(in: section)
    for index in value.indices where entry.index(of: [entry.name(at: index)], in: value) == index {
      switch entry.name(at: index) {
      case "totp": login.keepCode(entry.secret(at: index), as: name)
      case "concealed":
        takeSecret(index, identifier, as: name)
      // A page about it, or a server's console, has another password.
      case "url": login.addresses.append(EntryAddress(text: entry.text(at: index), rule: .note))
      // Another entry, or the contents of another file.
      case "reference", "file": break
      case "string" where identifier == "username" && login.account.isEmpty && login.itemDescription != nil:
        login.account = entry.text(at: index)
      // For a database or a router it isn't known which protocol and port ask for the password.
      case "string" where OnePasswordArchive.isAddress(identifier) && login.itemDescription != nil:
        login.addresses.append(EntryAddress(text: entry.text(at: index), rule: .note))
      case "date":
        let text = entry.text(at: index)
        let date = text.text.flatMap { Int64($0) }.map { "\(Timestamp(seconds: $0))".prefix(10) }
        login.fields.append((name, date.map { ByteString($0) } ?? text))
      case "string", "monthYear", "phone", "menu", "gender", "month":
        keep(index, as: name, isHidden: false)
      default: try keepAll(at: index, as: name)
      }
    }
  }

  /// Takes a concealed field, the secret of an entry that isn't a login.
  mutating func takeSecret(_ index: Int, _ identifier: ByteString, as name: ByteString) {
    let secrets: [ByteString] = ["password", "credential", "wireless_password", "pop_password"]
    if login.secret.isEmpty, secrets.contains(identifier) {
      login.secret = entry.secret(at: index)
    } else {
      keep(index, as: name, isHidden: true)
    }
  }
}
