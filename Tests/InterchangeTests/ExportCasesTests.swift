import Expectations
import Interchange
import Keychain
import Testing

/// Files in the shapes of real exports, with everything that becomes of each.
@Suite("whole exports")
struct ExportCasesTests {
  private func result(_ name: String, _ format: FileFormat) throws -> [String] {
    let found = try FoundLogins(Sample.bytes(of: "exports/\(name)"), as: format)
    let shown = Found(found)
    let kinds = found.logins.compactMap { login in
      login.item.itemDescription.map { "\(login.item.key.name) is a \($0)" }
    }
    return shown.logins + kinds + shown.reasons + found.bookkeeping.map { "without \($0)" }
      + (found.pathsLeftOut > 0 ? ["\(found.pathsLeftOut) paths"] : []) + (found.hasOthers ? ["others"] : [])
  }

  @Test("Bitwarden's CSV, saved by a spreadsheet with semicolons")
  func bwSemiCsv() throws {
    try expect(
      result("bw-semi.csv", .bitwarden),
      is: [
        "https://plain.example.org (ana) pw-1 at https://plain.example.org/login",
        "full (bob) p\"w;\nz at https://full.example.org;https://full2.example.org + one-time code",
        "https://c.example.org (cc) pw-3 at https://c.example.org/a;b",
        "host list (dd) pw-4 at a.example.org;b.example.org",
        "https://sp.example.org ( lead )  trail ",
        "https://typeless.example.org (ff) pw-5",
        "https://upper.example.org (gg) pw-6",
        "quoted spaces url (hh) pw-7 at https://x1.example.org; https://x2.example.org",
        "9 noLogin",
        "10 noSecret",
        "12 noLogin",
        "2 paths",
      ])
  }

  @Test("Bitwarden's CSV in UTF-16")
  func bwUtf16Csv() throws {
    try expect(result("bw-utf16.csv", .bitwarden), is: result("bw-bom-crlf.csv", .bitwarden))
  }

  @Test("gh 2.40")
  func ghNewYml() throws {
    try expect(
      result("gh-new.yml", .gitHub),
      is: [
        "https://github.com (ana) gho_aaa",
        "https://github.com (bob-work) gho_bbb",
        "https://ghe.example.org (carl) ghe_ccc",
      ])
  }

  @Test("gh before")
  func ghOldYml() throws {
    try expect(
      result("gh-old.yml", .gitHub),
      is: [
        "https://github.com (ana) gho_old"
      ])
  }

  @Test("git's helper 'store'")
  func gitCredentials() throws {
    try expect(
      result("git-credentials", .gitCredentials),
      is: [
        "https://gc1.example.org (ana) pw1",
        "https://gc2.example.org:8443 (bob@corp) p:w/@%",
        "https://gc3.example.org/acme/app.git (ana) pw3",
        "https://gc3.example.org (ana) pw4",
        "http://gc5.example.org (ana) pw5",
        "https://gc6.example.org () tok",
        "https://GC10.Example.org (ana) pw10",
        "https://[2001:db8::1]:8443 (ana) pw11",
        "ftp://gc12.example.org (u) p",
        "https://gc13.example.org (u) p%ZZ",
        "https://gc14.example.org (u) é�",
        "https://gc15.example.org (ana) first",
        "https://gc15.example.org (ana) second",
        "https://%40gc17.example.org (u) p",
        "https://gc18.example.org (u) p:q",
        "https://gc20.example.org/?x=1 (u) p",
        "smtp://smtp.example.org:587 (me@example.org) smtp-pw",
        "7 noSecret",
        "8 malformed",
        "11 malformed",
        "15 malformed",
        "20 malformed",
        "23 malformed",
        "others",
      ])
  }

  @Test("git's file with a mark")
  func gitCredentialsBom() throws {
    try expect(
      result("git-credentials-bom", .gitCredentials),
      is: [
        "https://gcbom.example.org (ana) pw1",
        "https://gcbom2.example.org (bob) pw2",
      ])
  }

  @Test("Emacs' authinfo")
  func netrcEmacs() throws {
    try expect(
      result("netrc-emacs", .netrc),
      is: [
        "imaps://ne1.example.org (ana) pw1 + other words",
        "smtp://ne2.example.org:587 (bob) p w",
      ])
  }

  @Test("netrc")
  func netrc1() throws {
    try expect(
      result("netrc1", .netrc),
      is: [
        "https://n1.example.org (ana) pw1",
        "https://n2.example.org (bob) two words",
        "https://n3.example.org (carl) p#w3",
        "https://n5.example.org:8443 (e) pw5",
        "https://n6.example.org:8443 (e) pw6",
        "https://n7.example.org (f) pw7 + account password",
        "https://n10.example.org (h) pw10",
        "https://n13.example.org (k) p\"w13",
        "https://n14.example.org (k) 'single'",
        "https://n15.example.org (ana) pw15",
        "https://n17.example.org (ana) one",
        "https://n17.example.org (bob) two",
        "https://n18.example.org (ana) pw18",
        "https://n19.example.org (é) 你好",
        "https://n22.example.org (z) pw22",
        "7 (n4.example.org) disputed",
        "11 (n8.example.org) disputed",
        "14 (n11.example.org) disputed",
        "15 (n12.example.org) disputed",
        "25 malformed",
        "26 (n21.example.org) disputed",
        "32 noPlace",
        "19 (n16.example.org) disputed",
        "20 (n16.example.org) disputed",
      ])
  }

  @Test("what is in another encoding, or not in columns, is refused")
  func refused() throws {
    #expect(throws: FormatFault("it is not UTF-8", line: 2, encoding: "WINDOWS-1252")) {
      try result("bw-latin1.csv", .bitwarden)
    }
    #expect(throws: FormatFault.self) { try Found([0x50, 0x4b, 3, 4, 20, 0], as: .onePassword) }
    #expect(throws: FormatFault("it is no valid UTF-16", line: 1)) {
      try Found([0xff, 0xfe, 0x61], as: .chrome)
    }
    #expect(throws: FormatFault.self) { try Found([0x61, 0, 0x62, 0], as: .chrome) }
    try expect(
      Found("sep=,\nname,url,username,password\nn,,a,p\n", as: .chrome).logins, is: ["n (a) p"])
  }

  @Test("a file keeps its encoding when logins go", arguments: ["bw-utf16.csv", "bw-bom-crlf.csv"])
  func encoding(name: String) throws {
    let file = try Sample.bytes(of: "exports/\(name)")
    let rest = try remainder(of: file, as: .bitwarden)
    expect(rest.prefix(2), is: file.prefix(2))
    try expect(Found(rest, as: .bitwarden).logins.isEmpty)
    try expect(Found(rest, as: .bitwarden).reasons.count, is: 6)
  }
}
