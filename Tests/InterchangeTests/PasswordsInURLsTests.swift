import Expectations
import Interchange
import Keychain
import Testing

/// What becomes of a URL in a developer's file that has something before its `@`.
@Suite("user names, tokens and passwords in URLs")
struct PasswordsInURLsTests {
  private static func remote(_ url: String) -> String { "[remote \"o\"]\nurl = \(url)\n" }

  @Test("a user name is a token only if its beginning or what follows says so")
  func tokens() throws {
    for (url, expected) in [
      ("https://alice:@h.example/r", ["2 inURL"]), ("https://alice@h.example/r", []),
      ("https://ghp_a:@h.example/r", ["https://h.example/r (x-access-token) ghp_a"]),
      ("https://t:x-oauth-basic@h.example/r", ["https://h.example/r (x-access-token) t"]),
      ("https://glpat-a@h.example/r", ["https://h.example/r (oauth2) glpat-a"]),
    ] { try expect(result(of: Self.remote(url), .gitConfiguration), is: expected, "\(url)") }
    let text = Self.remote("https://alice:@h.example/r")
    try expect(remainder(of: text, as: .gitConfiguration), is: text)
  }

  @Test("a variable for the host, the port or the path says nothing of where a password holds")
  func variables() throws {
    for url in [
      "https://bob:p@${HOST}/s", "https://bob:p@h.example:${PORT}/s", "https://bob:p@h.example/${PATH}",
      "https://ghp_a@${HOST}/s", "https://bob:${PW}@h.example/s",
    ] { try expect(result(of: "[global]\nindex-url = \(url)\n", .pip), is: ["2 reference"], "\(url)") }
    try expect(result(of: "[global]\nindex-url = https://bob@${HOST}/s\n", .pip), is: [])
  }

  @Test(
    "a password in a URL that is the name of a login gets into no attribute, and the login stays",
    arguments: [
      (FileFormat.pypirc, "[r]\nrepository = https://x:secretpw@r.example/\nusername = u\npassword = p\n"),
      (.keyring, "[https_3A_2F_2Fx_3Asecretpw_40r_2Eexample]\nu = cA==\n"),
      (
        .rclone,
        "[s]\ntype = s3\nendpoint = https://x:secretpw@r.example\naccess_key_id = A\nsecret_access_key = k\n"
      ),
      (.composer, #"{"github-oauth":{"https://x:secretpw@r.example":"t"}}"#),
      (.composer, #"{"http-basic":{"x:secretpw@r.example":{"username":"u","password":"p"}}}"#),
      (.npm, "//x:secretpw@r.example/:_authToken=t\n"), (.npm, "//x:secretpw@r.example/:_auth=YTpi\n"),
      (.yarn, "npmRegistries:\n  //x:secretpw@r.example/:\n    npmAuthToken: t\n"),
    ])
  func names(format: FileFormat, text: String) throws {
    let found = try FoundLogins(Array(text.utf8), as: format)
    expect(found.logins.isEmpty)
    expect(found.passedOver.contains { $0.reason == .inURL })
    try expect(remainder(of: text, as: format), is: text)
  }

  @Test("docker: a registry whose address has a password is named without it")
  func docker() throws {
    for address in ["https://u:secretpw@r.example/v1/", "u:secretpw@r.example"] {
      let text = #"{"auths":{"\#(address)":{"auth":"YTpi"}}}"#
      let found = try Found(text, as: .docker)
      expect(found.logins.isEmpty)
      expect(found.reasons.contains { $0.hasSuffix("inURL") })
      expect(!found.reasons.contains { $0.contains("secretpw") })
    }
  }

  @Test("npm: a number sign ends a token")
  func numberSign() throws {
    try expect(result(of: "//r.example/:_authToken=t#c\n", .npm), is: ["1 malformed"])
  }
}
