import Expectations
import Interchange
import Keychain
import Testing

/// What password managers export in a form with fields in fields, and everything that becomes of it: a line for each login,
/// for what was skipped and for what was left out, in the file of the same name in `Samples/whole`.
@Suite("exports with fields in fields")
struct ManagerExportTests {
  static let samples: [(file: String, format: FileFormat)] = [
    ("exports/bw.json", .bitwarden), ("exports/bw-surrogate.json", .bitwarden),
    ("exports/1p.export.data", .onePassword), ("exports/cxf-short.json", .credentialExchange),
    ("exports/enpass-short.json", .enpass), ("exports/keepass.xml", .keePass),
    ("exports/kdbx-as-xml.xml", .keepassxc), ("1password-export.data", .onePassword),
    ("1password.1pif", .onePassword), ("cxf.json", .credentialExchange), ("enpass.json", .enpass),
    ("keepass2.xml", .keePass), ("keeper.json", .keeper), ("protonpass.json", .protonPass),
  ]

  @Test("everything of it", arguments: samples)
  func everything(file: String, format: FileFormat) throws {
    let name = file.split(separator: "/").last ?? ""
    let expected = String(decoding: try Sample.bytes(of: "whole/\(name).txt"), as: UTF8.self)
    let found = try FoundLogins(Sample.bytes(of: file), as: format)
    expect(WholeLogins(found).lines, is: expected.split(separator: "\n").map(String.init), "\(file)")
  }

  @Test("a byte order mark changes nothing")
  func mark() throws {
    let plain = try FoundLogins(Sample.bytes(of: "exports/bw.json"), as: .bitwarden)
    let marked = try FoundLogins(Sample.bytes(of: "exports/bw-bom.json"), as: .bitwarden)
    expect(WholeLogins(marked).lines, is: WholeLogins(plain).lines)
  }

  @Test("each file shows its kind", arguments: samples)
  func kind(file: String, format: FileFormat) throws {
    // KeePassXC's XML is KeePass's.
    let name = format.name == "keepassxc" ? "keepass" : format.name
    try Sample.bytes(of: file).withUnsafeBytes {
      expect(FormatDetection($0).format?.name, is: name, "\(file)")
    }
  }

  @Test("so do archives and databases", arguments: [("1p.1pux", "1password"), ("passwords.kdbx", "keepass")])
  func wrapped(file: String, name: String) throws {
    try Sample.bytes(of: "exports/\(file)").withUnsafeBytes { bytes in
      let format = try #require(FormatDetection(bytes).format)
      expect(format.name, is: name)
      expect(format.wrapping?.isOne(bytes), is: true)
    }
  }

  @Test("once its logins are gone, a file has nothing but what stays", arguments: samples)
  func removal(file: String, format: FileFormat) throws {
    let found = try FoundLogins(Sample.bytes(of: file), as: format)
    let rest = try FoundLogins(remainder(of: Sample.bytes(of: file), as: format), as: format)
    expect(rest.logins.isEmpty && (!rest.hasOthers || found.hasOthers), "\(file)")
  }

  @Test("what is encrypted, or of a later version, is refused")
  func refused() throws {
    for (text, format, reason) in [
      (
        #"{"encrypted":true,"vaults":{}}"#, FileFormat.protonPass,
        "it is encrypted; export it without a passphrase instead"
      ),
      (
        #"{"encrypted":true,"items":[]}"#, .bitwarden,
        "it is encrypted; export it as '.json' or '.csv' instead"
      ),
      (
        #"{"version":{"major":2},"accounts":[]}"#, .credentialExchange,
        "it has version 2 of the Credential Exchange Format; 1 is read"
      ),
      ("<Vault><Entry/></Vault>", .keePass, "it is not XML that KeePass exports"),
      (#"{"items":{}}"#, .enpass, "it is not JSON that Enpass exports"),
    ] {
      #expect(throws: FormatFault(reason), "\(text)") { try Found(text, as: format) }
    }
  }

  @Test("XML that defines something, is deep, or ends early is refused with its line")
  func dangerousXML() throws {
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE x [<!ENTITY a \"b\">]>\n<KeePassFile>&a;</KeePassFile>"
    #expect(throws: FormatFault("it is not XML", line: 2)) { try Found(bomb, as: .keePass) }
    let deep = String(repeating: "<Group>", count: 300) + String(repeating: "</Group>", count: 300)
    #expect(throws: FormatFault("it is not XML", line: 1)) { try Found(deep, as: .keePass) }
    #expect(throws: FormatFault("it is not XML", line: 2)) {
      try Found("<KeePassFile>\n<Root>", as: .keePass)
    }
  }

  @Test("XML in UTF-16 is read, whatever it says of itself")
  func utf16() throws {
    let text = """
      <?xml version="1.0" encoding="utf-16"?><KeePassFile><Root><Group><Entry><String><Key>Title</Key><Value>T</Value>
      </String><String><Key>Password</Key><Value>pw</Value></String></Entry></Group></Root></KeePassFile>
      """
    var bytes: [UInt8] = [0xff, 0xfe]
    for unit in text.utf16 { bytes += [UInt8(unit & 0xff), UInt8(unit >> 8)] }
    try expect(Found(bytes, as: .keePass).logins, is: ["T pw"])
  }

  @Test("what stays has the name of its field, and not that of the object around it")
  func names() throws {
    let separator = "***5642bee8-a5ff-11dc-8314-0800200c9a66***\n"
    for (text, format, login) in [
      (
        #"{"records":[{"title":"t","password":"p","custom_fields":{"$passkey::1":{"credentialId":"A","privateKey":{"d":"x"}}}}]}"#,
        FileFormat.keeper, "t p + passkey"
      ),
      (
        #"{"typeName":"passwords.Password","title":"t","secureContents":{"password":"p","newer":"x"}}"# + "\n"
          + separator, .onePassword, "t p + newer"
      ),
      (
        #"{"items":[{"type":1,"name":"t","fields":[{"name":"Same","type":3,"linkedId":100}],"login":{"password":"p"}}]}"#,
        .bitwarden, "t p + custom field Same"
      ),
      (
        #"{"items":[{"type":1,"name":"t","passwordHistory":[{"password":"x"}],"login":{"password":"p"}}]}"#,
        .bitwarden, "t p + former passwords"
      ),
    ] {
      try expect(Found(text, as: format).logins, is: [login], "\(text)")
    }
  }

  @Test("a date before 1970 is kept")
  func birth() throws {
    let text = #"""
      {"accounts":[{"vaults":[{"items":[{"categoryUuid":"001","overview":{"title":"t"},"details":{"password":"p",
      "sections":[{"title":"","fields":[{"title":"born","id":"x","value":{"date":-315619200}}]}]}}]}]}]}
      """#
    expect(
      WholeLogins(try FoundLogins(Array(text.utf8), as: .onePassword)).lines,
      is: [
        "t p; fields born=1960-01-01", "without id",
      ])
  }
}

/// Logins with everything that they have, in a form that can be compared.
struct WholeLogins {
  let lines: [String]

  init(_ found: FoundLogins) {
    lines =
      found.logins.map { Self.line($0) } + Found(found).reasons.map { "skipped \($0)" }
      + found.bookkeeping.map { "without \($0)" } + (found.hasOthers ? ["others"] : [])
  }

  private static func line(_ login: FoundLogin) -> String {
    let item = login.item
    var parts = [
      "\(item.key.name) \(login.credential.secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })"
    ]
    func add(_ name: String, _ text: String?) {
      if let text, !text.isEmpty { parts.append("\(name) \(text)") }
    }
    add("called", item.label?.description)
    add("a", item.itemDescription?.description)
    add("at", item.addresses.map(\.description).joined(separator: " "))
    add("comment", item.comment?.description)
    switch login.credential.further.oneTimeCode {
    case .none: break
    case .some(let code): add("code", code.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    }
    add("tags", item.tags.map(\.description).joined(separator: ", "))
    add("fields", item.fields.map { "\($0)=\($1)" }.joined(separator: ", "))
    var hidden: [String] = []
    login.credential.further.forEachField { hidden.append("\($0)=\(String(decoding: $1, as: UTF8.self))") }
    add("hidden", hidden.joined(separator: ", "))
    add("until", login.credential.expiry.map { "\(Timestamp(seconds: $0))" })
    add("created", item.creationDate?.description)
    add("changed", item.modificationDate?.description)
    add("left", login.leftBehind.joined(separator: ", "))
    return parts.joined(separator: "; ").split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: "\\n")
  }
}
