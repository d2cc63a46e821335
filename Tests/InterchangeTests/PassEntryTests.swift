import Expectations
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
      expect(found(name, "p\n").logins, is: ["\(item) p"], "\(name)")
    }
    expect(found("web/github.com", "p").labels, is: ["web/github.com"])
    expect(found("the safe", "p").labels, is: [nil])
  }

  @Test("its lines go before its name")
  func lines() {
    expect(
      found("github.com/alice", "p q\nLogin: bob\r\nURL: https://git.example.com:8443/x\r\n").logins,
      is: [
        "https://git.example.com:8443 (bob) p q at https://git.example.com:8443/x"
      ])
    expect(found("the safe", "p\nuser: bob\n").logins, is: ["the safe (bob) p"])
    expect(found("x", "p\nurl: https://carol@h.example/\n").logins, is: ["https://h.example (carol) p"])
    expect(
      found("h.example/a", "p\nurl: android://x\n").logins, is: ["https://h.example (a) p at android://x"])
    expect(found("x", "p\n---\nusername: bob\nurl: h.example\n").logins, is: ["https://h.example (bob) p"])
  }

  /// Everything that an entry has become.
  private func whole(_ name: ByteString, _ contents: String) -> [String] {
    var found = FoundLogins()
    Array(contents.utf8).withUnsafeBytes { PassEntry.read(name, $0, into: &found) }
    return WholeLogins(found).lines
  }

  @Test("further lines are kept: those with a name as hidden fields, the others as the comment")
  func furtherLines() {
    expect(
      whole(
        "h.example",
        "p\nlogin: a\nPIN: 1234\nSecurity question: why?\nin the cellar\n\n  behind it\nnotes: and more\n"),
      is: [
        "https://h.example (a) p; called h.example; comment in the cellar\\n\\n  behind it\\nand more; "
          + "hidden PIN=1234, Security question=why?"
      ])
    // gopass's YAML, and a URL that has no name.
    expect(
      whole("the safe", "p\n---\nphone: 555\nwhere:\n  floor: 2\nhttps://x.example/y\na = b\n"),
      is: [
        "the safe p; comment https://x.example/y\\na = b; hidden phone=555, where=  floor: 2"
      ])
    expect(whole("h.example", "p\nlogin: a\nuser: b\nurl: h.example\nurl: i.example\n").count, is: 2)
    expect(
      whole("h.example", "p\nlogin: a\nuser: b\n"),
      is: [
        "https://h.example (a) p; called h.example; hidden user=b"
      ])
    // What belongs together stays so, and a line of dashes among notes.
    expect(
      whole("the safe", "p\n---\nprod:\n  host: a\n  password: b\nlogin:\n  x\nkey: v  \n"),
      is: [
        "the safe p; comment login:\\n  x; hidden prod=  host: a\\n  password: b, key=v  "
      ])
    expect(whole("the safe", "p\na\n---\nb\n"), is: ["the safe p; comment a\\n---\\nb"])
    expect(
      whole("w/db-admin", "p\nservice: https://db.example\n"),
      is: [
        "w/db-admin p; hidden service=https://db.example"
      ])
    expect(
      whole("k", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIE\n"),
      is: ["skipped k noLogin"]
    )
    expect(whole("the safe", "p\nservice=door\n"), is: ["the safe p; hidden service=door"])
  }

  @Test("one-time codes are kept, in each of the forms that programs write")
  func codes() {
    let url = "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP"
    expect(whole("h.example", "p\n\(url)\n"), is: ["https://h.example p; called h.example; code \(url)"])
    expect(
      whole("h.example", "p\ntotp: \(url)\n"), is: ["https://h.example p; called h.example; code \(url)"])
    expect(
      whole("h.example", "p\ntotp: JBSW Y3DP EHPK 3PXP\n"),
      is: [
        "https://h.example p; called h.example; code otpauth://totp/?secret=JBSWY3DPEHPK3PXP"
      ])
    // Several, each named.
    expect(
      whole("h.example", "p\n\(url)\notpauth://totp/y?secret=KRUGS4ZANFZSAYJA\n"),
      is: [
        "https://h.example p; called h.example; code \(url); hidden one-time code=otpauth://totp/y?secret=KRUGS4ZANFZSAYJA"
      ])
    // An entry of its own, and the lines of Pass for iOS.
    expect(whole("h.example-otp", "\(url)\n"), is: ["h.example-otp ; code \(url)"])
    expect(
      whole(
        "h.example",
        "p\notp_secret: JBSWY3DPEHPK3PXP\notp_type: hotp\notp_algorithm: sha256\notp_counter: 3\n"),
      is: [
        "https://h.example p; called h.example; code otpauth://hotp/?secret=JBSWY3DPEHPK3PXP&algorithm=SHA256&counter=3"
      ])
  }

  @Test("what has no room is named")
  func leftBehind() {
    for (lines, login) in [
      ("url: https://b:Pw-2@h.example/\nuser: a", "https://h.example (a) p + password in the URL"),
      ("url: https://b:Pw-2@h.example/", "https://h.example (b) p + password in the URL"),
      ("url: https://b@h.example/\nuser: a", "https://h.example (a) p + user name in the URL"),
      ("url: https://b@h.example/\nuser: b", "https://h.example (b) p"),
      ("service=https://b:Pw-2@h.example\naccount=a", "https://h.example (a) p + password in the URL"),
      ("service=https://b@h.example\naccount=a", "https://h.example (a) p + user name in the URL"),
    ] {
      expect(found("x", "p\n\(lines)\n").logins, is: [login], "\(lines)")
    }
  }

  @Test("a carriage return behind the password is a part of it for pass, and not for gopass")
  func carriageReturn() {
    for contents in ["p\r\nlogin: a\n", "p\r", "p\0q\n"] {
      let found = found("h.example", contents)
      expect(found.logins.isEmpty)
      expect(found.reasons, is: ["h.example disputed"])
    }
  }

  @Test("Git Credential Manager's entries say their URL")
  func gcm() {
    let name: ByteString = "git/https/git.example.com/acme/carol"
    expect(
      found(name, "p\nservice=https://git.example.com/acme\naccount=carol\n").logins,
      is: [
        "https://git.example.com/acme (carol) p"
      ])
    expect(
      found(name, "p\nservice=https://git.example.com\naccount=\n").logins, is: ["https://git.example.com p"])
    expect(found(name, "p\nservice=https://git.example.com\naccount=carol\n").labels, is: [nil])
  }

  @Test("an entry without a password is passed over by its name")
  func noSecret() {
    for contents in ["", "\n", "\nlogin: a\n"] {
      let found = found("github.com/alice", contents)
      expect(found.logins.isEmpty)
      expect(found.reasons, is: ["github.com/alice noSecret"])
    }
  }
}
