import Bytes
import Keychain

extension FileFormat {
  /// The exports of Proton Pass, in each of its forms. In its CSV, the user name of older versions may be an e-mail
  /// address.
  public static let protonPass = FileFormat(
    "protonpass", "the CSV, JSON or ZIP that Proton Pass exports", otherNames: ["proton", "proton-pass"],
    forms: [
      FileFormat(
        "protonpass", "the CSV that Proton Pass exports",
        CSVExport(
          columns: [
            .name: ["name"], .url: ["url"], .account: ["username"], .password: ["password"], .notes: ["note"],
            .code: ["totp"], .kind: ["type"], .created: ["createTime"], .modified: ["modifyTime"],
          ], otherAccounts: ["email"], tags: [.init(column: "vault")], dates: .seconds,
          ownColumns: ["createTime"], kind: ("login", .foreign), addresses: .commasAndSpaces)),
      .protonPassJSON.beginning(with: "{["),
    ])

  /// The output of Proton Pass's "Export", "JSON" without a passphrase: `data.json`, in a ZIP archive or alone. It has
  /// vaults by their identifiers, each with items.
  static let protonPassJSON = FileFormat(
    "protonpass", "the ZIP or JSON that Proton Pass exports", holdsLoginsAlone: true,
    severalForTheSame: .lastChangedAnswers,
    looksLike: { $0.members.contains("vaults") || $0.isArchive(of: "Proton Pass/") }
  ) { text throws(FormatFault) in
    try JSONEntries.read(
      text, of: "Proton Pass", "vaults", called: "vaults", ifEncrypted: "without a passphrase"
    ) { (vaults, _, entries) throws(JSONReader.Malformed) in
      guard vaults.kind == .object else { return }
      try JSONReader.members(of: vaults.raw) { (_, vault) throws(JSONReader.Malformed) in
        try read(vault, &entries)
      }
    }
  }.wrapped(in: .archive(members: ["Proton Pass/data.json", "data.json"]))

  private static func read(_ vault: JSONValue, _ entries: inout JSONEntries) throws(JSONReader.Malformed) {
    let name = try vault.text("name")
    if vault.kind == .object { try entries.members(of: vault.raw, "items") }
    let items = try vault.member("items")
    entries.noteOthers(ifEmpty: items)
    guard let items else { return }
    try entries.readAll(items, flattening: "data") { (entry, found) throws(JSONReader.Malformed) in
      try entry.takeProtonPass(in: name, &found)
    }
  }
}

extension TakenEntry {
  fileprivate mutating func takeProtonPass(
    in vault: ByteString, _ found: inout FoundLogins
  ) throws(JSONReader.Malformed) {
    let about = try entry.open("metadata")
    login.name = entry.title("name", in: about)
    // 2 is the trash.
    if entry.text("state") == "2" { return found.passOver(entry.origin, .discarded) }
    let type = entry.text("type")
    if ["note", "alias", "creditCard", "identity", "sshKey"].contains(type) {
      return found.passOver(entry.origin, .noLogin)
    }
    if type != "login" { login.itemDescription = type.nonEmpty }
    login.comment = entry.text("note", in: about).nonEmpty
    login.creationDate = entry.date(inSeconds: "createTime")
    login.modificationDate = entry.date(inSeconds: "modifyTime")
    if !vault.isEmpty { login.tags = [vault] }
    entry.leaveToProgram("itemUuid", in: about)
    entry.leaveToProgram("itemId", "shareId", "contentFormatVersion")
    try takeContent(try entry.open("content"))
    for field in try entry.openElements("extraFields") { try takeField(field) }
    try takeApps()
    found.take(login, of: &entry)
  }

  fileprivate mutating func takeContent(_ content: SourceEntry.Part) throws(JSONReader.Malformed) {
    login.account = entry.text("itemUsername", "username", in: content)
    let email = entry.index(of: ["itemEmail"], in: content)
    if login.account.isEmpty {
      login.account = entry.text(at: email)
    } else if email != nil {
      keep(email, as: "email", isHidden: false)
    }
    login.secret = entry.secret("password", in: content)
    login.addresses = try entry.texts("urls", in: content).map { EntryAddress(text: $0) }
    login.keepCode(entry.secret("totpUri", in: content), as: "")
    for name: ByteString in ["ssid", "security"] {
      if let index = entry.index(of: [name], in: content) {
        keep(index, as: name, isHidden: false)
      }
    }
    // The sections of a person's own fields.
    for section in try entry.openElements("sections", in: content) {
      let title = entry.text("sectionName", in: section)
      for field in try entry.openElements("sectionFields", in: section) {
        try takeField(field, in: title)
      }
    }
  }

  fileprivate mutating func takeField(_ field: SourceEntry.Part, in section: ByteString = "")
    throws(JSONReader.Malformed)
  {
    let label = entry.text("fieldName", in: field)
    let type = entry.text("type", in: field)
    let data = try entry.open("data", in: field)
    let name = label.ofField(in: section)
    login.keepCode(entry.secret("totpUri", in: data), as: name)
    let value = entry.index(of: ["content", "timestamp"], in: data)
    let isHidden = type == "hidden"
    // An entry other than a login has it in place of a password. It stays a field, too, for its name.
    if isHidden, login.secret.isEmpty, login.itemDescription != nil { login.secret = entry.secret(at: value) }
    if value != nil { keep(value, as: name, isHidden: isHidden) }
  }

  fileprivate mutating func takeApps() throws(JSONReader.Malformed) {
    let android = try entry.open("android", in: try entry.open("platformSpecific"))
    for app in try entry.openElements("allowedApps", in: android) {
      entry.leaveToProgram("hashes", "appName", in: app)
      let name = entry.text("packageName", in: app)
      if !name.isEmpty { login.addresses.append(.androidApp(name)) }
    }
  }
}
