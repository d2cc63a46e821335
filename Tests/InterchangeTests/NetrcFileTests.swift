import Interchange
import Keychain
import Testing

@Suite("netrc files")
struct NetrcFileTests {
  @Test("an entry is a login, whatever lines its words are on")
  func entries() throws {
    let found = try Found(sample: "netrc", as: .netrc)
    #expect(
      found.logins == [
        "https://git.example.com (alice) p \"w\\1",
        "https://ftp.example (bob) b\"s#1 + account password + macro",
        "imaps://imap.example (carol) Pw-3", "smtp://smtp.example:587 (carol) Pw-4",
        "https://[::1]:8443 (dave) #5",
      ])
    #expect(found.reasons == ["11 noPlace", "12 noSecret"])
    #expect(found.origins == [.line(2), .line(3), .line(9), .line(9), .line(10)])
  }

  @Test("what protocol and port a login is for")
  func services() throws {
    for (words, name) in [
      ("", "https://h (a) p"), ("port 80", "http://h (a) p"), ("port http", "http://h (a) p"),
      ("protocol HTTP port 8080", "http://h:8080 (a) p"), ("port submission", "smtp://h:587 (a) p"),
      ("protocol https port 993", "https://h:993 (a) p"), ("path x/y", "https://h/x/y (a) p"),
      ("port pop", "pop3://h (a) p"), ("port imaps", "imaps://h (a) p"),
      ("port 1099", "https://h:1099 (a) p"),
      ("unknown word", "https://h (a) p"), ("force yes", "https://h (a) p"),
    ] {
      #expect(try Found("machine h login a \(words) password p", as: .netrc).logins == [name], "\(words)")
    }
  }

  @Test("what can't be understood is named by its line")
  func malformed() throws {
    for text in [
      "machine h login a password \"p\n", "machine h login a port 0 password p", "machine h password",
      "machine", "machine a/b login a password p", "machine h login a port 99999 password p",
      "machine h port é password p", "password p\n", "nonsense here\n",
    ] {
      let found = try Found(text, as: .netrc)
      #expect(found.logins.isEmpty, "\(text)")
      #expect(found.reasons == ["1 malformed"], "\(text)")
    }
    #expect(
      try Found("machine h login a password \"p\nmachine i login b password q", as: .netrc).logins == [
        "https://i (b) q"
      ])
  }

  @Test("without its logins the file has comments, macros and what was passed over")
  func remainder() throws {
    #expect(
      try String(
        decoding: InterchangeTests.remainder(of: Sample.bytes(of: "netrc"), as: .netrc), as: UTF8.self)
          == """
          # of several programs
          \t # and why
          macdef init
          cd /pub
          machine macro.example login x password y

          \u{20}
          default login anonymous password me@example.org
          machine nothing.example login erin

          """)
    #expect(try InterchangeTests.remainder(of: "machine h login a password p\r\n", as: .netrc) == "")
    #expect(
      try InterchangeTests.remainder(of: "default login x machine h password p\n", as: .netrc)
        == "default login x \n")
  }
}
