import Expectations
import Interchange
import Testing

@Suite("which format a file has")
struct FormatDetectionTests {
  private func detect(_ text: String) -> FormatDetection {
    Array(text.utf8).withUnsafeBytes { FormatDetection($0) }
  }

  @Test("each sample is of its own format", arguments: Sample.all)
  func own(sample: String, format: FileFormat) throws {
    // The header of this one is 1Password's, too.
    if sample == "exports/safari-old.csv" { return }
    // KeePassXC's XML is KeePass's.
    let name = sample.hasSuffix(".xml") && format.name == "keepassxc" ? "keepass" : format.name
    try Sample.bytes(of: sample).withUnsafeBytes { expect(FormatDetection($0).format?.name, is: name) }
  }

  /// Lines that somebody may have in the notes, and that say by themselves what a file is.
  private static let notes = [
    "machine h login a password p", "[default]", "aws_access_key_id = A", "oauth_token: x",
    "org.gradle.x=y",
    "npmAuthToken: x", "//r.example/:_authToken=x", "users:", "kind: Config", "[client]", "password = x",
  ].joined(separator: "\n")

  /// Most people's user names are e-mail addresses, and their servers have ports.
  @Test(
    "a table is what its header says, whatever is in it",
    arguments: Sample.all.filter { $0.name.hasSuffix(".csv") })
  func table(sample: String, format: FileFormat) throws {
    let bytes = try Sample.bytes(of: sample)
    let header = String(decoding: bytes.prefix { $0 != 0x0a && $0 != 0x0d }, as: UTF8.self)
    // Of UTF-16, of a table that has no header, and of one whose header others have as well.
    if bytes.contains(0) || ["exports/enpass.csv", "exports/safari-old.csv"].contains(sample) { return }
    let separator: Character = header.contains(";") ? ";" : ","
    let values = [
      "https://a.example.com:8443", "alice@example.com", "https://a.example.com/@alice",
      "h.example:5432:*:alice:p@x", "machine", "[x]", "x = y", "\"\n\(Self.notes)\n\"",
    ]
    for shift in values.indices {
      let row = header.split(separator: separator, omittingEmptySubsequences: false).indices.map { column in
        values[(column + shift) % values.count]
      }.joined(separator: String(separator))
      let text = header + "\n" + String(repeating: row + "\n", count: 40)
      expect(detect(text).format?.name, is: format.name, "\(text.prefix(400))")
    }
  }

  @Test("XML and JSON are what they are, whatever is in somebody's notes")
  func notesInDocuments() throws {
    let entry = ["Title": "t", "Password": "p", "Notes": "x\n\(Self.notes)\n"].map {
      "<String><Key>\($0)</Key><Value>\($1)</Value></String>"
    }.joined()
    expect(
      detect("<KeePassFile><Root><Group><Entry>\(entry)</Entry></Group></Root></KeePassFile>").format?.name,
      is: "keepass")
    for row in [
      "\"Work\",\"t\",\"u@example.com\",\"p\",\"https://k.example\",\"x\n\(Self.notes)\n\",\"\"",
      "\"t\",\"Username\",\"u\",\"E-mail\",\"u@example.com\",\"Password\",\"p\",\"Note\",\"\n\(Self.notes)\n\"",
    ] {
      let candidates = detect(String(repeating: row + "\n", count: 3)).candidates.map(\.name)
      expect(Set(candidates).isDisjoint(with: ["aws", "netrc", "npm", "gh", "kubectl"]), "\(candidates)")
    }
  }

  /// bitwarden/web#55, fcturner/passwords#57
  @Test("empty lines before the header are none of it")
  func emptyLinesFirst() throws {
    let file =
      "\n\n\"Account\",\"Login Name\",\"Password\",\"Web Site\",\"Comments\"\n\"A\",\"u\",\"p\",\"https://a.example\",\"n\"\n\n"
    expect(detect(file).format?.name, is: "keepass")
    try expect(Found(file, as: .keePass).logins, is: ["https://a.example (u) p"])
  }

  @Test("a table without a known header is of none, and no line of one is a login for git")
  func noCredentials() throws {
    for row in [
      "https://a.example.com:8443,x@y.z,hunter2", "https://a.example.com/login,alice@example.com,p",
      "x,https://a.example.com,alice@example.com,p", "login,N8,https://a.example.com,alice@example.com",
      "https://a.example.com:8443;x@y.z;hunter2", "\"https://a.example.com:8443\",\"x@y.z\",\"hunter2\"",
    ] {
      let text = "Website,Login,Pass\n" + String(repeating: row + "\n", count: 3)
      expect(detect(text).format == nil && detect(text).candidates.isEmpty, "\(row)")
      try expect(Found(row, as: .gitCredentials).logins.isEmpty, "\(row)")
    }
  }

  @Test("each format has a sample that it knows as its own")
  func all() {
    let known = Set(Sample.all.map(\.format.name))
    expect(FileFormat.all.map(\.name).filter { !known.contains($0) }, is: [])
  }

  @Test("what several may have written, or none is known to, is of no format")
  func uncertain() {
    for (text, formats) in [
      ("name,url,username,password,color\nn,,a,p,red\n", ["protonpass", "chrome"]),
      ("Title,URL,Username,Password\nn,,a,p\n", ["1password", "safari"]),
      ("Title,URL,Username,Password,Notes\nn,,a,p,\n", ["1password", "safari"]),
      ("a,b\n1,2\n", []), ("", []), ("\n", []), ("{}", []), (#"{"items":[]}"#, []), ("[x]\ny = 1\n", []),
      ("hello\n", []), ("<settingsSecurity><master>{x=}</master></settingsSecurity>", []),
      ("<configuration><appSettings/></configuration>", []), ("[connection]\ntype = wifi\n", []),
      ("https://h.example\n", []),
    ] {
      let found = detect(text)
      expect(found.format == nil && found.fault == nil, "\(text)")
      expect(found.candidates.map(\.name), is: formats, "\(text)")
    }
  }

  @Test("what can't be any is told with what to do instead")
  func others() {
    for (beginning, word) in [
      ("PK\u{3}\u{4}" + String(repeating: "\0", count: 26) + "[Content_Types].xml", "spreadsheet"),
      ("PK\u{3}\u{4}" + String(repeating: "\0", count: 26) + "mimetypeapplication/vnd.oasis", "spreadsheet"),
      ("PK\u{3}\u{4}", "ZIP"), ("SQLite format 3\0", "database"),
      ("# Encrypted rclone configuration File\n\nRCLONE_ENCRYPT_V0:\nAAAA\n", "rclone config show"),
      ("-----BEGIN PGP MESSAGE-----\n", "gpg --decrypt"), ("Salted__x", "encrypted"),
      (
        "keychain: \"/Users/a/Library/Keychains/login.keychain-db\"\nversion: 512\nclass: \"inet\"\n", "Apple"
      ),
      ("<!DOCTYPE html>\n", "page"),
    ] {
      let found = detect(beginning)
      expect(found.format == nil)
      expect(found.fault?.reason.contains(word) ?? false, "\(beginning)")
    }
    expect([0x61, 0, 0x62, 0].withUnsafeBytes { FormatDetection($0) }.fault != nil)
    let latin = Array("name,url,username,password\nn,,a,".utf8) + [0xfc, 0x0a]
    expect(latin.withUnsafeBytes { FormatDetection($0) }.fault?.encoding, is: "WINDOWS-1252")
  }

  @Test("an encrypted vault or export of llavero is one")
  func encrypted() {
    for beginning in [
      "age-encryption.org/v1\n-> X25519 x\n\u{ff}", "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n",
    ] {
      expect(detect(beginning).format?.name, is: "llavero")
    }
    expect(detect(#"{"encrypted":true,"passwordProtected":true,"data":"x"}"#).format?.name, is: "bitwarden")
  }
}
