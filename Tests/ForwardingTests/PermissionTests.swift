import Bytes
import Expectations
import Forwarding
import Keychain
import TestSupport
import Testing

@Suite("permissions") struct PermissionTests {
  private func permissions(
    _ hosts: [String]..., grants: [Permissions.Grant] = [], mayAsk: Bool = true
  ) throws -> Permissions {
    Permissions(
      hosts: try hosts.map { try $0.map { try ForwardingRule(line: $0) } }, grants: grants, mayAsk: mayAsk)
  }

  /// A key as tests spell items.
  private func key(_ spelled: String) -> Item.Key { Item(spelled: spelled).key }

  private func query(_ spelled: String) throws -> ItemQuery { try ItemQuery(for: key(spelled)) }

  @Test("nobody on the way means nothing is allowed")
  func nobody() throws {
    try expect(permissions().permission(to: .use, key("alice@a.example"), by: "git"), is: .refused)
    try expect(!permissions().mayAnswer(try query("@a.example"), by: "git"))
  }

  @Test("what no rule names is asked, or refused where nobody can be asked")
  func silence() throws {
    for (mayAsk, permission) in [(true, .undecided), (false, .refused)] as [(Bool, Permission)] {
      let silent = try permissions([], mayAsk: mayAsk)
      expect(silent.permission(to: .use, key("alice@a.example"), by: "git"), is: permission)
      expect(silent.mayAnswer(try query("@a.example"), by: "git"), is: mayAsk)
    }
    try expect(!permissions([]).mayAnswer(nil, by: "git"))
  }

  /// Items on a.example/acme, and whether they may be used by whoever may use that place, and has asked for another.
  private static let places =
    [
      ("alice@a.example/acme", nil, .allowed), ("alice@a.example/acme/app", nil, .allowed),
      ("alice@a.example/acme/app", "@a.example", .allowed),
      ("alice@a.example", "@a.example/acme/app", .allowed), ("alice@a.example", nil, .refused),
      ("alice@a.example", "@a.example", .refused), ("alice@a.example", "@a.example/other", .refused),
      ("alice@a.example/acmeister", nil, .refused), ("alice@a.example/acme/../other", nil, .refused),
      ("alice@b.example/acme", nil, .refused), ("http:alice@a.example/acme", nil, .refused),
      ("alice@a.example:8443/acme", nil, .refused), ("generic:a.example", nil, .refused),
    ] as [(String, String?, Permission)]

  @Test("a rule for a place is about the items there, and about what is asked for there", arguments: places)
  func place(item: String, asked: String?, permission: Permission) throws {
    let rules = try permissions(["allow far https://a.example/acme"], mayAsk: false)
    let asked = try asked.map { try query($0) }
    expect(rules.permission(to: .use, key(item), asked: asked, by: "git"), is: permission)
    expect(rules.permission(to: .change, key(item), asked: asked, by: "git"), is: .refused)
  }

  @Test("before the keychain is opened, it is known what could not answer")
  func beforehand() throws {
    let rules = try permissions(["allow far https://a.example/acme"], mayAsk: false)
    expect(rules.mayAnswer(try query("@a.example"), by: "git"))
    expect(rules.mayAnswer(try query("@a.example/acme/app"), by: "git"))
    expect(!rules.mayAnswer(try query("@a.example/other"), by: "git"))
    expect(!rules.mayAnswer(try query("@b.example"), by: "git"))
    let denied = try permissions(["deny far *", "allow far https://a.example tool=git"])
    expect(denied.mayAnswer(try query("@a.example"), by: "git"))
    expect(!denied.mayAnswer(try query("@a.example"), by: "docker"))
    expect(!denied.mayAnswer(try query("@b.example"), by: "git"))
  }

  @Test("what is denied isn't to be had by another form of the host")
  func forms() throws {
    for place in [
      "https://bücher.example", "https://*.bücher.example", "https://xn--bcher-kva.example",
      "https://*.xn--bcher-kva.example",
    ] {
      let rules = try permissions(["deny far \(place)", "allow far *"])
      for name in ["bücher.example", "xn--bcher-kva.example", "XN--Bcher-KVA.example.", "bücher.example."] {
        let key = key("alice@" + (place.contains("*") ? "git." : "") + name)
        expect(rules.permission(to: .use, key, by: "git"), is: .refused, "\(place) \(name)")
      }
      expect(rules.permission(to: .use, key("alice@git.bucher.example"), by: "git"), is: .allowed)
    }
  }

  /// Rules, an item, a tool, and what it may do with the item.
  private static let decisions =
    [
      // Wildcards stand for servers and services, and never for a protocol.
      (["allow far https://*.example"], "alice@a.b.example", "git", .allowed),
      (["allow far https://*.example"], "alice@A.EXAMPLE", "git", .allowed),
      (["allow far https://*.example"], "alice@example", "git", .undecided),
      (["allow far https://*.example"], "http:alice@a.example", "git", .undecided),
      (["allow far service:aws:*"], "generic:aws:x", "aws", .allowed),
      (["allow far service:aws:*"], "generic:kubectl:x", "aws", .undecided),
      // The rule that says most decides, and of equals the strictest.
      (["deny far *", "allow far https://a.example"], "alice@a.example/acme/app", "git", .allowed),
      (
        ["allow far https://a.example", "deny far https://a.example/acme"], "alice@a.example/acme/app", "git",
        .refused
      ),
      (["deny far https://*", "allow far https://a.example"], "alice@a.example/acme/app", "git", .allowed),
      (["deny far https://*.example", "allow far https://*"], "alice@a.example/acme/app", "git", .refused),
      (
        ["allow far https://a.example", "deny far https://a.example"], "alice@a.example/acme/app", "git",
        .refused
      ),
      (
        ["allow far https://a.example", "ask far https://a.example"], "alice@a.example/acme/app", "git",
        .undecided
      ),
      (ofAccount, "alice@a.example/acme/app", "git", .allowed), (ofAccount, "bob@a.example", "git", .refused),
      (ofTool, "alice@a.example/acme/app", "git", .allowed),
      (ofTool, "alice@a.example/acme/app", "docker", .refused),
      // An exact rule is about one item.
      (["allow far https://a.example exact"], "@a.example", "git", .allowed),
      (["deny far https://a.example exact"], "@a.example", "git", .refused),
      (["allow far https://a.example exact"], "bob@a.example", "git", .undecided),
      (["deny far https://a.example exact"], "bob@a.example", "git", .undecided),
      (["allow far https://a.example exact"], "@a.example/x", "git", .undecided),
      (["deny far https://a.example exact"], "@a.example/x", "git", .undecided),
      (["allow far https://a.example exact"], "@a.example:8443", "git", .undecided),
      (["deny far https://a.example exact"], "@a.example:8443", "git", .undecided),
      (["allow far https://a.example account=bob exact"], "bob@a.example", "git", .allowed),
      (["allow far https://a.example account=bob exact"], "@a.example", "git", .undecided),
      // What is denied isn't to be had in another spelling.
      (["deny far https://a.example/secret", "allow far *"], "@a.example/secret/../x", "git", .refused),
      (["deny far https://a.example/secret", "allow far *"], "@a.example/x/%2e%2e/secret", "git", .refused),
      (["allow far *"], "@a.example/secret/../x", "git", .allowed),
      (["allow far *"], "@a.example/x/%2e%2e/secret", "git", .allowed),
    ] as [([String], String, ByteString, Permission)]

  private static let ofAccount = [
    "deny far https://a.example", "allow far https://a.example account=alice",
  ]
  private static let ofTool = ["deny far https://a.example", "allow far https://a.example tool=git"]

  @Test("rules decide about an item and a tool", arguments: decisions)
  func decision(rules: [String], item: String, tool: ByteString, permission: Permission) throws {
    try expect(permissions(rules).permission(to: .use, key(item), by: tool), is: permission)
    let silent: Permission = permission == .undecided ? .refused : permission
    try expect(permissions(rules, mayAsk: false).permission(to: .use, key(item), by: tool), is: silent)
  }

  @Test(
    "an address that is denied isn't to be had in another spelling", arguments: ["0:0::1", "0:0:0:0:0:0:0:1"])
  func address(server: ByteString) throws {
    let key = Item.internet(server).key
    try expect(
      permissions(["deny far https://[::1]", "allow far *"]).permission(to: .use, key, by: "git"),
      is: .refused)
    try expect(permissions(["allow far *"]).permission(to: .use, key, by: "git"), is: .allowed)
  }

  @Test("every host on the way has to be allowed")
  func hops() throws {
    let (yes, no, open) = (["allow a https://a.example"], ["deny b *"], ["allow c https://b.example"])
    let key = key("alice@a.example")
    try expect(permissions(yes, yes).permission(to: .use, key, by: "git"), is: .allowed)
    try expect(permissions(yes, no).permission(to: .use, key, by: "git"), is: .refused)
    try expect(permissions(no, yes).permission(to: .use, key, by: "git"), is: .refused)
    try expect(permissions(yes, open).permission(to: .use, key, by: "git"), is: .undecided)
  }

  @Test("who may use may not change; who was told so may")
  func changing() throws {
    let key = key("alice@a.example")
    try expect(
      permissions(["allow a https://a.example"]).permission(to: .change, key, by: "git"), is: .refused)
    try expect(
      permissions(["allow a https://a.example write"]).permission(to: .change, key, by: "git"), is: .allowed
    )
    try expect(permissions([]).permission(to: .change, key, by: "git"), is: .undecided)
  }

  @Test("what a person has decided counts for that item, and never against a rule")
  func grants() throws {
    let key = key("alice@a.example")
    let use = Permissions.Grant(key, .use, isAllowed: true)
    let change = Permissions.Grant(key, .change, isAllowed: true)
    let no = Permissions.Grant(key, .use, isAllowed: false)
    try expect(permissions([], grants: [use]).permission(to: .use, key, by: "git"), is: .allowed)
    try expect(permissions([], grants: [use]).permission(to: .change, key, by: "git"), is: .undecided)
    try expect(permissions([], grants: [change]).permission(to: .use, key, by: "git"), is: .allowed)
    try expect(permissions([], grants: [use, no]).permission(to: .use, key, by: "git"), is: .refused)
    try expect(
      permissions([], grants: [use]).permission(to: .use, self.key("bob@a.example"), by: "git"),
      is: .undecided)
    try expect(permissions(["deny a *"], grants: [use]).permission(to: .use, key, by: "git"), is: .refused)
    // Who has just decided may be asked for a passphrase as well.
    try expect(permissions([], grants: [use]).invites(try query("@a.example"), by: "git"))
    try expect(!permissions([]).invites(try query("@a.example"), by: "git"))
  }
}
