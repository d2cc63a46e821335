import Bytes
import Expectations
import Forwarding
import Keychain
import Testing

@Suite("permissions") struct PermissionTests {
  private func permissions(
    _ hosts: [String]..., grants: [Permissions.Grant] = [], mayAsk: Bool = true
  ) throws -> Permissions {
    Permissions(
      hosts: try hosts.map { lines in
        try lines.map { line in
          try Array("\(line)".utf8).lendingBytes { (bytes) throws(RuleFault) in
            try ForwardingRule(parsing: bytes)
          }
        }
      }, grants: grants, mayAsk: mayAsk)
  }

  private func item(
    _ server: ByteString, _ path: ByteString? = nil, account: ByteString? = "alice", port: UInt16? = nil,
    protocol: ByteString = "https", domain: ByteString? = nil
  ) -> Item.Key {
    .internetPassword(
      InternetPassword(
        protocol: `protocol`, server: server, port: port, account: account, path: path, securityDomain: domain
      ))
  }

  private func query(
    _ server: ByteString, _ path: ByteString? = nil, protocol: ByteString = "https"
  ) throws -> ItemQuery {
    .internetPassword(try InternetPasswordQuery(protocol: `protocol`, server: server, path: path))
  }

  @Test("nobody on the way means nothing is allowed")
  func nobody() throws {
    try expect(permissions().permission(to: .use, item("a.example"), by: "git"), is: .refused)
    try expect(!permissions().mayAnswer(try query("a.example"), by: "git"))
  }

  @Test("what no rule names is asked, or refused where nobody can be asked")
  func silence() throws {
    try expect(permissions([]).permission(to: .use, item("a.example"), by: "git"), is: .undecided)
    try expect(
      permissions([], mayAsk: false).permission(to: .use, item("a.example"), by: "git"), is: .refused)
    try expect(permissions([]).mayAnswer(try query("a.example"), by: "git"))
    try expect(!permissions([], mayAsk: false).mayAnswer(try query("a.example"), by: "git"))
    try expect(!permissions([]).mayAnswer(nil, by: "git"))
  }

  @Test("a rule for a place is about the items there, and about what is asked for there")
  func places() throws {
    let rules = try permissions(["allow far https://a.example/acme"], mayAsk: false)
    func use(_ key: Item.Key, _ query: ItemQuery? = nil) -> Permission {
      rules.permission(to: .use, key, asked: query, by: "git")
    }
    expect(use(item("a.example", "acme")), is: .allowed)
    expect(use(item("a.example", "acme/app")), is: .allowed)
    expect(use(item("a.example", "acme/app"), try query("a.example")), is: .allowed)
    expect(use(item("a.example"), try query("a.example", "acme/app")), is: .allowed)
    expect(use(item("a.example")), is: .refused)
    expect(use(item("a.example"), try query("a.example")), is: .refused)
    expect(use(item("a.example"), try query("a.example", "other")), is: .refused)
    expect(use(item("a.example", "acmeister")), is: .refused)
    expect(use(item("a.example", "acme/../other")), is: .refused)
    expect(use(item("b.example", "acme")), is: .refused)
    expect(use(item("a.example", "acme", protocol: "http")), is: .refused)
    expect(use(item("a.example", "acme", port: 8443)), is: .refused)
    expect(use(.genericPassword(GenericPassword(service: "a.example"))), is: .refused)
    expect(rules.permission(to: .change, item("a.example", "acme"), by: "git"), is: .refused)
  }

  @Test("before the keychain is opened, it is known what could not answer")
  func beforehand() throws {
    let rules = try permissions(["allow far https://a.example/acme"], mayAsk: false)
    expect(rules.mayAnswer(try query("a.example"), by: "git"))
    expect(rules.mayAnswer(try query("a.example", "acme/app"), by: "git"))
    expect(!rules.mayAnswer(try query("a.example", "other"), by: "git"))
    expect(!rules.mayAnswer(try query("b.example"), by: "git"))
    let denied = try permissions(["deny far *", "allow far https://a.example tool=git"])
    expect(denied.mayAnswer(try query("a.example"), by: "git"))
    expect(!denied.mayAnswer(try query("a.example"), by: "docker"))
    expect(!denied.mayAnswer(try query("b.example"), by: "git"))
  }

  @Test("what is denied isn't to be had by another form of the host")
  func forms() throws {
    for place in [
      "https://bücher.example", "https://*.bücher.example", "https://xn--bcher-kva.example",
      "https://*.xn--bcher-kva.example",
    ] {
      let rules = try permissions(["deny far \(place)", "allow far *"])
      for name in ["bücher.example", "xn--bcher-kva.example", "XN--Bcher-KVA.example.", "bücher.example."] {
        let key = item(ByteString((place.contains("*") ? "git." : "") + name))
        expect(rules.permission(to: .use, key, by: "git"), is: .refused, "\(place) \(name)")
      }
      expect(rules.permission(to: .use, item("git.bucher.example"), by: "git"), is: .allowed)
    }
    let address = try permissions(["deny far https://[::1]", "allow far *"])
    expect(address.permission(to: .use, item("0:0::1"), by: "git"), is: .refused)
  }

  @Test("wildcards stand for servers and services, and never for a protocol")
  func wildcards() throws {
    let rules = try permissions(["allow far https://*.example", "allow far service:aws:*"], mayAsk: false)
    expect(rules.permission(to: .use, item("a.b.example"), by: "git"), is: .allowed)
    expect(rules.permission(to: .use, item("A.EXAMPLE"), by: "git"), is: .allowed)
    expect(rules.permission(to: .use, item("example"), by: "git"), is: .refused)
    expect(rules.permission(to: .use, item("a.example", protocol: "http"), by: "git"), is: .refused)
    expect(
      rules.permission(to: .use, .genericPassword(GenericPassword(service: "aws:x")), by: "aws"), is: .allowed
    )
    expect(
      rules.permission(to: .use, .genericPassword(GenericPassword(service: "kubectl:x")), by: "aws"),
      is: .refused)
  }

  @Test("the rule that says most decides, and of equals the strictest")
  func order() throws {
    func use(_ rules: [String], _ key: Item.Key, _ tool: ByteString = "git") throws -> Permission {
      try permissions(rules).permission(to: .use, key, by: tool)
    }
    let place = item("a.example", "acme/app")
    try expect(use(["deny far *", "allow far https://a.example"], place), is: .allowed)
    try expect(use(["allow far https://a.example", "deny far https://a.example/acme"], place), is: .refused)
    try expect(use(["deny far https://*", "allow far https://a.example"], place), is: .allowed)
    try expect(use(["deny far https://*.example", "allow far https://*"], place), is: .refused)
    try expect(use(["allow far https://a.example", "deny far https://a.example"], place), is: .refused)
    try expect(use(["allow far https://a.example", "ask far https://a.example"], place), is: .undecided)
    let accounts = ["deny far https://a.example", "allow far https://a.example account=alice"]
    try expect(use(accounts, place), is: .allowed)
    try expect(use(accounts, item("a.example", account: "bob")), is: .refused)
    let tools = ["deny far https://a.example", "allow far https://a.example tool=git"]
    try expect(use(tools, place), is: .allowed)
    try expect(use(tools, place, "docker"), is: .refused)
  }

  @Test("every host on the way has to be allowed")
  func hops() throws {
    let (yes, no, open) = (["allow a https://a.example"], ["deny b *"], ["allow c https://b.example"])
    let key = item("a.example")
    try expect(permissions(yes, yes).permission(to: .use, key, by: "git"), is: .allowed)
    try expect(permissions(yes, no).permission(to: .use, key, by: "git"), is: .refused)
    try expect(permissions(no, yes).permission(to: .use, key, by: "git"), is: .refused)
    try expect(permissions(yes, open).permission(to: .use, key, by: "git"), is: .undecided)
  }

  @Test("who may use may not change; who was told so may")
  func changing() throws {
    let key = item("a.example")
    try expect(
      permissions(["allow a https://a.example"]).permission(to: .change, key, by: "git"), is: .refused)
    try expect(
      permissions(["allow a https://a.example write"]).permission(to: .change, key, by: "git"), is: .allowed
    )
    try expect(permissions([]).permission(to: .change, key, by: "git"), is: .undecided)
  }

  @Test("what a person has decided counts for that item, and never against a rule")
  func grants() throws {
    let key = item("a.example")
    let use = Permissions.Grant(key, .use, isAllowed: true)
    let change = Permissions.Grant(key, .change, isAllowed: true)
    let no = Permissions.Grant(key, .use, isAllowed: false)
    try expect(permissions([], grants: [use]).permission(to: .use, key, by: "git"), is: .allowed)
    try expect(permissions([], grants: [use]).permission(to: .change, key, by: "git"), is: .undecided)
    try expect(permissions([], grants: [change]).permission(to: .use, key, by: "git"), is: .allowed)
    try expect(permissions([], grants: [use, no]).permission(to: .use, key, by: "git"), is: .refused)
    try expect(
      permissions([], grants: [use]).permission(to: .use, item("a.example", account: "bob"), by: "git"),
      is: .undecided)
    try expect(permissions(["deny a *"], grants: [use]).permission(to: .use, key, by: "git"), is: .refused)
  }

  @Test("an exact rule is about one item")
  func exact() throws {
    func permission(_ rule: ByteString, _ key: InternetPassword) throws -> Permission {
      let rule = try rule.bytes.lendingBytes { (line) throws(RuleFault) in try ForwardingRule(parsing: line) }
      return Permissions(hosts: [[rule]]).permission(to: .use, .internetPassword(key), by: "git")
    }
    let item = InternetPassword(protocol: "https", server: "a.example")
    let others = [
      InternetPassword(protocol: "https", server: "a.example", account: "bob"),
      InternetPassword(protocol: "https", server: "a.example", path: "x"),
      InternetPassword(protocol: "https", server: "a.example", port: 8443),
    ]
    try expect(permission("allow far https://a.example exact", item), is: .allowed)
    try expect(permission("deny far https://a.example exact", item), is: .refused)
    for other in others {
      try expect(permission("allow far https://a.example exact", other), is: .undecided)
      try expect(permission("deny far https://a.example exact", other), is: .undecided)
    }
    try expect(permission("allow far https://a.example account=bob exact", others[0]), is: .allowed)
    try expect(permission("allow far https://a.example account=bob exact", item), is: .undecided)
  }

  @Test(
    "what is denied isn't to be had in another spelling",
    arguments: [
      ("deny far https://[::1]", "0:0:0:0:0:0:0:1", nil),
      ("deny far https://a.example/secret", "a.example", "secret/../x"),
      ("deny far https://a.example/secret", "a.example", "x/%2e%2e/secret"),
    ] as [(ByteString, ByteString, ByteString?)])
  func otherSpelling(deny: ByteString, server: ByteString, path: ByteString?) throws {
    let rules = try [deny, "allow far *"].map { (text) throws(RuleFault) in
      try text.bytes.lendingBytes { (line) throws(RuleFault) in try ForwardingRule(parsing: line) }
    }
    let key = Item.Key.internetPassword(InternetPassword(protocol: "https", server: server, path: path))
    expect(Permissions(hosts: [rules]).permission(to: .use, key, by: "git"), is: .refused)
    expect(Permissions(hosts: [[rules[1]]]).permission(to: .use, key, by: "git"), is: .allowed)
  }
}
