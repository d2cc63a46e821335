import Interchange
import Keychain
import Testing

@Suite("entries of pass")
struct PassEntryTests {
  private func found(_ name: ByteString, _ contents: String) -> Found {
    var found = FoundLogins()
    Array(contents.utf8).withUnsafeBytes { PassEntry.read(name, $0, into: &found) }
    found.settle(nil, .lastChangedAnswers)
    return Found(found)
  }

  @Test("the name says the host and the account")
  func names() {
    for (name, item) in [
      ("github.com/alice", "https://github.com (alice)"), ("web/github.com", "https://github.com"),
      ("work/github.com/alice.smith", "https://github.com (alice.smith)"),
      ("github.com/alice@example.org", "https://github.com (alice@example.org)"),
      ("git/https/github.com/alice", "https://github.com (alice)"),
      ("imaps/mail.example/bob", "imaps://mail.example (bob)"),
      ("nas.example:5001/admin", "https://nas.example:5001 (admin)"),
      ("lan/192.168.1.1", "https://192.168.1.1"),
      ("Email/alice", "Email/alice"), ("the safe", "the safe"), ("app v1.2", "app v1.2"), ("a..b", "a..b"),
      (".hidden", ".hidden"),
    ] as [(ByteString, String)] {
      #expect(found(name, "p\n").logins == ["\(item) p"], "\(name)")
    }
    #expect(found("web/github.com", "p").labels == ["web/github.com"])
    #expect(found("the safe", "p").labels == [nil])
  }

  @Test("its lines go before its name")
  func lines() {
    #expect(
      found("github.com/alice", "p q\nLogin: bob\r\nURL: https://git.example.com:8443/x\r\n").logins == [
        "https://git.example.com:8443 (bob) p q at https://git.example.com:8443/x"
      ])
    #expect(found("the safe", "p\nuser: bob\n").logins == ["the safe (bob) p"])
    #expect(found("x", "p\nurl: https://carol@h.example/\n").logins == ["https://h.example (carol) p"])
    #expect(
      found("h.example/a", "p\nurl: android://x\n").logins == ["https://h.example (a) p at android://x"])
    #expect(found("x", "p\n---\nusername: bob\nurl: h.example\n").logins == ["https://h.example (bob) p"])
  }

  @Test("what has no room is named")
  func leftBehind() {
    #expect(
      found("h.example", "p\notpauth://totp/x?secret=S\nnote: x\nin the cellar\nlogin: a\nlogin: b\n").logins
        == [
          "https://h.example (a) p + one-time code + further lines + login"
        ])
    for (lines, login) in [
      ("url: https://b:Pw-2@h.example/\nuser: a", "https://h.example (a) p + a password in the URL"),
      ("url: https://b:Pw-2@h.example/", "https://h.example (b) p + a password in the URL"),
      ("url: https://b@h.example/\nuser: a", "https://h.example (a) p + a user name in the URL"),
      ("url: https://b@h.example/\nuser: b", "https://h.example (b) p"),
      ("service=https://b:Pw-2@h.example\naccount=a", "https://h.example (a) p + a password in the URL"),
      ("service=https://b@h.example\naccount=a", "https://h.example (a) p + a user name in the URL"),
    ] {
      #expect(found("x", "p\n\(lines)\n").logins == [login], "\(lines)")
    }
  }

  @Test("a carriage return behind the password is a part of it for pass, and not for gopass")
  func carriageReturn() {
    for contents in ["p\r\nlogin: a\n", "p\r", "p\0q\n"] {
      let found = found("h.example", contents)
      #expect(found.logins.isEmpty)
      #expect(found.reasons == ["h.example disputed"])
    }
  }

  @Test("a service that is no URL stays there")
  func otherService() {
    #expect(found("the safe", "p\nservice=door\n").logins == ["the safe p + service"])
  }

  @Test("Git Credential Manager's entries say their URL")
  func gcm() {
    let name: ByteString = "git/https/git.example.com/acme/carol"
    #expect(
      found(name, "p\nservice=https://git.example.com/acme\naccount=carol\n").logins == [
        "https://git.example.com/acme (carol) p"
      ])
    #expect(
      found(name, "p\nservice=https://git.example.com\naccount=\n").logins == ["https://git.example.com p"])
    #expect(found(name, "p\nservice=https://git.example.com\naccount=carol\n").labels == [nil])
  }

  @Test("an entry without a password is passed over by its name")
  func noSecret() {
    for contents in ["", "\n", "\nlogin: a\n"] {
      let found = found("github.com/alice", contents)
      #expect(found.logins.isEmpty)
      #expect(found.reasons == ["github.com/alice noSecret"])
    }
  }
}
