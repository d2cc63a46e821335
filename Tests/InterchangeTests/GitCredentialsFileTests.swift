import Expectations
import Interchange
import Testing

@Suite("git's plain-text file")
struct GitCredentialsFileTests {
  @Test("each line is a login")
  func eachLineIsALogin() throws {
    let found = try Found(
      "https://alice:a%40b@git.example.com\nhttp://bob:x@[::1]:8080/acme/\n", as: .gitCredentials)
    expect(found.logins, is: ["https://git.example.com (alice) a@b", "http://[::1]:8080/acme (bob) x"])
    expect(found.passedOver.isEmpty)
  }

  @Test("what is no login is named by its line, and not shown")
  func passesOver() throws {
    let found = try Found(
      "\n# a comment\nnonsense\nhttps://git.example.com\nhttps://alice@git.example.com\nhttps://a:b@h%zz\n",
      as: .gitCredentials)
    expect(found.logins.isEmpty)
    expect(
      found.passedOver.map(\.origin), is: [.line(3), .line(4), .line(5), .line(6)])
    expect(found.passedOver.map(\.reason), is: [.malformed, .malformed, .noSecret, .malformed])
  }

  @Test(
    "what comes before a URL's scheme is no part of it, and such a line stays",
    arguments: [" ", "\t", "1", "x y"])
  func noScheme(before: String) throws {
    let found = try Found("\(before)https://alice:secret@git.example.com\n", as: .gitCredentials)
    expect(found.logins.isEmpty)
    expect(found.passedOver.map(\.reason), is: [.malformed])
  }

  @Test("a carriage return at the end of a line is none of the login's")
  func carriageReturn() throws {
    try expect(
      Found("https://a:b@h.example\r\nhttps://c:d@h.example", as: .gitCredentials).logins,
      is: [
        "https://h.example (a) b", "https://h.example (c) d",
      ])
  }

  @Test("without its logins the file has only what was none")
  func remainder() throws {
    try expect(
      InterchangeTests.remainder(
        of: "# mine\nhttps://a:b@h.example\nnonsense\nhttps://c:d@h.example", as: .gitCredentials),
      is: "# mine\nnonsense\n")
  }
}
