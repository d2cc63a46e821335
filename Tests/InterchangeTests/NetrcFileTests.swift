import Expectations
import Interchange
import Keychain
import Testing

@Suite("netrc files")
struct NetrcFileTests {
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
}
