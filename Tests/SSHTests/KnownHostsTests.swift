import Bytes
import Expectations
import Testing

@testable import ForwardProgram
@testable import Forwarding

@Suite("known hosts") struct KnownHostsTests {
  private let cryptography = GcryptCryptography()
  private let now: UInt64 = 1_800_000_000
  private let known: KnownHosts

  init() throws {
    var known = KnownHosts()
    try OpenSSHSamples.file("known_hosts").withUnsafeBytes { known.append($0) }
    self.known = known
  }

  private func identifies(_ host: HostName, _ key: [UInt8]) throws -> Bool {
    known.identifies(host, by: try HostKey(parsing: key), at: now, cryptography)
  }

  private func name(_ text: String) throws -> HostName { try #require(HostName(ByteString(text))) }

  @Test(
    "a line names a host, by its name, its port, a pattern or hashed",
    arguments: [
      ("far.example", "ed25519"), ("FAR.Example", "ed25519"), ("192.0.2.1", "ed25519"),
      ("[far.example]:2222", "nistp256"), ("a.lab.example", "nistp384"), ("b.c.lab.example", "nistp384"),
      ("hashed.example", "ed25519"), ("[hashed.example]:2222", "nistp256"),
    ])
  func named(host: String, key: String) throws {
    for other in ["ed25519", "nistp256", "nistp384", "nistp521", "rsa"] {
      try expect(identifies(try name(host), try OpenSSHSamples.key(other)), is: other == key, "\(other)")
    }
  }

  @Test(
    "other names, ports and broken lines name nobody",
    arguments: [
      ("[far.example]:2223", "nistp256"), ("far.example", "nistp256"),
      ("evil.lab.example", "nistp384"), ("lab.example", "nistp384"), ("far.example", "nistp521"),
      ("broken.example", "ed25519"), ("other.example", "ed25519"), ("hashed.example", "nistp256"),
    ])
  func notNamed(host: String, key: String) throws {
    try expect(!identifies(try name(host), try OpenSSHSamples.key(key)))
  }

  @Test("a revoked key is nobody's, with a certificate too")
  func revoked() throws {
    try expect(!identifies(try name("revoked.example"), try OpenSSHSamples.key("rsa")))
    try expect(!identifies(try name("far.example"), try OpenSSHSamples.certificate("rsa")))
  }

  @Test(
    "a host's certificate is valid for its principals",
    arguments: ["nistp256", "nistp384", "nistp521", "by-rsa"])
  func certificate(certificate: String) throws {
    let key = try OpenSSHSamples.certificate(certificate)
    try expect(identifies(try name("far.example"), key))
    try expect(identifies(try name("[far.example]:2222"), key))
    try expect(identifies(try name("a.build.example"), key), is: certificate != "by-rsa")
    try expect(!identifies(try name("other.example"), key))
    try expect(!identifies(try name("far.elsewhere"), key))
  }

  @Test(
    "a certificate of a user, without principals, with critical options, of another time or authority is none",
    arguments: ["user", "expired", "early", "no-principal", "other-principal", "other-ca", "critical"])
  func unusableCertificate(certificate: String) throws {
    // Its plain key names far.example by a line of its own; a.example is for the certificate alone.
    let key = try HostKey(parsing: try OpenSSHSamples.certificate(certificate))
    var authorities = KnownHosts()
    let lines = String(decoding: try OpenSSHSamples.file("known_hosts"), as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("@cert-authority") }.joined(separator: "\n")
    Array(lines.utf8).withUnsafeBytes { authorities.append($0) }
    expect(!authorities.identifies(try name("far.example"), by: key, at: now, cryptography))
    let good = try HostKey(parsing: try OpenSSHSamples.certificate("ed25519"))
    expect(authorities.identifies(try name("far.example"), by: good, at: now, cryptography))
  }

  @Test("an altered certificate is nobody's")
  func alteredCertificate() throws {
    let certificate = try OpenSSHSamples.certificate("nistp256")
    let host = try name("far.example")
    for position in certificate.indices {
      var altered = certificate
      altered[position] ^= 1
      guard let key = try? HostKey(parsing: altered) else { continue }
      expect(!known.identifies(host, by: key, at: now, cryptography), "\(position)")
    }
  }

  @Test("a revoked authority's certificates are nobody's")
  func revokedAuthority() throws {
    var known = known
    let authority = try OpenSSHSamples.key("ca").withUnsafeBytes { Base64.encode($0, padded: true) }
    Array("@revoked * ssh-ed25519 \(authority)\n".utf8).withUnsafeBytes { known.append($0) }
    let key = try HostKey(parsing: try OpenSSHSamples.certificate("nistp256"))
    expect(!known.identifies(try name("far.example"), by: key, at: now, cryptography))
  }

  @Test("the names of a key are those that can be read")
  func plainNames() throws {
    expect(
      known.plainNames(of: try OpenSSHSamples.key("ed25519")).map(\.description),
      is: [
        "far.example", "192.0.2.1",
      ])
    expect(
      known.plainNames(of: try OpenSSHSamples.key("nistp256")).map(\.description), is: ["[far.example]:2222"])
  }

  @Test(
    "a name that would mean something else in the file is none",
    arguments: [
      "", "a,b", "a b", "*", "a?", "!a", "|1|a", "#a", "@a", "a\n", String(repeating: "a", count: 513),
    ])
  func noName(text: String) {
    expect(HostName(ByteString(text)), is: nil)
  }

  @Test("a port other than 22 is part of the name")
  func ports() {
    expect(HostName("a.example", port: 22)?.description, is: "a.example")
    expect(HostName("a.example", port: 2222)?.description, is: "[a.example]:2222")
    expect(HostName("a.example", port: 2222)?.withoutPort, is: "a.example")
  }
}
