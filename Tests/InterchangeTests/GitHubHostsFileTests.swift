import Expectations
import Interchange
import Keychain
import Testing

@Suite("gh's hosts")
struct GitHubHostsFileTests {
  @Test("scalars: quotes, escapes, comments")
  func scalars() throws {
    for (written, secret) in [
      ("t # c", "t"), ("t#c", "t#c"), ("'it''s' # c", "it's"), (#""a\"b\u00e9""#, "a\"bé"), ("a: b", "a: b"),
      ("  t  ", "t"), ("\"t\"\r", "t"),
    ] {
      let found = try Found("\"h\" :\n  'user': a\n  oauth_token: \(written)\n", as: .gitHub)
      expect(found.logins, is: ["https://h (a) \(secret)"], "\(written)")
    }
    for written in ["|", "&a t", "[t]", "\"\\q\""] {
      let found = try Found("h:\n  oauth_token: \(written)\n", as: .gitHub)
      expect(found.logins.isEmpty, "\(written)")
      expect(found.reasons, is: ["2 malformed"], "\(written)")
    }
    for written in ["", "\"\"", "~", "# c"] {
      try expect(
        Found("h:\n  oauth_token: \(written)\n", as: .gitHub).reasons, is: ["2 noSecret"], "\(written)")
    }
  }

  @Test("a mark at the beginning is none of the host's, and no character that nobody sees is one")
  func invisible() throws {
    try expect(
      Found("\u{feff}github.com:\n  oauth_token: t\n", as: .gitHub).logins,
      is: [
        "https://github.com (x-access-token) t"
      ])
    try expect(Found("git\u{200b}hub.com:\n  oauth_token: t\n", as: .gitHub).reasons, is: ["2 malformed"])
  }

  @Test("a token without an account has the name that gh gives git; one elsewhere is none")
  func withoutAccount() throws {
    try expect(Found("h:\n  oauth_token: t\n", as: .gitHub).logins, is: ["https://h (x-access-token) t"])
    try expect(
      Found("oauth_token: t\nh:\n  x:\n    oauth_token: t\n", as: .gitHub).reasons,
      is: [
        "1 malformed", "4 malformed",
      ])
  }

  @Test("the account in use is known, also if the keyring has its token")
  func accountInUse() throws {
    let text = "h:\n  users:\n    a:\n    b:\n  user: b\nnobodys:\n  git_protocol: ssh\n"
    let found = try FoundLogins(Array(text.utf8), as: .gitHub, paths: nil)
    expect(found.active, is: [InternetPassword(protocol: "https", server: "h", account: "b")])
    expect(found.logins.isEmpty)
  }

  @Test("a file with a line of another form is refused, for a token might go on there")
  func otherForms() throws {
    for (text, line) in [
      ("x\n", 1), ("h:\n    user: a\n  oauth_token: t\n", 3),
      ("h:\n\tuser: a\n", 2), ("h:\n  oauth_token: \"t\n", 2), ("h:\n  oauth_token: \"t\" x\n", 2),
    ] {
      #expect(throws: FormatFault("it is not YAML that gh writes", line: line), "\(text)") {
        try Found(text, as: .gitHub)
      }
    }
    for text in ["h:\n  oauth_token: t\n    more\n", "h:\n  oauth_token: t\n    user: more\n"] {
      try expect(Found(text, as: .gitHub).reasons, is: ["2 malformed"], "\(text)")
    }
    for text in ["", "{}\n", "---\n# nothing\n"] { try expect(Found(text, as: .gitHub).logins.isEmpty) }
  }
}
