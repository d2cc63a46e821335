import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

/// A URL and the request that it makes.
struct URLRow: Sendable, CustomTestStringConvertible {
  let url: String
  let request: @Sendable () -> RevealedRequest
  var testDescription: String { url }

  init(_ url: String, _ request: @escaping @autoclosure @Sendable () -> RevealedRequest) {
    self.url = url
    self.request = request
  }

  static let all = [
    URLRow("https://example.com", RevealedRequest(protocol: "https", server: "example.com")),
    URLRow("https://example.com/", RevealedRequest(protocol: "https", server: "example.com")),
    URLRow("https://example.com///", RevealedRequest(protocol: "https", server: "example.com")),
    URLRow("https://example.com:8443", RevealedRequest(protocol: "https", server: "example.com", port: 8443)),
    URLRow("https://example.com:/a", RevealedRequest(protocol: "https", server: "example.com", path: "a")),
    URLRow(
      "https://example.com/acme/app.git",
      RevealedRequest(protocol: "https", server: "example.com", path: "acme/app.git")),
    URLRow(
      "https://example.com//acme//", RevealedRequest(protocol: "https", server: "example.com", path: "acme")),
    URLRow(
      "https://example.com/a//b", RevealedRequest(protocol: "https", server: "example.com", path: "a//b")),
    URLRow("https://example.com?q", RevealedRequest(protocol: "https", server: "example.com", path: "?q")),
    URLRow("https://example.com#f", RevealedRequest(protocol: "https", server: "example.com", path: "#f")),
    URLRow(
      "https://example.com/a?b#c", RevealedRequest(protocol: "https", server: "example.com", path: "a?b#c")),
    URLRow(
      "https://alice@example.com",
      RevealedRequest(protocol: "https", server: "example.com", username: "alice")),
    URLRow(
      "https://alice:secret@example.com",
      RevealedRequest(protocol: "https", server: "example.com", username: "alice", password: "secret")),
    URLRow(
      "https://alice:@example.com",
      RevealedRequest(protocol: "https", server: "example.com", username: "alice", password: "")),
    URLRow("https://@example.com", RevealedRequest(protocol: "https", server: "example.com", username: "")),
    URLRow(
      "https://:p@example.com",
      RevealedRequest(protocol: "https", server: "example.com", username: "", password: "p")),
    URLRow(
      "https://a:b:c@example.com",
      RevealedRequest(protocol: "https", server: "example.com", username: "a", password: "b:c")),
    URLRow(
      "https://al%40ice:s%2F%3a@example.com/a%20b",
      RevealedRequest(
        protocol: "https", server: "example.com", path: "a b", username: "al@ice", password: "s/:")),
    URLRow("https://example.com/a@b", RevealedRequest(protocol: "https", server: "example.com", path: "a@b")),
    URLRow(
      "https://example.com/a:b@c", RevealedRequest(protocol: "https", server: "example.com", path: "a:b@c")),
    URLRow("https://[::1]", RevealedRequest(protocol: "https", server: "::1")),
    URLRow(
      "https://alice@[::1]:8080/x",
      RevealedRequest(protocol: "https", server: "::1", port: 8080, path: "x", username: "alice")),
    URLRow(
      "cert:///home/ann/key.pem", RevealedRequest(protocol: "cert", server: "", path: "home/ann/key.pem")),
    URLRow("https:///path", RevealedRequest(protocol: "https", server: "", path: "path")),
    URLRow("https://", RevealedRequest(protocol: "https", server: "")),
    URLRow(
      "https://example.com/a%2Fb", RevealedRequest(protocol: "https", server: "example.com", path: "a/b")),
    URLRow(
      "https://example.com/%E9",
      RevealedRequest(protocol: "https", server: "example.com", path: attribute([0xe9]))),
    URLRow("https://ex%61mple.com", RevealedRequest(protocol: "https", server: "example.com")),
  ]
}

@Suite("url") struct CredentialURLTests {
  @Test("a URL stands for its parts", arguments: URLRow.all)
  func parts(row: URLRow) throws {
    try expect(RevealedRequest("url=\(row.url)"), is: row.request())
  }

  @Test("a URL unsets what it lacks, and what comes after it counts")
  func unsets() throws {
    let before = ["protocol=http", "host=other:1", "path=p", "username=u", "password=s"]
    let bare = try RevealedRequest(parsing: joined(before + ["url=https://example.com"]))
    expect(bare, is: RevealedRequest(protocol: "https", server: "example.com"))
    let after = try RevealedRequest("url=https://alice:x@example.com/p", "username=bob", "path=q")
    expect(
      after,
      is: RevealedRequest(
        protocol: "https", server: "example.com", path: "q", username: "bob", password: "x"))
  }

  @Test(
    "a URL without a scheme is refused",
    arguments: ["", "example.com", "//example.com", "://example.com", "https:/example.com", "/path"])
  func noScheme(url: String) {
    #expect(throws: KeychainError.request(.unusableURL(.noScheme))) { try RevealedRequest("url=\(url)") }
  }

  @Test(
    "a line break in any part is refused, however it is written",
    arguments: [
      "https://example.com%0ahost=victim", "https://example.com/%0A", "https://a%0ab@example.com",
      "https://a:%0d@example.com",
      "https://example.com/a\rb", "ht%0atps://example.com", "https://example.com/%0d%0a",
    ])
  func lineBreaks(url: String) {
    #expect(throws: KeychainError.request(.unusableURL(.lineBreak))) { try RevealedRequest("url=\(url)") }
  }

  @Test(
    "an escape that is none is refused",
    arguments: [
      "https://example.com/%", "https://example.com/%4", "https://example.com/%zz", "https://example.com/%4g",
      "https://example.com/%00", "https://a%@example.com",
    ])
  func badEscapes(url: String) {
    #expect(throws: KeychainError.request(.unusableURL(.badEscape))) { try RevealedRequest("url=\(url)") }
  }

  @Test(
    "a host that is none is refused",
    arguments: [
      "https://example.com:0", "https://example.com:99999", "https://::1", "https://[::1", "https://a:b@c:d",
      "https://:80",
    ])
  func badHosts(url: String) {
    #expect(throws: KeychainError.request(.unusableURL(.badHost))) { try RevealedRequest("url=\(url)") }
  }

  @Test("a person may leave the scheme out")
  func assumedScheme() throws {
    func server(_ url: String) throws -> [ByteString?] {
      try Secret(url).withUnsafeBytes { (bytes) throws(KeychainError) in
        let url = try CredentialURL(parsing: bytes, assuming: "https")
        return [url.protocol, url.host, url.account, url.path]
      }
    }
    try expect(server("example.com"), is: ["https", "example.com", nil, nil])
    try expect(server("alice@example.com:8443/acme/"), is: ["https", "example.com:8443", "alice", "acme"])
    try expect(server("ssh://example.com"), is: ["ssh", "example.com", nil, nil])
  }
}
