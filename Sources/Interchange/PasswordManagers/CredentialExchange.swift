import Bytes
import Keychain

extension FileFormat {
  /// The FIDO Alliance's Credential Exchange Format 1.0 (fidoalliance.org/specs/cx, "cxf-v1.0-ps"): a header, or an
  /// account alone as Apple's systems hand it out. Each account has items, and each item credentials of several types.
  public static let credentialExchange = FileFormat(
    "cxf", "the Credential Exchange Format of the FIDO Alliance", holdsLoginsAlone: true,
    severalForTheSame: .lastChangedAnswers,
    looksLike: { shape in
      let isHeader = shape.members.contains("accounts") && shape.members.contains("version")
      let isAccount = shape.members.contains("items") && shape.members.contains("email")
      return isHeader || isAccount
    }
  ) { text throws(FormatFault) in
    var entries = JSONEntries(text)
    var file: [ByteString: JSONValue] = [:]
    var major = 1
    do throws(JSONReader.Malformed) {
      file = try entries.members(of: text, "accounts", ["items", "collections"])
      major = try file["version"]?.member("major")?.integer() ?? 1
      // Our own has the places of logins.
      let rule: EntryAddress.Rule = try file["exporterRpId"]?.string() == "llavero" ? .path : .page
      if major == 1, let accounts = file["accounts"] {
        try JSONReader.elements(of: accounts.raw) { (account) throws(JSONReader.Malformed) in
          if account.kind == .object { try entries.members(of: account.raw, "items", ["collections"]) }
          try readItems(try account.member("items"), try account.member("collections"), rule, &entries)
        }
      } else {
        try readItems(file["items"], file["collections"], rule, &entries)
      }
    } catch {
      throw FormatFault("it is not JSON of the Credential Exchange Format")
    }
    if major != 1 {
      throw FormatFault("it has version \(major) of the Credential Exchange Format; 1 is read")
    }
    if file["accounts"] == nil, file["items"] == nil { throw FormatFault("it has no accounts") }
    return entries.found
  }

  private static func readCollections(
    _ collections: JSONValue, _ titles: inout [ByteString: [ByteString]], _ entries: inout JSONEntries,
    in parent: ByteString = ""
  ) throws(JSONReader.Malformed) {
    if collections.kind != .array { return }
    try JSONReader.elements(of: collections.raw) { (collection) throws(JSONReader.Malformed) in
      let name = try collection.text("title")
      let title = parent.isEmpty ? name : name.isEmpty ? parent : parent.joined(name)
      let below = try collection.member("subCollections")
      if collection.kind == .object {
        try entries.members(of: collection.raw, "items", ["subCollections"])
      }
      if below == nil { entries.noteOthers(ifEmpty: try collection.member("items")) }
      if let items = try collection.member("items"), !title.isEmpty {
        try JSONReader.elements(of: items.raw) { (link) throws(JSONReader.Malformed) in
          titles[try link.text("item"), default: []].append(title)
        }
      }
      if let below { try readCollections(below, &titles, &entries, in: title) }
    }
  }

  private static func readItems(
    _ items: JSONValue?, _ collections: JSONValue?, _ rule: EntryAddress.Rule, _ entries: inout JSONEntries
  ) throws(JSONReader.Malformed) {
    var titles: [ByteString: [ByteString]] = [:]
    if let collections { try readCollections(collections, &titles, &entries) }
    guard let items else { return }
    try entries.readAll(items) { (entry, found) throws(JSONReader.Malformed) in
      try entry.takeItem(titles, rule, &found)
    }
  }
}

extension TakenEntry {
  fileprivate mutating func takeItem(
    _ collections: [ByteString: [ByteString]], _ rule: EntryAddress.Rule, _ found: inout FoundLogins
  ) throws(JSONReader.Malformed) {
    login.name = entry.title("title")
    login.creationDate = entry.date(inSeconds: "creationAt")
    login.modificationDate = entry.date(inSeconds: "modifiedAt")
    let tags = try entry.texts("tags")
    login.tags = (collections[entry.peek(at: entry.index(of: ["id"]))?.text ?? ""] ?? []) + tags
    let scope = try entry.open("scope")
    // In llavero's own, the first is the item's place, and the others are just noted.
    login.addresses = try entry.texts("urls", in: scope).enumerated().map { number, text in
      EntryAddress(text: text, rule: rule == .path && number > 0 ? .note : rule)
    }
    try takeApps(in: scope)
    let subtitle = entry.index(of: ["subtitle"])
    if subtitle != nil { keep(subtitle, as: "subtitle", isHidden: false) }
    var hasLogin = false
    for credential in try entry.openElements("credentials") {
      let type = entry.index(of: ["type"], in: credential)
      if try take(credential, entry.peek(at: type)?.text ?? "", &hasLogin) {
        _ = entry.take(at: type)
      } else if let type = entry.peek(at: type)?.text {
        entry.name(credential, type)
      }
    }
    guard hasLogin else { return found.passOver(entry.origin, .noLogin) }
    found.take(login, of: &entry)
  }

  /// Takes a credential. Returns whether its type has room in an item. Passkeys, cards, identities and files stay, and
  /// their contents are reported.
  fileprivate mutating func take(_ credential: SourceEntry.Part, _ type: ByteString, _ hasLogin: inout Bool)
    throws(JSONReader.Malformed) -> Bool
  {
    switch type {
    case "basic-auth":
      try takePair("username", "password", in: credential)
      // In drafts of the format they had addresses of their own.
      login.addresses += try entry.texts("urls", in: credential).map { EntryAddress(text: $0) }
    case "api-key":
      try takePair("username", "key", in: credential)
      let url = try entry.open("url", in: credential)
      _ = entry.text("fieldType", in: url)
      login.addresses.append(EntryAddress(text: entry.text("value", in: url)))
      try keep(["keyType", "validFrom", "expiryDate"], in: credential)
    case "wifi":
      login.itemDescription = login.itemDescription ?? "Wi-Fi"
      try takePair("", "passphrase", in: credential)
      try keep(["ssid", "networkSecurityType", "hidden"], in: credential)
    case "generated-password":
      if login.secret.isEmpty {
        login.secret = entry.secret("password", in: credential)
      } else {
        login.secretFields.addField("generated password", entry.secret("password", in: credential))
      }
    case "totp":
      takeCode(credential)
    case "note":
      let content = try entry.open("content", in: credential)
      let note = entry.text("value", in: content)
      _ = entry.text("fieldType", in: content)
      if let comment = login.comment {
        login.comment = ByteString(comment.bytes + [0x0a, 0x0a] + note.bytes)
      } else {
        login.comment = note.nonEmpty
      }
      return true
    case "custom-fields":
      try takeFields(credential)
      return true
    default: return false
    }
    hasLogin = true
    return true
  }

  /// Takes a user name and a password. Further ones become fields.
  fileprivate mutating func takePair(
    _ account: ByteString, _ password: ByteString, in credential: SourceEntry.Part
  ) throws(JSONReader.Malformed) {
    let isFirst = login.secret.isEmpty && login.account.isEmpty
    for name in [account, password] {
      let field = try entry.open(name, in: credential)
      _ = entry.text("fieldType", in: field)
      guard let value = entry.index(of: ["value"], in: field) else { continue }
      if !isFirst {
        keep(value, as: name, isHidden: name == password)
      } else if name == password {
        login.secret = entry.secret(at: value)
      } else {
        login.account = entry.text(at: value)
      }
    }
  }

  fileprivate mutating func takeCode(_ credential: SourceEntry.Part) {
    // The rest is useless without it, and stays.
    guard let secret = entry.index(of: ["secret"], in: credential) else { return }
    var code = OneTimeCodeParts(secret: entry.secret(at: secret))
    let period = entry.text("period", in: credential)
    let digits = entry.text("digits", in: credential)
    let algorithm = entry.text("algorithm", in: credential)
    if period != "30" { code.period = period }
    if digits != "6" { code.digits = digits }
    if algorithm.lowercased != "sha1" { code.algorithm = algorithm }
    code.account = entry.text("username", in: credential)
    code.issuer = entry.text("issuer", in: credential)
    login.keepCode(code.url, as: "")
  }

  fileprivate mutating func keep(
    _ names: [ByteString], in credential: SourceEntry.Part
  ) throws(JSONReader.Malformed) {
    for name in names {
      let field = try entry.open(at: entry.index(of: [name], in: credential))
      _ = entry.text("fieldType", in: field)
      guard let value = entry.index(of: ["value"], in: field) else { continue }
      keep(value, as: name, isHidden: false)
    }
  }

  fileprivate mutating func takeFields(_ section: SourceEntry.Part) throws(JSONReader.Malformed) {
    let title = entry.text("label", in: section)
    for field in try entry.openElements("fields", in: section) {
      let type = entry.text("fieldType", in: field)
      let label = entry.text("label", in: field)
      let name = label.ofField(in: title)
      keep(
        entry.index(of: ["value"], in: field), as: name, isHidden: type == "concealed-string")
    }
  }

  fileprivate mutating func takeApps(in scope: SourceEntry.Part) throws(JSONReader.Malformed) {
    for app in try entry.openElements("androidApps", in: scope) {
      let bundle = entry.text("bundleId", in: app)
      if bundle.isEmpty { continue }
      login.addresses.append(.androidApp(bundle))
      entry.leaveToProgram("certificate", "name", in: app)
    }
  }
}
