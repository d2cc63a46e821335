import Expectations
import Interchange
import Keychain
import Testing

@Suite("gh's hosts")
struct GitHubHostsFileTests {
  @Test("the account in use is known, also if the keyring has its token")
  func accountInUse() throws {
    let text = "h:\n  users:\n    a:\n    b:\n  user: b\nnobodys:\n  git_protocol: ssh\n"
    let found = try FoundLogins(Array(text.utf8), as: .gitHub, paths: nil)
    expect(found.active, is: [InternetPassword(protocol: "https", server: "h", account: "b")])
    expect(found.logins.isEmpty)
  }
}
