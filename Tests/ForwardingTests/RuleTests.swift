import Bytes
import Expectations
import Forwarding
import Keychain
import Testing

extension ForwardingRule {
  /// The rule of a line.
  init(line: String) throws(RuleFault) {
    self = try Array(line.utf8).lendingBytes { (bytes) throws(RuleFault) in
      try ForwardingRule(parsing: bytes)
    }
  }
}

@Suite("rules") struct RuleTests {
  @Test(
    "a rule's text comes back",
    arguments: [
      "allow far.example https://github.com/acme", "deny far.example *",
      "ask [far.example]:2222 https://*.example",
      "allow SHA256:uNiVztksCsDhcc0u9e8BrqU44mHhPcfaTgkM8jsNa3Y https://[::1]:8443 tool=git",
      "allow socket:build.1 service:aws%3A%2A tool=aws account=a%20b write until=2026-11-24T08:00:00Z",
      "allow far.example service:aws:* write",
      "allow far.example https://a.example/x%20y/z account=me@example.com",
      "deny far.example https://a.example tool=git account=me exact",
    ])
  func roundTrip(text: String) throws {
    let rule = try ForwardingRule(line: text)
    try expect(ForwardingRule(line: rule.text), is: rule)
    if !text.contains("%3A") { expect(rule.text, is: text) }
  }

  @Test(
    "a rule that can't be understood says what is wrong",
    arguments: [
      ("permit far *", .verdict), ("", .verdict), ("allow", .host), ("allow a,b *", .host),
      ("allow * *", .host),
      ("allow socket:.. *", .host), ("allow socket:a/b *", .host), ("allow SHA256:x *", .host),
      ("allow far", .place), ("allow far github.com", .place), ("allow far https://", .place),
      ("allow far https://a@b", .place), ("allow far https://a?b", .place),
      ("allow far https://a%3fb", .place),
      ("allow far service:", .place), ("allow far https://a/*", .place),
      ("allow far * exact exact", .word("exact")), ("allow far https://a:0", .place),
      ("allow far ://a", .place),
      ("allow far * writes", .word("writes")), ("allow far * write write", .word("write")),
      ("allow far * tool=", .word("tool=")), ("allow far * tool=a tool=b", .word("tool=b")),
      ("allow far * account=%0a", .word("account=%0a")), ("allow far * until=tomorrow", .time),
      ("deny far * write", .denyWrite), ("allow far *\u{7}", .bytes),
    ] as [(String, RuleFault)])
  func faults(text: String, fault: RuleFault) {
    #expect(throws: fault) { try ForwardingRule(line: text) }
  }

  @Test("a protocol's own port needn't be written")
  func defaultPort() throws {
    try expect(
      ForwardingRule(line: "allow far https://a.example:443/x").text, is: "allow far https://a.example/x")
    try expect(
      ForwardingRule(line: "allow far http://a.example:443").text, is: "allow far http://a.example:443")
  }

  @Test("a file with one broken line has no rules, and the line is named")
  func brokenFile() throws {
    let text = "# hosts\n\nallow far *\nforbid far https://a.example\n"
    let malformed = #expect(throws: RuleFile.Malformed.self) {
      try Array(text.utf8).lendingBytes { (bytes) throws(RuleFile.Malformed) in try RuleFile(parsing: bytes) }
    }
    expect(malformed?.line, is: 4)
    expect(malformed?.fault, is: .verdict)
  }

  @Test("comments and other rules stay where they are when one is set")
  func editing() throws {
    let text = "# hosts\nallow far *\n\ndeny near *\nallow old * until=2020-01-01T00:00:00Z\n"
    var file = try Array(text.utf8).lendingBytes { (bytes) throws(RuleFile.Malformed) in
      try RuleFile(parsing: bytes)
    }
    file.set(try ForwardingRule(line: "ask far *"), at: .now)
    expect(String(decoding: file.text, as: UTF8.self), is: "# hosts\n\ndeny near *\nask far *\n")
    expect(file.removeRules { $0.host == ForwardedHost(parsing: "near") }, is: 1)
    expect(file.rules.map(\.text), is: ["ask far *"])
  }
}
