import Expectations
import Interchange
import Keychain
import Testing

/// A comment that a person has written beside a login is there after the login has gone.
@Suite("comments beside logins")
struct CommentsOfLoginsTests {
  @Test(
    "a comment behind a secret stays, on a line of its own",
    arguments: [
      (FileFormat.cargo, "[registry]\ntoken = \"t\" # c\nx = 1\n", "[registry]\n# c\nx = 1\n"),
      (
        .gitHub, "h:\n  user: a\n  oauth_token: t # c\n  git_protocol: ssh\n",
        "h:\n  user: a\n  # c\n  git_protocol: ssh\n"
      ),
      (.gitLab, "hosts:\n    h:\n        token: t # c\r\n", "hosts:\n    h:\n        # c\r\n"),
      (.yarn, "npmAuthToken: \"t\" # c\n", "# c\n"),
      (
        .kubectl, "users:\n- name: a\n  user:\n    token: t # c\n- name: b\n",
        "users:\n- name: a\n  user:\n    # c\n- name: b\n"
      ),
      (.mysql, "[client]\npassword = \"p\" # c\nuser=u\n", "[client]\n# c\nuser=u\n"),
      (.mysql, "[client]\npassword = p # it's c", "[client]\n# it's c"),
      (.rclone, "[d]\ntype = b2\nkey = `k` # c\n", "[d]\ntype = b2\n# c\n"),
      (
        .gitConfiguration, "[http \"https://h.example\"]\n\textraHeader = Authorization: Bearer t ; c # d\n",
        "[http \"https://h.example\"]\n\t; c # d\n"
      ),
      (
        .gitConfiguration, "[http \"https://h.example\"] extraHeader = Authorization: Bearer t # c\n",
        "[http \"https://h.example\"] # c\n"
      ),
      (
        .gitConfiguration, "[sendemail]\nsmtpServer = m.example\nsmtpPass = \"a\\\n#b\" # c\n",
        "[sendemail]\nsmtpServer = m.example\n# c\n"
      ),
      (.pypirc, "[pypi]\npassword =\n  a\n  # c\n  b\nusername = u\n", "[pypi]\n  # c\nusername = u\n"),
      (.keyring, "[s]\nu =\n\tcA\n; c\n\t==\n", "[s]\n; c\n"),
    ])
  func stays(format: FileFormat, text: String, rest: String) throws {
    try expect(Found(text, as: format).logins.count, is: 1)
    try expect(remainder(of: text, as: format), is: rest)
    try expect(Found(rest, as: format).logins, is: [])
    // Without a comment, all of the lines go.
    if format.name == "cargo" {
      try expect(remainder(of: text.replacing(" # c", with: ""), as: format), is: "[registry]\nx = 1\n")
    }
  }

  @Test("rclone: what it doesn't see behind quotes isn't taken away")
  func behindQuotes() throws {
    try expect(result(of: "[d]\nkey = `k` x\n", .rclone), is: ["2 malformed"])
  }

  @Test("terraform: a comment keeps the file, and one in a block the block")
  func terraform() throws {
    let block = "credentials \"h\" {\n  token = \"t\"\n}\n"
    for (text, rest) in [
      ("# mine\n\(block)", "# mine\n"), ("/* mine */ \(block)", "/* mine */ \n"),
      ("credentials \"h\" { token = \"t\" } // mine\n", " // mine\n"), (block, ""),
    ] {
      let found = try FoundLogins(Array(text.utf8), as: .terraform)
      expect(found.logins.map(\.leftBehind), is: [[]], "\(text)")
      expect(found.hasOthers, is: text != block, "\(text)")
      try expect(remainder(of: text, as: .terraform), is: rest, "\(text)")
    }
    for text in [
      "credentials \"h\" {\n  # mine\n  token = \"t\"\n}\n",
      "credentials /* mine */ \"h\" { token = \"t\" }\n",
    ] {
      try expect(result(of: text, .terraform), is: ["https://h for terraform t + comment"], "\(text)")
      try expect(FoundLogins(Array(text.utf8), as: .terraform).hasOthers)
    }
  }

  @Test("NuGet and Maven: a comment or anything else within a login keeps it")
  func elements() throws {
    let parts = #"<add key="Username" value="u" /><add key="ClearTextPassword" value="p" />"#
    for (within, left) in [
      ("<!-- c -->", " + comment"), ("<old />", " + old"), ("words", " + text"),
      (#"<add key="New" value="x"><!-- c --></add>"#, " + comment + new"),
      (#"<add key="ValidAuthenticationTypes" value="basic" until="May" />"#, " + until"), (" \n ", ""),
      (#"<add key="New" value=""><x y="z" /></add>"#, " + text"),
    ] {
      let text =
        "<configuration><packageSourceCredentials><a>\(parts)\(within)</a></packageSourceCredentials></configuration>"
      try expect(result(of: text, .nuget), is: ["nuget:a (u) p\(left)"], "\(within)")
    }
    try expect(
      result(
        of:
          "<settings><servers><server><id>a</id><password until=\"May\">p</password></server></servers></settings>",
        .maven), is: ["maven:a p + until"])
  }
}
