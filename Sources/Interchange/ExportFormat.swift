import Bytes
import CredentialProtocols
import JSON
public import Keychain

/// A format in which items are exported to other programs.
public struct ExportFormat: Sendable {
  /// Why an item isn't written.
  public enum Omission: Hashable, Sendable {
    /// The format has no place for items of its kind.
    case otherKind
    /// It has a byte that the format can't represent, such as a line break.
    case unspeakable
  }

  /// The name on the command line.
  public let name: String
  /// A description for a list of the formats.
  public let summary: String
  /// Whether the format preserves everything.
  public let isComplete: Bool
  /// The text before the first item.
  public let beginning: StaticString
  /// Writes an item, or returns why it is omitted.
  public let append: @Sendable (Item, borrowing Credential, inout Secret) -> Omission?

  /// Every format, the default first.
  public static let all: [ExportFormat] = [.jsonLines, .bitwardenCSV, .netrc, .gitCredentials]

  /// The format of that name.
  public static func named(_ name: String) -> ExportFormat? { all.first { $0.name == name } }

  /// JSON Lines: the vault's own form, an object for each item, with its dates and all confidential parts.
  /// `llavero import llavero` reads it.
  public static let jsonLines = ExportFormat(
    name: "jsonl", summary: "JSON Lines with everything, for 'llavero import llavero'",
    isComplete: true, beginning: ""
  ) { item, credential, text in
    var json = JSONWriter(capacity: 512)
    json.beginObject()
    json.member("created", item.creationDate)
    json.member("modified", item.modificationDate)
    json.attributes(of: item)
    json.confidentialMembers(of: credential)
    json.endObject()
    text.append(json.finishLine())
    return nil
  }

  /// CSV as imported by Bitwarden (its help, "Condition a .csv file") and most other password managers.
  public static let bitwardenCSV = ExportFormat(
    name: "csv", summary: "CSV as Bitwarden and other password managers read it", isComplete: false,
    beginning:
      "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n"
  ) { item, credential, text in
    // Brought back, a tool's own login would answer everybody.
    if case .internetPassword(let key) = item.key, !key.isForEverybody { return .otherKind }
    guard credential.secret.withUnsafeBytes({ isValidUTF8($0) && !$0.contains(0) }) else {
      return .unspeakable
    }
    text.append(",,login,")
    text.append(csvField: Secret(item.name))
    text.append(",")
    if let comment = item.comment { text.append(csvField: Secret(copying: comment)) }
    text.append(",,0,")
    if case .internetPassword(let key) = item.key { text.append(csvField: Secret(key.url() ?? "")) }
    text.append(",")
    if let account = item.key.account { text.append(csvField: Secret(copying: account)) }
    text.append(",")
    text.append(csvField: credential.secret)
    text.append(",\n")
    return nil
  }

  /// A line of a netrc file. The format has no ports, paths or schemes.
  public static let netrc = ExportFormat(
    name: "netrc", summary: "netrc for curl and others", isComplete: false, beginning: ""
  ) { item, credential, text in
    guard case .internetPassword(let key) = item.key, key.isForEverybody, let server = key.server,
      let account = key.account, credential.authenticationScheme == nil,
      ["https", "http", "ftp"].contains(key.protocol.lowercased),
      key.effectivePort == InternetPassword.defaultPort(of: key.protocol), key.path == nil
    else { return .otherKind }
    return NetrcText.appendLine(server: server, account: account, credential.secret, to: &text)
      ? nil : .unspeakable
  }

  /// A URL with user name and password on a line, as git's helper `store` reads it (git-credential-store(1), "STORAGE
  /// FORMAT"). Git refuses line breaks in what it decodes (CVE-2020-5260, CVE-2024-52006), and ends it at a NUL.
  public static let gitCredentials = ExportFormat(
    name: "git-credentials", summary: "the plain-text file of git's helper 'store'", isComplete: false,
    beginning: ""
  ) { item, credential, text in
    guard case .internetPassword(let key) = item.key, key.isForEverybody, let account = key.account,
      let host = key.hostAndPort, !key.protocol.isEmpty, key.authenticationType == nil,
      credential.authenticationScheme == nil
    else { return .otherKind }
    let isSpeakable = credential.secret.withUnsafeBytes { !$0.contains(where: endsLineOrText) }
    if !isSpeakable || account.bytes.contains(where: endsLineOrText) { return .unspeakable }
    text.append(contentsOf: key.protocol)
    text.append("://")
    PercentEncoding.append(Secret(copying: account), to: &text)
    text.append(":")
    PercentEncoding.append(credential.secret, to: &text)
    text.append("@")
    text.append(contentsOf: ByteString(host + key.pathOfURL + "\n"))
    return nil
  }
}

/// Whether a byte is a line break or NUL.
private func endsLineOrText(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d || byte == 0 }

extension InternetPassword {
  /// Whether it belongs to no particular tool.
  fileprivate var isForEverybody: Bool { securityDomain == nil }
}

extension Secret {
  /// Appends a field as in RFC 4180, quoted if necessary.
  fileprivate mutating func append(csvField value: borrowing Secret) {
    value.withUnsafeBytes { value in
      let needsQuotes =
        value.contains { [0x22, 0x2c, 0x0a, 0x0d].contains($0) } || value.first == 0x20 || value.last == 0x20
      if needsQuotes { append(0x22) }
      for byte in value {
        if byte == 0x22 { append(0x22) }
        append(byte)
      }
      if needsQuotes { append(0x22) }
    }
  }
}
