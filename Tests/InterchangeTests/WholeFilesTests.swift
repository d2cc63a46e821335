import Expectations
import Glibc
import Interchange
import Keychain
import TestSupport
import Testing

/// Files in the shapes of real ones, with everything that becomes of each, in the file of the same name in `Samples/whole`:
/// a line for each login, for what was skipped and for what was left out; then what a program is told that asks nobody, and
/// the lines that go and come once the logins have gone.
@Suite("whole files")
struct WholeFilesTests {
  /// Formats in which what goes is a line or less of a login.
  private static let isOfLines: Set = [
    "aws", "cargo", "docker", "gcm", "gh", "git-config", "git-credentials", "glab", "keyring", "kubectl",
    "maven",
    "mysql", "netrc", "npm", "nuget", "pip", "pypirc", "rclone", "uv", "vault", "yarn",
  ]

  private func everything(_ bytes: [UInt8], _ format: FileFormat) throws -> [String] {
    let found = try FoundLogins(bytes, as: format)
    let rest = try remainder(of: bytes, as: format)
    func lines(_ bytes: [UInt8]) -> [String] {
      bytes.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self).inOneLine }
    }
    let (whole, count) = (WholeLogins(found).lines, found.logins.count)
    let changes = Self.isOfLines.contains(format.name) ? lines(rest).difference(from: lines(bytes)) : nil
    var said: [String] = zip(found.logins, whole).map { "\($0.origin.shown): \($1)" }
    said += whole.dropFirst(count)
    if found.pathsLeftOut > 0 { said.append("\(found.pathsLeftOut) paths") }
    for login in found.logins { said += login.instead(in: format).map { "instead \($0.inOneLine)" } }
    for case .remove(_, let line, _) in changes?.removals ?? [] { said.append("- \(line)") }
    for case .insert(_, let line, _) in changes?.insertions ?? [] { said.append("+ \(line)") }
    return said
  }

  /// `LLAVERO_RECORD_TRANSCRIPTS=1` records what there is at present; review every line of the diff.
  @Test("everything of it", arguments: Sample.all)
  func everything(name: String, format: FileFormat) throws {
    let lines = try everything(Sample.bytes(of: name), format)
    let path = Sample.path(of: "whole/\(name).txt")
    if getenv("LLAVERO_RECORD_TRANSCRIPTS") != nil {
      try put(lines.joined(separator: "\n").utf8 + [0x0a], into: path)
    }
    expect(
      lines,
      is: String(decoding: try contents(of: path), as: UTF8.self).split(separator: "\n").map(String.init))
  }

  @Test("a byte order mark, and another encoding, change nothing")
  func encodings() throws {
    let plain = try Sample.bytes(of: "exports/bw.json")
    try expect(everything([0xef, 0xbb, 0xbf] + plain, .bitwarden), is: everything(plain, .bitwarden))
    expect(
      ([0xef, 0xbb, 0xbf] + plain).withUnsafeBytes { FormatDetection($0).format?.name }, is: "bitwarden")
    try expect(
      everything(Sample.bytes(of: "exports/bw-utf16.csv"), .bitwarden),
      is: everything(Sample.bytes(of: "exports/bw-bom-crlf.csv"), .bitwarden))
  }

  @Test(
    "archives and databases show their kind",
    arguments: [("1p.1pux", "1password"), ("passwords.kdbx", "keepass")])
  func wrapped(file: String, name: String) throws {
    try Sample.bytes(of: "exports/\(file)").withUnsafeBytes { bytes in
      let format = try #require(FormatDetection(bytes).format)
      expect(format.name, is: name)
      expect(format.wrapping?.isOne(bytes), is: true)
    }
  }

  @Test(
    "once its logins are gone, a file has nothing but what stays, in its own encoding", arguments: Sample.all)
  func removal(name: String, format: FileFormat) throws {
    let file = try Sample.bytes(of: name)
    let (found, bytes) = (try FoundLogins(file, as: format), try remainder(of: file, as: format))
    let rest = try FoundLogins(bytes, as: format)
    expect(rest.logins.isEmpty && (!rest.hasOthers || found.hasOthers))
    // A section whose password went has no secret.
    func reasons(_ found: Found) -> [PassedOver.Reason] {
      found.passedOver.map(\.reason).filter { $0 != .noSecret }
    }
    expect(reasons(Found(rest)), is: reasons(Found(found)))
    if file.contains(0) || file.first == 0xef { expect(bytes.prefix(2), is: file.prefix(2)) }
  }

  @Test("what is in another encoding, or not in columns, is refused")
  func notInColumns() throws {
    #expect(throws: FormatFault("it is not UTF-8", line: 2, encoding: "WINDOWS-1252")) {
      try Found(sample: "exports/bw-latin1.csv", as: .bitwarden)
    }
    #expect(throws: FormatFault.self) { try Found([0x50, 0x4b, 3, 4, 20, 0], as: .onePassword) }
    #expect(throws: FormatFault("it is no valid UTF-16", line: 1)) {
      try Found([0xff, 0xfe, 0x61], as: .chrome)
    }
    #expect(throws: FormatFault.self) { try Found([0x61, 0, 0x62, 0], as: .chrome) }
    try expect(
      Found("sep=,\nname,url,username,password\nn,,a,p\n", as: .chrome).logins, is: ["n (a) p"])
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

  @Test("a password of pass that is no text is passed over")
  func bytes() {
    var found = FoundLogins()
    [UInt8]([0x70, 0xff, 0x0a]).withUnsafeBytes { PassEntry.read("h.example", $0, into: &found) }
    expect(found.logins.isEmpty)
    expect(found.passedOver.map(\.reason), is: [.notText])
  }
}
