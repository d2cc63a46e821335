import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// The tokens of Terraform and OpenTofu: `credentials.tfrc.json`, written by `terraform login`, and blocks
  /// `credentials "HOST" { token = "…" }` in the CLI's configuration (Terraform, "CLI Configuration", "Credentials").
  /// They are stored like those of the credentials helper.
  public static let terraform = FileFormat(
    "terraform", "the tokens of terraform and tofu",
    usualPaths: [
      "$TF_CLI_CONFIG_FILE", "~/.terraform.d/credentials.tfrc.json", "~/.terraformrc", "~/.tofurc",
      "$XDG_CONFIG_HOME/opentofu/tofurc", "~/.config/opentofu/tofurc",
      "$XDG_CONFIG_HOME/opentofu/credentials.tfrc.json", "~/.config/opentofu/credentials.tfrc.json",
    ],
    holdsLoginsAlone: true,
    looksLike: { shape in
      shape.members.contains("credentials") || shape.hasLine(beginningWith: "credentials \"")
    }
  ) { text throws(FormatFault) in
    if JSONEntries.isObject(text) { return try tokensInJSON(text) }
    let statements: [HCLStatement]
    let comments: [Range<Int>]
    do throws(HCLStatement.Malformed) {
      statements = try HCLStatement.all(in: text)
      comments = try HCLStatement.comments(in: text)
    } catch {
      throw FormatFault("it is no configuration that terraform reads: \(error.reason)")
    }
    var found = FoundLogins()
    if !comments.isEmpty { found.noteOthers() }
    for statement in statements { readBlock(statement, comments, text, &found) }
    return found
  }

  private static func readBlock(
    _ statement: HCLStatement, _ comments: [Range<Int>], _ text: UnsafeRawBufferPointer,
    _ found: inout FoundLogins
  ) {
    let words = statement.words
    guard words.count > 1, statement.label(of: "credentials", in: text) != nil else {
      return found.noteOthers()
    }
    let origin = Origin.line(1 + text[..<words[0].lowerBound].count { $0 == 0x0a })
    // credentials "HOST" { token = "TOKEN" }
    guard words.count == 7, text.slice(words[3]) == "token" || text.slice(words[3]) == "\"token\"",
      text.slice(words[4]) == "=", let host = TOMLDocument.text(words[1], in: text),
      case .some(let token) = TOMLDocument.string(words[5], in: text), !text.hasVariable(in: words[5])
    else { return found.passOver(origin, .malformed) }
    var entry = SourceEntry(at: origin, removals: [Removal(statement.lines(in: text))])
    if statement.has(comments) { entry.add("comment", .part) }
    found.takeToken(token, of: host, entry)
  }

  private static func tokensInJSON(_ text: UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins {
    try FoundLogins(
      inJSON: text, of: "terraform", where: { $0 == "credentials" && $1.kind == .object }
    ) { (login, found) throws(JSONReader.Malformed) in
      guard let token = try soleToken(in: login.value) else {
        return found.passOver(login.origin, .malformed)
      }
      let secret = try token.secret()
      found.takeToken(secret, of: login.name, SourceEntry(at: login.origin, removals: [login.removal]))
    }
  }

  /// A host's token, if the host has nothing else.
  private static func soleToken(in host: JSONValue) throws(JSONReader.Malformed) -> JSONValue? {
    guard host.kind == .object else { return nil }
    var token: JSONValue?
    var count = 0
    try JSONReader.members(of: host.raw) { (name, value) throws(JSONReader.Malformed) in
      count += 1
      if name == "token", value.kind == .string { token = value }
    }
    return count == 1 ? token : nil
  }
}

extension FoundLogins {
  fileprivate mutating func takeToken(
    _ token: consuming Secret, of host: ByteString, _ entry: borrowing SourceEntry
  ) {
    if token.isEmpty { return passOver(entry.origin, .noSecret) }
    guard let parsed = HostAndPort(parsing: host), parsed.server.canBeServer else {
      return passOver(entry.origin, .noPlace)
    }
    let place = Place(protocol: "https", server: parsed.server, port: parsed.port)
    take(Item(place.key(account: nil, for: "terraform")), Credential(token), of: entry)
  }
}
