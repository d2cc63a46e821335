import Bytes
import Expectations
import Forwarding
import Keychain
import TestSupport
import Testing

@testable import ForwardProgram

@Suite("questions and decisions") struct QuestionTests {
  private let key = Item.internet("a.example", account: "alice").key
  private let far = Self.hosts(key: "SHA256:x")
  private let other = Self.hosts(key: "SHA256:y")

  private static func hosts(key fingerprint: String) -> [VerifiedHost] {
    HostName("far").map { [VerifiedHost(.name($0), fingerprint: fingerprint)] } ?? []
  }

  private func sentence(
    _ key: Item.Key, _ right: ForwardingRight = .use,
    hosts: [ByteString] = ["far"], tool: ByteString = "git"
  ) -> String {
    QuestionText(hosts: hosts, tool: tool, ForwardingService.Question(Item(key), right)).sentence
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
    let long = ByteString(String(repeating: "x", count: 5000))
    let text = sentence(Item.generic("a\u{1b}[31m\u{202e}b", account: long).key)
    expect(text.contains(#"a\u{1b}[31m\u{202e}b"#))
    expect(text.count < 600)
  }

  @Test("what others have named can't end its quotes")
  func quoted() {
    let hostile = Item.internet("a.example", account: "me\" for \"https://b.example")
    expect(
      sentence(hostile.key).contains(#"of "me\u{22} for \u{22}https://b.example" for "https://a.example";"#))
  }

  @Test("a lease counts for one session, one way and one tool, until it ends")
  func leases() {
    let session = ForwardingSession.process(7, start: 1)
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
    decisions.add(grant, far, "git", now: 1000)
    expect(decisions.grants(far, "git", now: 60_999), is: [grant])
    expect(decisions.grants(far, "git", now: 61_000), is: [])
    expect(decisions.grants(far, "docker", now: 1000), is: [])
    expect(decisions.grants(far + other, "git", now: 1000), is: [])
  }

  @Test("a rule is made only for what it names exactly")
  func exactly() {
    for (item, text) in [
      (Item.internet("a.example"), "https://a.example"),
      (.internet("a.example", path: "x y", port: 8443), "https://a.example:8443/x%20y"),
      (.internet("*.example"), nil), (.generic("a*b"), nil), (.generic("a b"), "service:a%20b"),
      (.internet("a.example", port: 443), "https://a.example"),
    ] as [(Item, String?)] { expect(PlacePattern(exactly: item.key)?.text, is: text) }
  }
}
