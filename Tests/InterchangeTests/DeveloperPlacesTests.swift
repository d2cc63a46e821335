import Expectations
import Interchange
import Keychain
import Testing

/// Where a login of a developer's file holds: never at more places than its source says.
@Suite("places of developers' logins")
struct DeveloperPlacesTests {
  @Test(
    "a port that can't be read is not the default port",
    arguments: [
      (
        FileFormat.gitConfiguration,
        "[sendemail]\nsmtpServer = m.example\nsmtpPass = p\nsmtpServerPort = @\n", 3
      ),
      (
        .maven,
        "<settings><proxies><proxy><host>h.example</host>\n<password>p</password>\n<port>@</port></proxy></proxies></settings>",
        2
      ),
      (.mysql, "[client]\nhost=h.example\npassword=p\nport=@\n", 3),
      (.rclone, "[r]\ntype = sftp\nhost = h.example\npass = NfBlKb8s6YEcyxRUZwMseEaP\nport = @\n", 4),
    ])
  func ports(format: FileFormat, text: String, line: Int) throws {
    for (port, reason) in [
      ("submission", "noPlace"), ("0", "noPlace"), ("99999", "noPlace"), ("+22", "noPlace"),
      ("${env.PORT}", "reference"),
    ] {
      let written = text.replacing("@", with: port)
      try expect(result(of: written, format), is: ["\(line) \(reason)"], "\(port)")
      try expect(remainder(of: written, as: format), is: written)
    }
    try expect(Found(text.replacing("@", with: "2222"), as: format).logins[0].contains(":2222"))
    try expect(Found(text.replacing("@", with: ""), as: format).logins.count, is: 1)
  }

  @Test("Maven: a proxy that isn't active, and variables for what says where a login holds")
  func maven() throws {
    func proxy(_ parts: String) -> String {
      "<settings><proxies><proxy><host>h.example</host>\(parts)<password>p</password></proxy></proxies></settings>"
    }
    for (parts, expected) in [
      ("<active>false</active>", ["1 notInUse"]), ("<active>yes</active>", ["1 notInUse"]),
      ("<active>${env.A}</active>", ["1 reference"]), ("<active> TRUE </active>", ["http://h.example p"]),
      ("", ["http://h.example p"]), ("<username>${env.U}</username>", ["1 reference"]),
      ("<username>u</username>", ["http://h.example (u) p"]),
    ] { try expect(result(of: proxy(parts), .maven), is: expected, "\(parts)") }
    func server(_ parts: String, url: String) -> String {
      "<settings><mirrors><mirror><id>a</id><url>\(url)</url></mirror></mirrors><servers><server><id>a</id>\(parts)"
        + "<password>p</password></server></servers></settings>"
    }
    try expect(
      result(of: server("", url: "https://bob@r.example"), .maven), is: ["https://r.example (bob) p"])
    try expect(
      result(of: server("<username>u</username>", url: "https://bob@r.example"), .maven),
      is: ["https://r.example (u) p"])
    try expect(
      result(of: server("<username>${env.U}</username>", url: "https://r.example"), .maven), is: ["maven:a p"]
    )
    try expect(result(of: server("", url: "https://r.example/${env.P}"), .maven), is: ["maven:a p"])
  }

  @Test("NuGet: a source that is disabled, and the user name of a source's URL")
  func nuget() throws {
    func source(_ others: String, parts: String = "") -> String {
      "<configuration><packageSources><add key=\"corp\" value=\"https://bob@n.example/\" /></packageSources>\(others)"
        + "<packageSourceCredentials><corp>\(parts)<add key=\"ClearTextPassword\" value=\"p\" /></corp>"
        + "</packageSourceCredentials></configuration>"
    }
    func disabled(_ name: String) -> String {
      "<disabledPackageSources><add key=\"\(name)\" value=\"true\" /></disabledPackageSources>"
    }
    try expect(result(of: source(disabled("Corp")), .nuget), is: ["1 notInUse"])
    try expect(remainder(of: source(disabled("corp")), as: .nuget), is: source(disabled("corp")))
    try expect(result(of: source(disabled("other")), .nuget), is: ["https://n.example (bob) p"])
    try expect(
      result(of: source("", parts: "<add key=\"Username\" value=\"u\" />"), .nuget),
      is: ["https://n.example (u) p"])
  }

  @Test("git: the account of a URL that a header is for, and a header without a blank")
  func headers() throws {
    for (url, header, expected) in [
      ("https://bob@g.example", "Authorization: Bearer t", ["https://g.example (bob) t"]),
      ("https://g.example", "Authorization:Basic dTpw", ["https://g.example (u) p"]),
      ("https://u@g.example", "Authorization:Basic dTpw", ["https://g.example (u) p"]),
      (
        "https://bob@g.example", "Authorization: Basic dTpw",
        ["https://g.example (u) p + user name in the URL"]
      ),
      ("https://g.example", "authorization:\\tBearer  t ", ["https://g.example t"]),
      ("https://g.example", "Authorization: t", ["2 malformed"]),
      ("https://g.example", "Authorization:", ["2 noSecret"]),
      ("https://g.example", "Authorization", ["2 noLogin"]),
    ] {
      try expect(
        result(of: "[http \"\(url)\"]\nextraHeader = \(header)\n", .gitConfiguration), is: expected,
        "\(header)")
    }
  }

  @Test("psql: an empty field matches nothing, and an escaped asterisk is none")
  func pgpass() throws {
    for (line, expected) in [
      ("h:5432::u:p", ["1 noPlace"]), ("h:5432:d::p", ["1 noPlace"]),
      ("h:5432:\\*:u:p", ["postgresql://h/* (u) p"]), ("h:5432:d:\\*:p", ["postgresql://h/d (*) p"]),
    ] { try expect(result(of: "\(line)\n", .pgpass), is: expected, "\(line)") }
  }

  @Test("aws: of two ends the earlier counts, and one that can't be read stays")
  func awsEnds() throws {
    let keys = "[d]\naws_access_key_id = A\naws_secret_access_key = k\n"
    for (first, second) in [("2030", "2031"), ("2031", "2030")] {
      let text =
        "\(keys)x_security_token_expires = \(first)-01-01T00:00:00Z\naws_expiration = \(second)-01-01T00:00:00Z\n"
      let found = try FoundLogins(Array(text.utf8), as: .aws)
      expect(found.logins.map { $0.credential.expiry }, is: [1_893_456_000])
      expect(found.logins.map(\.leftBehind), is: [[]])
      try expect(remainder(of: text, as: .aws), is: "[d]\n")
    }
    let text = "\(keys)x_security_token_expires = soon\naws_expiration = 2030-01-01T00:00:00Z\n"
    let found = try FoundLogins(Array(text.utf8), as: .aws)
    expect(found.logins.map { $0.credential.expiry }, is: [1_893_456_000])
    expect(found.logins.map(\.leftBehind), is: [["expiry"]])
  }

  @Test("gradle: white space at the end of a value is a part of it, as Java reads properties")
  func gradle() throws {
    for (line, secret) in [
      ("aPassword=abc ", "abc "), ("aPassword = abc \t\r", "abc \t"), ("aPassword= =x", "=x"),
      ("aPassword : x", "x"), ("aPassword  a b", "a b"),
    ] { try expect(Found("\(line)\n", as: .gradle).secrets, is: [Array(secret.utf8)], "\(line)") }
    try expect(result(of: "aPassword=a\rb\n", .gradle), is: ["1 malformed"])
    try expect(result(of: "aPassword=  \n", .gradle), is: ["1 noSecret"])
    try expect(Found("[d]\nkey = k \n", as: .rclone).secrets, is: [Array("k".utf8)])
  }

  @Test("Git Credential Manager: lines without a name, and the user name of the service's URL")
  func gcm() throws {
    for (text, expected) in [
      (
        "pw\nservice=https://bob@h.example\nremember to tell Bob\n",
        ["https://h.example (bob) pw + further lines"]
      ),
      ("pw\nservice=https://bob@h.example\naccount=\n", ["https://h.example (bob) pw"]),
      ("pw\nservice=https://bob@h.example\naccount=bob\n", ["https://h.example (bob) pw"]),
      (
        "pw\nservice=https://bob@h.example\naccount=ana\n",
        ["https://h.example (ana) pw + user name in the URL"]
      ),
      ("pw\nservice=https://bob:x@h.example\n", ["https://h.example (bob) pw + password in the URL"]),
    ] { try expect(result(of: text, .gcm), is: expected, "\(text)") }
    func item(_ account: String?) -> Item? {
      DesktopItems.gcm.converted(
        Item(
          .genericPassword(
            GenericPassword(service: "git:https://bob@h.example", account: account.map { ByteString($0) }))))
    }
    expect(item(nil)?.key.account, is: "bob")
    expect(item("ana")?.key.account, is: "ana")
  }
}
