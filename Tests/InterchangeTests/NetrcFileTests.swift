import Expectations
import Interchange
import Keychain
import Testing

@Suite("netrc files")
struct NetrcFileTests {
  @Test("what protocol and port a login is for")
  func services() throws {
    for (words, name) in [
      ("", "https://h (a) p"), ("port 80", "http://h (a) p"), ("port http", "http://h (a) p"),
      ("protocol HTTP port 8080", "http://h:8080 (a) p"), ("port submission", "smtp://h:587 (a) p"),
      ("protocol https port 993", "https://h:993 (a) p"), ("path x/y", "https://h/x/y (a) p"),
      ("port pop", "pop3://h (a) p"), ("port imaps", "imaps://h (a) p"),
      ("port 1099", "https://h:1099 (a) p"),
      ("unknown word", "https://h (a) p + other words"), ("force yes", "https://h (a) p + other words"),
    ] {
      try expect(Found("machine h login a \(words) password p", as: .netrc).logins, is: [name], "\(words)")
    }
  }

  @Test("what curl, git, Python and wget read alike is taken")
  func agreed() throws {
    for (word, secret) in [
      ("\"a b\"", "a b"), ("\"a\\\\b\"", "a\\b"), ("\"a\\\\\"", "a\\"), ("p\"w\"", "p\"w\""), ("a#5", "a#5"),
      ("\"#5\"", "#5"), ("\"a\tb\"", "a\tb"), ("'ab'", "'ab'"), ("ä\u{a0}€", "ä\u{a0}€"), ("p\r", "p"),
      ("p # c", "p"),
      ("p\n # machine i login b", "p"), ("p account x", "p + account password"), ("p password p", "p"),
    ] {
      let found = try Found("machine h login a password \(word)\n", as: .netrc)
      expect(found.logins, is: ["https://h (a) \(secret)"], "\(word.debugDescription)")
      expect(found.passedOver.isEmpty, "\(word.debugDescription)")
    }
  }

  @Test("an entry that two of them read differently is passed over by its machine and line")
  func disputed() throws {
    for words in [
      "password pa\\ss", "password \"x\\ny\"", "password \"a\\\"b\"", "password a\\\\b",
      "password \"abc\"def",
      "password #5", "password a\u{b}b", "password a\u{c}", "password a\rb", "password a\0",
      "login \"a\\nb\" password p", "password p password q", "password p login b", "password p PASSWORD q",
      "password p # password q", "password p\n# password q", "password p\n# machine i\nport 80",
      "password p account password", "password \"p\" \"login\" q", "password machine", "PASSWORD p",
      "password p port a\\b", "password p macdef m\nx\n\nport 80",
    ] {
      let login = words.hasPrefix("login") ? "" : "login a "
      let found = try Found("\nmachine h \(login)\(words)\nmachine i login b password q\n", as: .netrc)
      expect(found.logins, is: ["https://i (b) q"], "\(words.debugDescription)")
      expect(
        found.passedOver.map(\.origin) == [.machine("h", line: 2)] && found.passedOver[0].reason == .disputed,
        "\(words.debugDescription): \(found)")
    }
    let twice = "machine h login a password p\nmachine h login a password q\n"
    try expect(Found(twice, as: .netrc).reasons, is: ["1 (h) disputed", "2 (h) disputed"])
    try expect(InterchangeTests.remainder(of: twice, as: .netrc), is: twice)
  }

  @Test("what can't be understood is named by its line")
  func malformed() throws {
    for text in [
      "machine h login a password \"p\n", "machine h login a port 0 password p", "machine h password",
      "machine", "machine a/b login a password p", "machine h login a port 99999 password p",
      "machine h port é password p", "password p\n", "nonsense here\n",
    ] {
      let found = try Found(text, as: .netrc)
      expect(found.logins.isEmpty, "\(text)")
      expect(found.reasons, is: ["1 malformed"], "\(text)")
    }
    try expect(
      Found("machine h login a password \"p\nmachine i login b password q", as: .netrc).logins,
      is: [
        "https://i (b) q"
      ])
  }

  @Test("without its logins the file has comments")
  func remainder() throws {
    try expect(InterchangeTests.remainder(of: "machine h login a password p\r\n", as: .netrc), is: "")
    // Python refuses a comment on a line of its own after an empty one.
    for entry in ["machine h login a password p # mine", "machine h\n  login a # mine\n  password p # his"] {
      try expect(
        InterchangeTests.remainder(of: "# all\n\n\(entry)\n# next\n", as: .netrc), is: "# all\n\n# next\n")
    }
    let shared = "default login x machine h login a password p # mine\n"
    try expect(
      InterchangeTests.remainder(of: shared, as: .netrc), is: "default login x  # mine\n")
    try expect(
      InterchangeTests.remainder(of: "default login x machine h password p\n", as: .netrc),
      is: "default login x \n")
  }
}
