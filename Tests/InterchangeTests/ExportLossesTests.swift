import Expectations
import Interchange
import Keychain
import Testing

/// What an export writes is there after an import of it, or the export has said that it isn't.
@Suite("what an export has no place for")
struct ExportLossesTests {
  private static let managers = ["keepassxc", "1password", "cxf"]

  private func outcome(
    _ format: ExportFormat, _ item: Item, _ credential: borrowing Credential = Credential(password: "p")
  ) -> ExportFormat.Outcome {
    var text = Secret()
    return format.append(item, credential, to: &text)
  }

  private func losses(_ name: String, _ item: Item) throws -> [String] {
    guard case .written(let without) = outcome(try #require(ExportFormat.named(name)), item) else {
      return ["all"]
    }
    return without
  }

  /// What comes back from the CSV.
  private func returned(_ item: Item, _ credential: borrowing Credential) throws -> [String] {
    var text = Secret()
    ExportFormat.bitwardenCSV.begin(&text, at: .now)
    _ = ExportFormat.bitwardenCSV.append(item, credential, to: &text)
    let file = text.withUnsafeBytes { Array($0) }
    return WholeLogins(try FoundLogins(file, as: .bitwarden)).lines
  }

  private func login(_ account: ByteString? = "ana", path: ByteString? = nil) -> Item {
    Item(InternetPassword(protocol: "https", server: "h.example", account: account, path: path))
  }

  @Test(
    "a path is lost where it is a page's, and a protocol that is read as no server's", arguments: managers)
  func places(name: String) throws {
    try expect(losses(name, login()), is: [])
    try expect(losses(name, login(path: "team/x")), is: name == "cxf" ? [] : ["path"])
    let other = Item(InternetPassword(protocol: "foo", server: "g.example", port: 77, account: "ana"))
    try expect(losses(name, other), is: ["protocol"])
    let ports = Item(InternetPassword(protocol: "SSH", server: "H.example", port: 22, account: "ana"))
    try expect(losses(name, ports), is: [])
  }

  @Test("an empty account comes back as none", arguments: managers)
  func emptyAccounts(name: String) throws {
    try expect(losses(name, login("")), is: ["account"])
    try expect(losses(name, login(nil)), is: [])
    try expect(losses(name, Item(GenericPassword(service: "s", account: ""))), is: ["account"])
  }

  @Test("what never answers becomes no login elsewhere", arguments: ExportFormat.all.map(\.name))
  func negative(name: String) throws {
    let format = try #require(ExportFormat.named(name))
    var item = login()
    item.isNegative = true
    expect(outcome(format, item), is: format.isComplete ? .written(without: []) : .omitted(.otherKind))
  }

  @Test("a login that never answers takes no other one's place in a netrc file")
  func negativeForNetrc() {
    var item = login()
    item.isNegative = true
    let plain = Item(InternetPassword(protocol: "http", server: "h.example", account: "ana"))
    expect(ExportFormat.netrc.arrange([item, plain]).omitted, is: [])
  }

  @Test("an expired login is written where a person reads it, and not where a tool does")
  func expired() throws {
    for (format, expected) in [
      (.netrc, .omitted(.otherKind)), (.gitCredentials, .omitted(.otherKind)),
      (.keepassxcCSV, .written(without: ["expiry"])), (.bitwardenCSV, .written(without: ["expiry"])),
    ] as [(ExportFormat, ExportFormat.Outcome)] {
      expect(outcome(format, login(), Credential(Secret("p"), expiry: 1)), is: expected, "\(format.name)")
    }
    expect(
      outcome(.netrc, login(), Credential(Secret("p"), expiry: .max)), is: .written(without: ["expiry"]))
  }

  @Test("our own CSV says which fields may be shown")
  func fields() throws {
    var item = login()
    item.addField("Door", "open")
    item.addField("Empty", "")
    var credential = Credential(password: "p")
    credential.further.addField("Door", Secret("12"))
    try expect(
      returned(item, credential),
      is: [
        "https://h.example (ana) p; fields Door=open, Empty=; hidden Door=12"
      ])
  }

  @Test("our own CSV has a login without a password, and tags with spaces around them")
  func ownCSV() throws {
    var credential = Credential(password: "")
    credential.further.addField("PIN", Secret("12"))
    try expect(returned(login(), credential), is: ["https://h.example (ana) ; hidden PIN=12"])
    try expect(returned(login(), Credential(password: "")), is: ["https://h.example (ana) "])
    var item = login()
    item.tags = [" Work "]
    try expect(returned(item, Credential(password: "p")), is: ["https://h.example (ana) p; tags  Work "])
  }

  @Test("KeePassXC would replace a word in braces, so that it gets no password with one")
  func placeholders() {
    for secret in ["a{TITLE}b", "{REF:P@I:1}"] {
      expect(
        outcome(.keepassxcCSV, login(), Credential(password: secret)), is: .omitted(.unspeakable), "\(secret)"
      )
    }
    expect(outcome(.keepassxcCSV, login("{username}")), is: .omitted(.unspeakable))
    expect(outcome(.keepassxcCSV, login(), Credential(password: "{x}")), is: .written(without: []))
  }

  @Test("1Password separates tags, and takes no spaces around them")
  func tags() throws {
    for (tag, lost) in [("a;b", ["tags"]), (" a", ["tags"]), ("a b", [])] {
      var item = login()
      item.tags = [ByteString(tag)]
      try expect(losses("1password", item), is: lost, "\(tag)")
    }
  }

  @Test("our own netrc file brings back names that are words of the format, and an empty password")
  func netrc() throws {
    for (account, secret) in [("machine", "p"), ("ana", "password"), ("ana", "")] {
      var text = Secret()
      ExportFormat.netrc.begin(&text, at: .now)
      _ = ExportFormat.netrc.append(login(ByteString(account)), Credential(password: secret), to: &text)
      let file = text.withUnsafeBytes { Array($0) }
      try expect(Found(file, as: .netrc).logins, is: ["https://h.example (\(account)) \(secret)"])
    }
  }
}
