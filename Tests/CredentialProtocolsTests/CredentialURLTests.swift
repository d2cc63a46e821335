import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

/// URLs, and the lines that say the same.
private let meanings = """
  https://example.com -> protocol=https, host=example.com
  https://example.com/ -> protocol=https, host=example.com
  https://example.com/// -> protocol=https, host=example.com
  https://example.com:8443 -> protocol=https, host=example.com:8443
  https://example.com:/a -> protocol=https, host=example.com, path=a
  https://example.com/acme/app.git -> protocol=https, host=example.com, path=acme/app.git
  https://example.com//acme// -> protocol=https, host=example.com, path=acme
  https://example.com/a//b -> protocol=https, host=example.com, path=a//b
  https://example.com?q -> protocol=https, host=example.com, path=?q
  https://example.com#f -> protocol=https, host=example.com, path=#f
  https://example.com/a?b#c -> protocol=https, host=example.com, path=a?b#c
  https://alice@example.com -> protocol=https, host=example.com, username=alice
  https://alice:secret@example.com -> protocol=https, host=example.com, username=alice, password=secret
  https://alice:@example.com -> protocol=https, host=example.com, username=alice, password=
  https://@example.com -> protocol=https, host=example.com, username=
  https://:p@example.com -> protocol=https, host=example.com, username=, password=p
  https://a:b:c@example.com -> protocol=https, host=example.com, username=a, password=b:c
  https://al%40ice:s%2F%3a@example.com/a%20b -> protocol=https, host=example.com, path=a b, username=al@ice, password=s/:
  https://example.com/a@b -> protocol=https, host=example.com, path=a@b
  https://example.com/a:b@c -> protocol=https, host=example.com, path=a:b@c
  https://[::1] -> protocol=https, host=[::1]
  https://alice@[::1]:8080/x -> protocol=https, host=[::1]:8080, path=x, username=alice
  cert:///home/ann/key.pem -> protocol=cert, host=, path=home/ann/key.pem
  https:///path -> protocol=https, host=, path=path
  https:// -> protocol=https, host=
  https://example.com/a%2Fb -> protocol=https, host=example.com, path=a/b
  https://ex%61mple.com -> protocol=https, host=example.com
  """

@Suite("url") struct CredentialURLTests {
  @Test("a URL stands for its parts", arguments: meanings.split(separator: "\n"))
  func parts(row: Substring) throws {
    let arrow = try #require(row.firstRange(of: " -> "))
    let lines = row[arrow.upperBound...].replacing(", ", with: "\n") + "\n"
    try expect(
      RevealedRequest("url=\(row[..<arrow.lowerBound])"), is: RevealedRequest(parsing: Array(lines.utf8)))
  }

  @Test("an escape may be a byte that is no text")
  func noText() throws {
    try expect(
      RevealedRequest("url=https://example.com/%E9"),
      is: RevealedRequest(protocol: "https", server: "example.com", path: attribute([0xe9])))
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
