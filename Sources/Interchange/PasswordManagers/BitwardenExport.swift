import Bytes
import JSON

extension FileFormat {
  /// The output of "Export vault" in Bitwarden and Vaultwarden, as CSV or as unencrypted JSON.
  public static let bitwarden = FileFormat(
    "bitwarden", "the CSV or JSON that Bitwarden exports", holdsLoginsAlone: true
  ) { text throws(FormatFault) in
    if text.first(where: { !CSVRows.byteOrderMark.contains($0) && $0 > 0x20 }) == UInt8(ascii: "{") {
      return try BitwardenJSON.read(text)
    }
    let export = CSVExport(
      name: ["name"], url: ["login_uri"], account: ["login_username"], password: ["login_password"],
      others: [("notes", "notes"), ("fields", "custom fields"), ("login_totp", "one-time code")],
      kind: ("type", "login"), addresses: .commas)
    return try export.read(text)
  }
}

/// The export as JSON: an object with the entries in `items`. Each entry has a type; 1 is a login.
private enum BitwardenJSON {
  static func read(_ text: UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins {
    var found = FoundLogins()
    var positions = FilePositions(text)
    var isEncrypted = false
    var hasItems = false
    do throws(JSONReader.Malformed) {
      try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
        if name == "encrypted" {
          isEncrypted = try value.bool()
        } else if name == "items" {
          hasItems = true
          try JSONReader.elements(of: value.raw) { (item) throws(JSONReader.Malformed) in
            read(item, &positions, &found)
          }
        } else if !(name == "folders" || name == "collections") {
          found.noteOthers()
        }
      }
    } catch {
      throw FormatFault("it is not JSON that Bitwarden exports")
    }
    if isEncrypted { throw FormatFault("it is encrypted; export it as '.json' or '.csv' instead") }
    guard hasItems else { throw FormatFault("it has no entries, as an export of Bitwarden has") }
    found.sortNewestFirst()
    return found
  }

  private static func read(_ item: JSONValue, _ positions: inout FilePositions, _ found: inout FoundLogins) {
    var entry = BitwardenEntry()
    do throws(JSONReader.Malformed) {
      try JSONReader.members(of: item.raw) { (name, value) throws(JSONReader.Malformed) in
        try entry.take(name, value)
      }
    } catch {
      return found.passOver(.line(positions.line(of: item.raw)), .malformed)
    }
    // A login that was removed before.
    if entry.isEmpty { return }
    let name = entry.login.name
    let origin = name.isEmpty ? Origin.line(positions.line(of: item.raw)) : .entry(name)
    if entry.isDiscarded { return found.passOver(origin, .discarded) }
    guard entry.type == 1 else { return found.passOver(origin, .noLogin) }
    found.take(
      entry.login, at: origin,
      removals: [Removal(positions.range(of: item.raw), replacement: .emptyObject)])
  }
}

private struct BitwardenEntry: ~Copyable {
  var login = LoginEntry()
  var type = 0
  var isEmpty = true
  var isDiscarded = false

  mutating func take(_ name: UnsafeRawBufferPointer, _ value: JSONValue) throws(JSONReader.Malformed) {
    isEmpty = false
    if value.kind == .null { return }
    if name == "type" {
      type = try value.integer()
    } else if name == "name" {
      login.name = try value.string()
    } else if name == "creationDate" {
      login.creationDate = try? value.timestamp()
    } else if name == "revisionDate" {
      login.modificationDate = try? value.timestamp()
    } else if name == "deletedDate" {
      isDiscarded = true
    } else if name == "notes" {
      if !Self.isEmptyString(value) { login.leftBehind.append("notes") }
    } else if name == "fields" {
      if try !Self.isEmptyArray(value) { login.leftBehind.append("custom fields") }
    } else if name == "passwordHistory" {
      if try !Self.isEmptyArray(value) { login.leftBehind.append("former passwords") }
    } else if name == "login" {
      try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
        try takeOfLogin(name, value)
      }
    } else {
      try leave(name, value)
    }
  }

  private mutating func takeOfLogin(
    _ name: UnsafeRawBufferPointer, _ value: JSONValue
  ) throws(JSONReader.Malformed) {
    if value.kind == .null { return }
    if name == "username" {
      login.account = try value.string()
    } else if name == "password" {
      login.secret = Secret(capacity: value.raw.count)
      try value.appendString(to: &login.secret)
    } else if name == "totp" {
      if !Self.isEmptyString(value) { login.leftBehind.append("one-time code") }
    } else if name == "fido2Credentials" {
      if try !Self.isEmptyArray(value) { login.leftBehind.append("passkey") }
    } else if name == "uris" {
      var urls: [ByteString] = []
      try JSONReader.elements(of: value.raw) { (element) throws(JSONReader.Malformed) in
        try JSONReader.members(of: element.raw) { (name, value) throws(JSONReader.Malformed) in
          guard name == "uri" else { return try leave(name, value) }
          if value.kind != .null { urls.append(try value.string()) }
        }
      }
      login.urls = urls
    } else {
      try leave(name, value)
    }
  }

  /// The members that the program fills by itself, without information that an item could lack.
  private static let incidental: [ByteString] = [
    "id", "organizationId", "object", "passwordRevisionDate", "uriChecksum",
  ]

  /// Names a member that doesn't fit into an item, unless it says nothing.
  private mutating func leave(
    _ name: UnsafeRawBufferPointer, _ value: JSONValue
  ) throws(JSONReader.Malformed) {
    if Self.isNothing(value) || Self.incidental.contains(ByteString(name)) { return }
    let word = try JSONValue.name(name).description
    if !login.leftBehind.contains(word) { login.leftBehind.append(word) }
  }

  /// Whether it is empty, or a choice that nobody has made.
  private static func isNothing(_ value: JSONValue) -> Bool {
    value.kind == .null || value.raw == "\"\"" || value.raw == "[]" || value.raw == "{}"
      || value.raw == "false" || value.raw == "0"
  }

  /// Decided without decoding the string, because it may be confidential.
  private static func isEmptyString(_ value: JSONValue) -> Bool {
    value.kind == .string && value.raw.count == 2
  }

  private static func isEmptyArray(_ value: JSONValue) throws(JSONReader.Malformed) -> Bool {
    var isEmpty = true
    try JSONReader.elements(of: value.raw) { _ in isEmpty = false }
    return isEmpty
  }
}
