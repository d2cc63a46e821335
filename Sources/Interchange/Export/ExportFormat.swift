public import Bytes
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
    /// Programs would take it for another login of its host, which is written.
    case otherLogin
  }

  /// What became of an item.
  public enum Outcome: Equatable, Sendable {
    case omitted(Omission)
    /// It is written, without the named fields.
    case written(without: [String])
  }

  /// The name on the command line.
  public let name: String
  /// A description for a list of the formats.
  public let summary: String
  /// Whether the format preserves everything.
  public let isComplete: Bool
  /// The text before the first item.
  public let beginning: StaticString
  /// The items in the order in which programs take what they should take, some of them twice, and those that they can't be
  /// made to take.
  public var arrange: @Sendable ([Item]) -> (written: [Item], omitted: [Item]) = { ($0, []) }
  /// Writes an item, or returns why it is omitted.
  fileprivate let write:
    @Sendable (Item, borrowing Credential, inout ExportedFields, inout Secret) -> Omission?

  /// Appends an item to a text.
  public func append(_ item: Item, _ credential: borrowing Credential, to text: inout Secret) -> Outcome {
    var fields = ExportedFields(item, credential)
    if let omission = write(item, credential, &fields, &text) { return .omitted(omission) }
    return .written(without: fields.names)
  }

  /// Every format, the default first.
  public static let all: [ExportFormat] = [.jsonLines, .bitwardenCSV, .netrc, .gitCredentials]

  /// The format of that name.
  public static func named(_ name: String) -> ExportFormat? { all.first { $0.name == name } }

  /// JSON Lines: the vault's own form, an object for each item, with its dates and all confidential parts.
  /// `llavero import llavero` reads it.
  public static let jsonLines = ExportFormat(
    name: "jsonl", summary: "JSON Lines with everything, for 'llavero import llavero'",
    isComplete: true, beginning: ""
  ) { item, credential, fields, text in
    fields.takeAll()
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
  ) { item, credential, fields, text in
    // Brought back, a tool's own login would answer everybody.
    var own = OwnFields()
    switch item.key {
    case .internetPassword(let key):
      guard key.isForEverybody, !key.protocol.isEmpty, key.url() != nil else { return .otherKind }
      fields.take(all: "protocol", "server", "port", "path")
      if let type = fields.take("authentication type") { own.add("authenticationType", type) }
      if let place = key.placeForCSV { own.add("place", place) }
    case .genericPassword: if let service = fields.take("service") { own.add("service", service) }
    case .cryptographic, .secretService: return .otherKind
    }
    // A ready-made credential is no password.
    guard credential.authenticationScheme == nil else { return .otherKind }
    guard credential.secret.withUnsafeBytes({ isValidUTF8($0) && !$0.contains(0) }) else {
      return .unspeakable
    }
    let account = fields.take("account")
    if account?.isEmpty == true { own.add("account", "") }
    let comment = fields.take("comment")
    if comment != nil { own.add("comment", "") }
    for name in ["description", "creator", "type", "default"] + item.furtherAttributes.tags.map(\.description)
    {
      if let value = fields.take(name) { own.add(ByteString(name), value) }
    }
    fields.take("label")
    text.append(",,login,")
    text.append(csvField: item.name)
    text.append(",")
    text.append(csvField: comment ?? "")
    text.append(",")
    text.append(csvField: own.text)
    text.append(",0,")
    if case .internetPassword(let key) = item.key { text.append(csvField: ByteString(key.url() ?? "")) }
    text.append(",")
    text.append(csvField: account ?? "")
    text.append(",")
    text.append(csvField: credential.secret)
    text.append(",")
    switch credential.further.oneTimeCode {
    case .none: break
    case .some(let code):
      fields.take("one-time code")
      text.append(csvField: code)
    }
    text.append("\n")
    return nil
  }

  /// A line of a netrc file. The format has no ports, paths or schemes.
  public static let netrc = ExportFormat(
    name: "netrc", summary: "netrc for curl and others", isComplete: false, beginning: NetrcText.exportMark,
    arrange: arrangedForNetrc
  ) { item, credential, fields, text in
    guard item.isForNetrc, case .internetPassword(let key) = item.key, let server = key.server,
      let account = key.account, credential.authenticationScheme == nil
    else { return .otherKind }
    fields.take(all: "protocol", "server", "port", "account")
    return NetrcText.appendLine(
      server: server, account: account, credential.secret, protocol: key.protocol.lowercased, to: &text)
      ? nil : .unspeakable
  }

  /// Of several logins for a host, curl takes the first and Python the last. So the default one is written at both places.
  /// All take a login for whatever protocol they speak, so that only those of one are written, https if there is one.
  private static func arrangedForNetrc(_ items: [Item]) -> (written: [Item], omitted: [Item]) {
    var hosts: [ByteString] = []
    var groups: [ByteString: [Item]] = [:]
    var written: [Item] = []
    for item in items {
      guard item.isForNetrc, case .internetPassword(let key) = item.key, let server = key.server?.lowercased
      else {
        // Whether it is of another kind is said when it is written.
        written.append(item)
        continue
      }
      if groups[server] == nil { hosts.append(server) }
      groups[server, default: []].append(item)
    }
    var omitted: [Item] = []
    for host in hosts {
      let group = (groups[host] ?? []).sorted { $0.ranksBeforeInNetrc($1) }
      let spoken = group.filter { $0.netrcProtocol == group[0].netrcProtocol }
      written += spoken + (spoken.count > 1 ? [spoken[0]] : [])
      omitted += group.dropFirst(spoken.count)
    }
    return (written, omitted)
  }

  /// A URL with user name and password on a line, as git's helper `store` reads it (git-credential-store(1), "STORAGE
  /// FORMAT"). Git refuses line breaks in what it decodes (CVE-2020-5260, CVE-2024-52006), and ends it at a NUL.
  public static let gitCredentials = ExportFormat(
    name: "git-credentials", summary: "the plain-text file of git's helper 'store'", isComplete: false,
    beginning: ""
  ) { item, credential, fields, text in
    guard case .internetPassword(let key) = item.key, key.isForEverybody, let account = key.account,
      let host = key.hostAndPort, !key.protocol.isEmpty, key.authenticationType == nil,
      credential.authenticationScheme == nil
    else { return .otherKind }
    let isSpeakable = credential.secret.withUnsafeBytes { !$0.contains(where: endsLineOrText) }
    if !isSpeakable || account.bytes.contains(where: endsLineOrText) { return .unspeakable }
    fields.take(all: "protocol", "server", "port", "path", "account")
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

  /// The URL, if what reads it back would make another place of it, as it does of a login page's.
  fileprivate var placeForCSV: ByteString? {
    guard let url = url().map({ ByteString($0) }) else { return nil }
    var key = self
    key.account = nil
    key.authenticationType = nil
    let isKept =
      path == nil && Place.ofServer(in: url)?.place.key(account: nil, for: nil).primaryKey == key.primaryKey
    return isKept ? nil : url
  }
}

extension Item {
  /// The protocols of clients that read netrc files, those first whose login is written.
  private static let netrcProtocols: [ByteString] = ["https", "http", "ftp"]

  fileprivate var netrcProtocol: Int? {
    guard case .internetPassword(let key) = key else { return nil }
    return Self.netrcProtocols.firstIndex(of: key.protocol.lowercased)
  }

  /// Whether netrc has a place for it.
  fileprivate var isForNetrc: Bool {
    guard case .internetPassword(let key) = key, netrcProtocol != nil else { return false }
    return key.isForEverybody && key.server != nil && key.account != nil && key.path == nil
      && key.effectivePort == InternetPassword.defaultPort(of: key.protocol)
  }

  /// Whether it is rather the login that programs are to take than another one for the host is.
  fileprivate func ranksBeforeInNetrc(_ other: Item) -> Bool {
    if let mine = netrcProtocol, let its = other.netrcProtocol, mine != its { return mine < its }
    if isDefault != other.isDefault { return isDefault }
    guard let mine = modificationDate, let its = other.modificationDate else { return false }
    return mine > its
  }
}

extension Secret {
  /// Appends a field that isn't confidential.
  fileprivate mutating func append(csvField value: String) { append(csvField: Secret(value)) }

  /// Appends a field that isn't confidential.
  fileprivate mutating func append(csvField value: ByteString) { append(csvField: Secret(copying: value)) }

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
