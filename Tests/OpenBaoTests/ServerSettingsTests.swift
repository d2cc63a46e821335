import Bytes
import Expectations
import OpenBao
import SignIn
import Testing

struct ServerSettingsTests {
  private func settings(
    _ options: [(name: String, value: String)] = [], at place: String = "https://bao.example:8200"
  ) throws(OpenBaoSettings.Fault) -> OpenBaoSettings {
    try OpenBaoSettings(place: place, options: options)
  }

  @Test("without settings: the mount 'secret', a token, copies for a day")
  func usual() throws {
    let settings = try settings()
    expect(
      settings.server.mount == "secret" && settings.server.namespace.isEmpty && settings.server.folder.isEmpty
    )
    expect(settings.login, is: .token(name: nil))
    expect(settings.copies.maximumAge == 86_400 && settings.copies.freshness == 60)
  }

  @Test("all of them")
  func all() throws {
    let settings = try settings([
      ("mount", "kv/team/"), ("namespace", "a/b"), ("prefix", "x"),
      ("address", "https://two.example:8200,https://three.example:8200/bao/"), ("login", "approle"),
      ("login-mount", "ci"), ("role", "id"), ("ca", "/ca.pem"), ("max-age", "7d"), ("fresh", "0"),
      ("prefetch", "https/a.example/,~generic/x"),
    ])
    expect(settings.server.addresses.count, is: 3)
    expect(settings.server.mount == "kv/team" && settings.server.namespace == "a/b")
    expect(settings.login, is: .appRole(mount: "ci", role: "id"))
    expect(settings.setup.authorities == "/ca.pem" && settings.setup.connectTimeout == 1000)
    expect(settings.copies.maximumAge == 604_800 && settings.copies.freshness == 0)
    expect(settings.copies.prefetched, is: ["https/a.example/", "~generic/x"])
  }

  @Test("the variables of the original clients fill in what nobody has said, those of OpenBao first")
  func variables() throws {
    let variables = [
      "VAULT_CACERT": "/vault.pem", "BAO_CACERT": "/bao.pem", "VAULT_NAMESPACE": "team/",
      "VAULT_TLS_SERVER_NAME": "n",
    ]
    let completed = try settings().completed { variables[$0] }
    expect(completed.setup.authorities == "/bao.pem" && completed.setup.serverName == "n")
    expect(completed.server.namespace, is: "team")
    let given = try settings([("ca", "/own.pem"), ("namespace", "mine")]).completed { variables[$0] }
    expect(given.setup.authorities == "/own.pem" && given.server.namespace == "mine")
  }

  @Test("variables that are about another server don't count")
  func otherServer() throws {
    var variables = ["VAULT_ADDR": "https://other.example:8200", "VAULT_CACERT": "/vault.pem"]
    try expect(settings().completed { variables[$0] }.setup.authorities, is: nil)
    variables["BAO_ADDR"] = "https://BAO.example:8200/"
    try expect(settings().completed { variables[$0] }.setup.authorities, is: "/vault.pem")
  }

  @Test("a token is for a server only if the variables' address is the very same")
  func servers() throws {
    let server = try settings().server
    for (address, isAbout, names) in [
      (nil, true, false), ("https://bao.example:8200/x", true, true), ("https://bao.example", false, false),
      ("http://bao.example:8200", false, false), ("nonsense", false, false),
    ] as [(String?, Bool, Bool)] {
      let variable = { (name: String) in name == "VAULT_ADDR" ? address : nil }
      expect(OpenBaoSettings.areAbout(server, variable), is: isAbout)
      expect(OpenBaoSettings.name(server, variable), is: names)
    }
  }

  @Test("no two logins of one server have the same identity")
  func identities() throws {
    let logins = [
      [("login", "token")], [("login", "token"), ("user", "a")], [("login", "userpass"), ("user", "a")],
      [("login", "userpass"), ("user", "a"), ("login-mount", "up2")], [("login", "approle"), ("role", "a")],
      [("login", "jwt"), ("role", "a")], [("login", "jwt"), ("role", "a"), ("jwt-file", "/j")],
      [("login", "kubernetes"), ("role", "a")], [("login", "cert"), ("cert", "/c")],
      [("login", "cert"), ("cert", "/d")], [("login", "cert"), ("cert", "/c"), ("role", "a")],
    ]
    let identities = try logins.map { try settings($0.map { (name: $0.0, value: $0.1) }).identity }
    expect(Set(identities).count, is: logins.count)
    expect(identities[2], is: "userpass/a")
  }

  @Test("where a token is can be said, for a token alone")
  func tokenSource() throws {
    try expect(settings([("token-from", "file")]).tokenSource, is: .file)
    #expect(throws: OpenBaoSettings.Fault.useless(option: "token-from", login: "userpass")) {
      try settings([("login", "userpass"), ("user", "a"), ("token-from", "file")])
    }
    #expect(throws: OpenBaoSettings.Fault.useless(option: "user", login: "token")) {
      try settings([("user", "a"), ("token-from", "file")])
    }
    #expect(throws: OpenBaoSettings.Fault.self) { try settings([("token-from", "anywhere")]) }
  }
}
