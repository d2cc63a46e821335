import Bytes
import Expectations
import Forwarding
import Keychain
import Testing

@testable import ForwardProgram

@Suite("questions and decisions") struct QuestionTests {
  private let key = Item.Key.internetPassword(
    InternetPassword(protocol: "https", server: "a.example", account: "alice"))

  private func sentence(
    _ key: Item.Key, _ right: ForwardingRight = .use,
    hosts: [ByteString] = ["far"], tool: ByteString = "git"
  ) -> String {
    QuestionText(
      hosts: hosts, tool: tool, ForwardingService.Question(Item(key), right)
    ).sentence
  }

  @Test("a question names host, wish, account, place and tool")
  func named() {
    expect(
      sentence(key),
      is: "far asks to use the login of \"alice\" for \"https://a.example\"; the tool calls itself \"git\".")
    expect(sentence(key, .change).hasPrefix("far asks to use, change and delete the login of \"alice\""))
    expect(sentence(key, hosts: ["jump", "far"]).hasPrefix("far (through jump, which gets it, too) asks"))
  }

  @Test("what others have named can't control a terminal, or fill a window")
  func shown() {
    let hostile = Item.Key.genericPassword(
      GenericPassword(
        service: "a\u{1b}[31m\u{202e}b", account: ByteString(String(repeating: "x", count: 5000))))
    let text = sentence(hostile)
    expect(text.contains(#"a\u{1b}[31m\u{202e}b"#))
    expect(text.count < 600)
  }

  @Test("what others have named can't end its quotes")
  func quoted() {
    let hostile = Item.Key.internetPassword(
      InternetPassword(protocol: "https", server: "a.example", account: "me\" for \"https://b.example"))
    expect(
      sentence(hostile).contains(#"of "me\u{22} for \u{22}https://b.example" for "https://a.example";"#))
  }

  @Test("a lease counts for one session, one way and one tool, until it ends")
  func leases() {
    let far = [VerifiedHost(.name(HostName("far")!), fingerprint: "SHA256:x")]
    let other = [VerifiedHost(.name(HostName("far")!), fingerprint: "SHA256:y")]
    let session = Session.process(7, start: 1)
    let grant = Permissions.Grant(key, .use, isAllowed: true)
    var leases = Leases()
    leases.add(Lease(session: session, hosts: far, tool: "git", grant: grant, end: 100), now: 0)
    expect(leases.grants(in: session, far, "git", now: 99), is: [grant])
    expect(leases.grants(in: session, far, "git", now: 100), is: [])
    expect(leases.grants(in: session, far, "docker", now: 0), is: [])
    expect(leases.grants(in: session, other, "git", now: 0), is: [])
    expect(leases.grants(in: session, far + other, "git", now: 0), is: [])
    expect(leases.grants(in: .process(7, start: 2), far, "git", now: 0), is: [])
    leases.removeAll(of: session)
    expect(leases.all, is: [])
  }

  @Test("what was decided once ends after a minute")
  func once() {
    var decisions = OnceDecisions()
    let grant = Permissions.Grant(key, .use, isAllowed: true)
    let far = [VerifiedHost(.name(HostName("far")!), fingerprint: "SHA256:x")]
    let other = [VerifiedHost(.name(HostName("far")!), fingerprint: "SHA256:y")]
    decisions.add(grant, far, "git", now: 1000)
    expect(decisions.grants(far, "git", now: 60_999), is: [grant])
    expect(decisions.grants(far, "git", now: 61_000), is: [])
    expect(decisions.grants(far, "docker", now: 1000), is: [])
    expect(decisions.grants(far + other, "git", now: 1000), is: [])
  }

  @Test("a rule is made only for what it names exactly")
  func exactly() {
    func pattern(_ key: InternetPassword) -> PlacePattern? { PlacePattern(exactly: .internetPassword(key)) }
    expect(pattern(InternetPassword(protocol: "https", server: "a.example"))?.text, is: "https://a.example")
    expect(
      pattern(InternetPassword(protocol: "https", server: "a.example", port: 8443, path: "x y"))?.text,
      is: "https://a.example:8443/x%20y")
    expect(pattern(InternetPassword(protocol: "https", server: "*.example")), is: nil)
    expect(PlacePattern(exactly: .genericPassword(GenericPassword(service: "a*b"))), is: nil)
    expect(
      PlacePattern(exactly: .genericPassword(GenericPassword(service: "a b")))?.text, is: "service:a%20b")
    expect(
      pattern(InternetPassword(protocol: "https", server: "a.example", port: 443))?.text,
      is: "https://a.example")
  }
}
