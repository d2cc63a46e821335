import Bytes
import Keychain

extension FileFormat {
  /// The output of Enpass's "Export", "JSON": an object with `items`, whose `fields` have a type each.
  static let enpassJSON = FileFormat(
    "enpass", "the JSON that Enpass exports", holdsLoginsAlone: true, severalForTheSame: .lastChangedAnswers,
    looksLike: { shape in
      let names = shape.elementMembers(of: "items")
      return names.contains("category") && names.contains("fields")
    }
  ) { text throws(FormatFault) in
    try JSONEntries.read(text, of: "Enpass", "items", besides: "folders") {
      (items, file, entries) throws(JSONReader.Malformed) in
      var folders = try Folders(file["folders"], "title", by: "uuid", in: "parent_uuid")
      try entries.readAll(items) { (entry, found) throws(JSONReader.Malformed) in
        try entry.takeEnpass(&folders, &found)
      }
      entries.found.noteOthers(ifUnused: folders)
    }
  }
}

extension TakenEntry {
  fileprivate mutating func takeEnpass(
    _ folders: inout Folders, _ found: inout FoundLogins
  ) throws(JSONReader.Malformed) {
    login.name = entry.title("title")
    if entry.take(["trashed"]) != nil { return found.passOver(entry.origin, .discarded) }
    let category = entry.text("category")
    if ["creditcard", "identity", "note"].contains(category) {
      return found.passOver(entry.origin, .noLogin)
    }
    if !["login", "password", ""].contains(category) { login.itemDescription = category }
    login.comment = entry.text("note").nonEmpty
    login.tags = try entry.folders("folders", among: &folders)
    login.creationDate = entry.date(inSeconds: "createdAt")
    login.modificationDate = entry.date(inSeconds: "updated_at")
    // It is shown below the title, and is the account of most.
    let subtitle = entry.index(of: ["subtitle"])
    var email: (index: Int?, label: ByteString) = (nil, "")
    for field in try entry.openElements("fields") { takeField(field, &email) }
    if login.account.isEmpty {
      login.account = entry.text(at: email.index)
    } else if email.index != nil {
      keep(email.index, as: email.label, isHidden: false)
    }
    if [login.account, login.name].contains(entry.peek(at: subtitle)?.text) { _ = entry.take(at: subtitle) }
    entry.leaveToProgram("auto_submit", "template_type", "uuid")
    found.take(login, of: &entry)
  }

  /// Takes a field. The first user name, password and code, by type, are the login's, and a mail address replaces a
  /// missing user name. A deleted one, and former values, have no room.
  fileprivate mutating func takeField(
    _ field: SourceEntry.Part, _ email: inout (index: Int?, label: ByteString)
  ) {
    entry.leaveToProgram("uid", "order", "updated_at", "value_updated_at", in: field)
    if entry.index(of: ["deleted"], in: field) != nil { return }
    let value = entry.index(of: ["value"], in: field)
    let type = entry.text("type", in: field)
    let label = entry.text("label", in: field)
    let isHidden = ["1", "true"].contains(entry.text("sensitive", in: field))
    // Most of a template's fields are empty.
    guard value != nil else { return }
    switch type {
    case "username" where login.account.isEmpty: login.account = entry.text(at: value)
    case "password" where login.secret.isEmpty: login.secret = entry.secret(at: value)
    case "url": login.addresses.append(EntryAddress(text: entry.text(at: value)))
    case ".Android#": login.addresses.append(.androidApp(entry.text(at: value)))
    case "totp": login.keepCode(entry.secret(at: value), as: label)
    case "email" where email.index == nil: email = (value, label)
    default:
      keep(
        value, as: label, isHidden: isHidden || ["password", "pin"].contains(type))
    }
  }
}
