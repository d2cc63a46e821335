import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

@Suite("References in text")
struct ReferencesInTextTests {
  /// The text with each reference in angle brackets.
  private func parts(_ text: String, isValue: Bool = true) throws(ReferencesInText.Fault) -> String {
    let bytes = Array(text.utf8)
    let found = try Secret(text).withUnsafeBytes { (text) throws(ReferencesInText.Fault) in
      try ReferencesInText(text, isValue: isValue)
    }
    return found.parts.map { part in
      switch part {
      case .text(let range): String(decoding: bytes[range], as: UTF8.self)
      case .reference(_, let text): "<\(text)>"
      }
    }.joined()
  }

  @Test("a value is a reference, or has some in braces")
  func values() throws {
    try expect(parts("llavero://db/app"), is: "<llavero://db/app>")
    try expect(parts("${llavero://db/app}"), is: "<llavero://db/app>")
    try expect(
      parts("postgres://${llavero://db?field=account}:${llavero://db}@h"),
      is: "postgres://<llavero://db?field=account>:<llavero://db>@h")
    try expect(parts("a ${llavero+https://u@h/p} b", isValue: false), is: "a <llavero+https://u@h/p> b")
    try expect(parts(""), is: "")
    try expect(parts("${HOME} $x {llavero} }"), is: "${HOME} $x {llavero} }")
  }

  @Test(
    "what isn't a reference is left alone",
    arguments: [
      "/opt/llavero:/usr/bin", "/usr/bin:/opt/llavero", "ghcr.io/acme/llavero:1.0", "llavero: $ ", "llavero:",
      "llavero",
      "say llavero: hello", "my-llavero:1", "llavero+x", "git-credential-llavero", "LLAVERO://x",
    ])
  func others(text: String) throws {
    try expect(parts(text), is: text)
  }

  @Test(
    "what looks like a reference and can't be resolved is refused",
    arguments: [
      ("postgres://app:llavero://db/app@h", 15, false), (" llavero://db", 1, false),
      ("xllavero://db", 1, false),
      ("'llavero://db'", 1, false), ("llavero:db", 0, false), ("llavero+https:h", 0, false),
      ("a=llavero:db", 2, false),
      ("llavero://a/b/c", 0, false), ("${llavero://a/b/c}", 0, true), ("x ${llavero://db", 2, true),
      ("${llavero://db}:llavero+ssh://h", 16, false), ("{llavero://db}", 1, false),
      ("$llavero://db", 1, false),
    ])
  func refused(text: String, offset: Int, isMarked: Bool) {
    do throws(ReferencesInText.Fault) {
      Issue.record("\(text) was read as \(try parts(text))")
    } catch {
      expect(error.offset == offset && error.isMarked == isMarked, "\(text): \(error)")
    }
  }

  @Test("in a text that isn't a value alone, braces are needed")
  func text() {
    #expect(throws: ReferencesInText.Fault.self) { try parts("llavero://db", isValue: false) }
  }
}
