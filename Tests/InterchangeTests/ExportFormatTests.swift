import Expectations
import Interchange
import Keychain
import Testing

@Suite("forms for other programs")
struct ExportFormatTests {
  private let item = Item(
    InternetPassword(protocol: "https", server: "git.example.com", account: "al@ice"))

  @Test("git's form escapes what a URL can't have")
  func gitCredentials() throws {
    try expect(
      text(.gitCredentials, item, "a/b:c@d e\t%ö"),
      is: "https://al%40ice:a%2Fb%3Ac%40d%20e%09%25%C3%B6@git.example.com\n")
    let item = Item(
      InternetPassword(protocol: "http", server: "::1", port: 8080, account: "", path: "acme/my app"))
    try expect(text(.gitCredentials, item, ""), is: "http://:@[::1]:8080/acme/my%20app\n")
    // Git's helper decodes the host as well.
    let odd = Item(InternetPassword(protocol: "https", server: "a%41@b.example", port: 443, account: "x"))
    try expect(text(.gitCredentials, odd, "y"), is: "https://x:y@a%2541%40b.example\n")
  }

  @Test("what git's form has, git's file gives back", arguments: ["", "x", "a b", "ö\u{1}%41@:/", "\t"])
  func gitRoundTrip(secret: String) throws {
    let line = try #require(try text(.gitCredentials, item, secret))
    try expect(Found(line, as: .gitCredentials).logins, is: ["https://git.example.com (al@ice) \(secret)"])
  }

  @Test("a field of CSV is in quotes where it has to be")
  func csv() throws {
    try expect(
      text(.bitwardenCSV, item, #"x"y,z"#),
      is: ",,login,https://git.example.com (al@ice),,,0,https://git.example.com,al@ice,\"x\"\"y,z\",\n")
    var generic = Item(GenericPassword(service: "aws:prod", account: "ci"))
    generic.label = "Line\nbreak"
    generic.comment = " spaces "
    try expect(
      text(.bitwardenCSV, generic, "s"),
      is: ",,login,\"Line\nbreak\",\" spaces \",\"llavero-service: aws:prod\nllavero-comment: \",0,,ci,s,\n")
  }

  @Test("KeePassXC gets no group with the name of its bin")
  func bins() throws {
    for (tags, row) in [
      (["Recycle Bin"], "Root,"), (["Koš/x", "y"], "Root/y,"), (["y", "Kosz"], "Root/y,"),
      (["a/Kosz"], "Root,"),
    ] {
      var item = self.item
      item.tags = tags.map { ByteString($0) }
      let line = try #require(try text(.keepassxcCSV, item, "p"))
      expect(line.hasPrefix(row), "\(tags): \(line)")
      let file = "Group,Title,Username,Password,URL,Notes,TOTP,Icon,Last Modified,Created\n" + line
      try expect(Found(file, as: .keepassxc).logins, is: ["https://git.example.com (al@ice) p"])
    }
  }

  @Test("what a form has no place for is told apart from what it can't hold")
  func omissions() throws {
    let tool = Item(
      InternetPassword(protocol: "https", server: "h", account: "a", securityDomain: "docker"))
    let generic = Item(GenericPassword(service: "s", account: "a"))
    let path = Item(InternetPassword(protocol: "https", server: "h", account: "a", path: "p"))
    expect(omission(.gitCredentials, tool, "x"), is: .otherKind)
    expect(omission(.gitCredentials, generic, "x"), is: .otherKind)
    for secret in ["a\nb", "a\r", "a\0b"] {
      expect(omission(.gitCredentials, item, secret), is: .unspeakable)
    }
    let broken = Item(InternetPassword(protocol: "https", server: "h", account: "a\nb"))
    expect(omission(.gitCredentials, broken, "x"), is: .unspeakable)
    expect(omission(.bitwardenCSV, tool, "x"), is: .otherKind)
    expect(omission(.netrc, path, "x"), is: .otherKind)
    expect(omission(.netrc, item, "a\nb"), is: .unspeakable)
    expect(omission(.netrc, item, "a b"), is: nil)
    expect(omission(.bitwardenCSV, item, "a\0b"), is: .unspeakable)
    for format in ExportFormat.all where format.isComplete {
      for item in [tool, generic, path] { expect(omission(format, item, "a\n\0b"), is: nil) }
    }
  }

  @Test("what a form has, the same form gives back", arguments: ["jsonl", "csv", "netrc", "git-credentials"])
  func roundTrips(name: String) throws {
    var full = Item(InternetPassword(protocol: "https", server: "h", port: 8443, account: "a", path: "x/y z"))
    full.label = "L, \"1\""
    full.comment = "one\ntwo"
    full.itemDescription = "token"
    full.creator = "crea"
    full.type = "type"
    full.isDefault = true
    full.address = "jdbc:x\\y\nandroid://z"
    var generic = Item(GenericPassword(service: "backup:nas", account: "root"))
    generic.label = "My NAS"
    let items = [
      full, generic, Item(GenericPassword(service: "s")), Item(GenericPassword(service: "s", account: "")),
      Item(InternetPassword(protocol: "svn+ssh", server: "h", account: "u")),
      Item(InternetPassword(protocol: "http", server: "h", account: "u")),
      Item(InternetPassword(protocol: "https", server: "::1", account: "u")),
      Item(
        InternetPassword(
          protocol: "https", server: "git.example.com", account: "al@ice", authenticationType: "form")),
    ]
    let format = try #require(ExportFormat.named(name))
    let back = [
      "jsonl": FileFormat.llavero, "csv": .bitwarden, "netrc": .netrc, "git-credentials": .gitCredentials,
    ]
    var whole = 0
    for item in items {
      for secret in [#"back\slash"q"#, "a b", "ü,\""] {
        var text = Secret()
        format.begin(&text, at: .now)
        guard case .written(let without) = format.append(item, Credential(password: secret), to: &text) else {
          continue
        }
        format.end(&text)
        let file = text.withUnsafeBytes { Array($0) }
        let found = try FoundLogins(file, as: try #require(back[name]))
        expect(
          found.logins.count == 1 && found.passedOver.isEmpty, "\(String(decoding: file, as: UTF8.self))")
        let login = try #require(found.logins.first)
        expect(login.leftBehind, is: [])
        if without.contains("authentication type") { continue }
        expect(login.item.key.primaryKey, is: item.key.primaryKey)
        expect(login.credential.secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, is: secret)
        if without.isEmpty {
          expect(login.item.hasSameNotes(as: item))
          whole += 1
        }
      }
    }
    expect(whole >= 3)
  }

  @Test("password managers' files hold notes, tags, fields and one-time codes")
  func managers() throws {
    var item = Item(InternetPassword(protocol: "https", server: "h.example", account: "ana"))
    item.label = "Shop"
    item.comment = "a \"note\""
    item.tags = ["Work", "B;x"]
    item.addField("Door", "open")
    item.reference = ItemReference("id?>~")
    item.creationDate = Timestamp(seconds: 1)
    item.modificationDate = Timestamp(seconds: 2)
    var credential = Credential(password: "pw,1")
    credential.further.oneTimeCode = Secret("otpauth://totp/a?secret=gezdgnbvgy3tqojq&digits=8")
    credential.further.addField("PIN", Secret("12\"34"))
    func written(_ format: ExportFormat) -> Written {
      var text = Secret()
      format.begin(&text, at: Timestamp(seconds: 9))
      guard case .written(let without) = format.append(item, credential, to: &text) else {
        return Written("", ["all"])
      }
      format.end(&text)
      return Written(text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, without)
    }
    expect(
      written(.bitwardenCSV),
      is: Written(
        "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n"
          + ",,login,Shop,\"a \"\"note\"\"\",\"llavero-comment: \nllavero-tags: Work\\nB;x\nllavero-shown: Door\nDoor: open\nPIN: 12\"\"34\",0,"
          + "https://h.example,ana,\"pw,1\",otpauth://totp/a?secret=gezdgnbvgy3tqojq&digits=8\n",
        ["creation date", "modification date"]
      ))
    expect(
      written(.keepassxcCSV),
      is: Written(
        "\"Group\",\"Title\",\"Username\",\"Password\",\"URL\",\"Notes\",\"TOTP\",\"Icon\",\"Last Modified\",\"Created\"\n"
          + "Root/Work,Shop,ana,\"pw,1\",https://h.example,\"a \"\"note\"\"\","
          + "otpauth://totp/a?secret=gezdgnbvgy3tqojq&digits=8,0,1970-01-01T00:00:02Z,1970-01-01T00:00:01Z\n",
        ["fields", "hidden fields", "tags"]
      ))
    expect(
      written(.onePasswordCSV),
      is: Written(
        "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\n"
          + "Shop,https://h.example,ana,\"pw,1\",otpauth://totp/a?secret=gezdgnbvgy3tqojq&digits=8,false,false,"
          + "\"Work;B,x\",\"a \"\"note\"\"\"\n",
        ["fields", "hidden fields", "creation date", "modification date", "tags"]
      ))
    expect(
      written(.credentialExchange),
      is: Written(
        #"{"version":{"major":1,"minor":0},"exporterRpId":"llavero","exporterDisplayName":"llavero","timestamp":9,"#
          + #""accounts":[{"id":"bGxhdmVybw","username":"","email":"","collections":[],"items":["# + "\n"
          + #"{"id":"aWQ_Pn4","creationAt":1,"modifiedAt":2,"title":"Shop","scope":{"urls":["https://h.example"],"#
          + #""androidApps":[]},"credentials":[{"type":"basic-auth","username":{"fieldType":"string","value":"ana"},"#
          + #""password":{"fieldType":"concealed-string","value":"pw,1"}},{"type":"totp","secret":"GEZDGNBVGY3TQOJQ","#
          + #""period":30,"digits":8,"algorithm":"sha1","username":"a"},{"type":"note","content":{"fieldType":"string","#
          + #""value":"a \"note\""}},{"type":"custom-fields","fields":[{"label":"Door","fieldType":"string","#
          + #""value":"open"},{"label":"PIN","fieldType":"concealed-string","value":"12\"34"}]}],"tags":["Work","B;x"]}"#
          + "\n]}]}\n", []
      ))
    // What Bitwarden's columns hold comes back.
    let file = Array(written(.bitwardenCSV).text.utf8)
    let back = try #require(try FoundLogins(file, as: .bitwarden).logins.first)
    var names: [String] = []
    back.credential.further.forEachField { names.append("\($0)=\(String(decoding: $1, as: UTF8.self))") }
    expect(names == ["PIN=12\"34"] && back.item.fields.map(\.name) == ["Door"])
    expect(back.item.tags == item.tags && back.item.comment == item.comment && back.leftBehind == [])
    // Whose code it is comes along, as the URL's label or parameter says.
    credential.further.oneTimeCode = Secret(
      "otpauth://totp/Shop%20A:%20ana%40x?secret=gezdgnbvgy3tqojq&issuer=Shop%20%26")
    let exchanged = written(.credentialExchange).text
    expect(exchanged.contains(#""username":"ana@x","issuer":"Shop &"}"#), "\(exchanged)")
    let code = try #require(try FoundLogins(Array(exchanged.utf8), as: .credentialExchange).logins.first)
    switch code.credential.further.oneTimeCode {
    case .none: Issue.record("no code")
    case .some(let url):
      let text = url.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      expect(text, is: "otpauth://totp/ana%40x?secret=GEZDGNBVGY3TQOJQ&issuer=Shop%20%26")
    }
    // A page of the server is noted with the item, and no item of its own when it comes back.
    item.addAddress("https://h.example/login")
    let again = try FoundLogins(Array(written(.credentialExchange).text.utf8), as: .credentialExchange).logins
    expect(again.map(\.item.key) == [item.key] && again[0].item.addresses == ["https://h.example/login"])
    // Codes that are counted have no place there.
    credential.further.oneTimeCode = Secret("otpauth://hotp/a?secret=gezdgnbvgy3tqojq&counter=1")
    expect(written(.credentialExchange).without, is: ["one-time code"])
  }

  @Test("a generic password's address has its column, unless it is a server's, for which it would come back")
  func addresses() throws {
    var item = Item(GenericPassword(service: "db", account: "ana"))
    for (addresses, expected) in [
      (["jdbc:postgresql://h/x"], "jdbc:postgresql://h/x"), (["nas.example"], ""),
      (["nas.example", "jdbc:x"], "jdbc:x"),
    ] as [([ByteString], String)] {
      item.address = nil
      for address in addresses { item.addAddress(address) }
      let row = try #require(try text(.keepassxcCSV, item, "pw"))
      expect(row.hasPrefix("Root,db,ana,pw,\(expected),"), "\(row)")
      let table = try #require(try text(.onePasswordCSV, item, "pw"))
      expect(table.hasPrefix("db,\(expected),ana,pw,"), "\(table)")
    }
  }

  @Test("of several logins for a host, curl's first and Python's last are the default one's")
  func netrcOrder() {
    var second = Item(InternetPassword(protocol: "https", server: "H", account: "b"))
    second.isDefault = true
    let plain = Item(InternetPassword(protocol: "http", server: "h", account: "a"))
    let first = Item(InternetPassword(protocol: "https", server: "h", account: "a"))
    let (written, omitted) = ExportFormat.netrc.arrange([plain, first, second])
    expect(written, is: [second, first, second])
    expect(omitted, is: [plain])
    expect(ExportFormat.netrc.arrange([plain]).written, is: [plain])
  }

  private func text(_ format: ExportFormat, _ item: Item, _ secret: String) throws -> String? {
    var text = Secret()
    if case .omitted = format.append(item, Credential(password: secret), to: &text) { return nil }
    return text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  private func omission(
    _ format: ExportFormat, _ item: Item, _ secret: String
  ) -> ExportFormat.Omission? {
    var text = Secret()
    let outcome = format.append(item, Credential(password: secret), to: &text)
    guard case .omitted(let omission) = outcome else { return nil }
    // An omitted item leaves nothing in the output.
    let isEmpty = text.isEmpty
    expect(isEmpty)
    return omission
  }
}

/// What a form has written of an item, and what it had no place for.
private struct Written: Equatable {
  let text: String
  let without: [String]

  init(_ text: String, _ without: [String]) {
    self.text = text
    self.without = without
  }
}
