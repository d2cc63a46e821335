import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

/// A host as written, and its parts, which are `nil` if it can't be understood.
struct HostRow: Sendable, CustomTestStringConvertible {
  let written: String
  let server: ByteString?
  let port: UInt16?
  var testDescription: String { written }

  init(_ written: String, _ server: ByteString?, _ port: UInt16? = nil) {
    self.written = written
    self.server = server
    self.port = port
  }

  static let good = [
    HostRow("example.com", "example.com"), HostRow("example.com:8443", "example.com", 8443),
    HostRow("example.com:", "example.com"), HostRow("example.com:1", "example.com", 1),
    HostRow("example.com:65535", "example.com", 65535), HostRow("example.com:00443", "example.com", 443),
    HostRow("EXAMPLE.com", "EXAMPLE.com"), HostRow("", ""), HostRow("127.0.0.1:80", "127.0.0.1", 80),
    HostRow("[::1]", "::1"), HostRow("[::1]:8080", "::1", 8080), HostRow("[::1]:", "::1"),
    HostRow("[fe80::1%eth0]:22", "fe80::1%eth0", 22), HostRow("münchen.example", "münchen.example"),
  ]

  static let bad = [
    "example.com:0", "example.com:65536", "example.com:65537", "example.com:99999999999999999999",
    "example.com:-1",
    "example.com:+80", "example.com: 80", "example.com:80 ", "example.com:abc", "example.com:80:90",
    "example.com:0x50",
    "::1", "::1:80", "fe80::1", ":80", ":", "[]", "[]:80", "[", "[::1", "::1]", "[::1]80", "[::1]x", "[::1]]",
    "[[::1]]",
    "[::1]:abc", "exam]ple", "exam[ple]", "a[::1]", "example.com:１",
  ]
}

@Suite("host and port") struct HostAndPortTests {
  @Test("hosts are taken apart", arguments: HostRow.good)
  func good(row: HostRow) throws {
    let parsed = try #require(HostAndPort(parsing: ByteString(row.written)))
    expect(parsed.server, is: row.server)
    expect(parsed.port, is: row.port)
    let request = try RevealedRequest("host=\(row.written)")
    expect(request.server, is: row.server)
    expect(request.port, is: row.port)
  }

  @Test("other hosts are refused", arguments: HostRow.bad)
  func bad(host: String) {
    expect(HostAndPort(parsing: ByteString(host)), is: nil)
    #expect(throws: KeychainError.request(.unusableValue(key: "host"))) {
      try RevealedRequest("host=\(host)")
    }
  }

  @Test(
    "brackets are for IPv6 addresses, so that a name has only one spelling",
    arguments: ["[example.com]", "[a]:80"])
  func bracketedName(host: String) {
    expect(HostAndPort(parsing: ByteString(host)), is: nil)
  }
}
