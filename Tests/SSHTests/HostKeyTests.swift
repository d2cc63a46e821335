import Bytes
import Expectations
import Testing

@testable import ForwardProgram
@testable import Forwarding

@Suite("host keys") struct HostKeyTests {
  private let cryptography = GcryptCryptography()

  private func bind(
    _ key: [UInt8], _ session: [UInt8], _ signature: [UInt8]
  ) throws -> SessionBind {
    var contents: [UInt8] = []
    for field in [key, session, signature] { contents.append(wireString: field) }
    return try (contents + [1]).lendingBytes { (bytes) throws(WireError) in try SessionBind(parsing: bytes) }
  }

  @Test(
    "a signature of each kind proves its key, and no other",
    arguments: OpenSSHSamples.names("signatures").filter { $0 != "rsa-sha1" })
  func signature(name: String) throws {
    let (key, message, signature) = try OpenSSHSamples.signature(name)
    let host = try #require(try bind(key, message, signature).verifiedHostKey(cryptography))
    expect(host.plain, is: key)
    expect(host.certificate, is: nil)
    expect(host.key.encoded, is: key)
    for other in OpenSSHSamples.names("keys") where try OpenSSHSamples.key(other) != key {
      try expect(bind(OpenSSHSamples.key(other), message, signature).verifiedHostKey(cryptography), is: nil)
    }
  }

  @Test(
    "a signature proves nothing if a bit of it, of the session or of the key differs",
    arguments: OpenSSHSamples.names("signatures"))
  func alteredSignature(name: String) throws {
    let (key, message, signature) = try OpenSSHSamples.signature(name)
    for bit in [0, 7] {
      for position in stride(from: 0, to: message.count, by: 7) {
        var altered = message
        altered[position] ^= 1 << bit
        try expect(bind(key, altered, signature).verifiedHostKey(cryptography), is: nil)
      }
      for position in signature.indices {
        var altered = signature
        altered[position] ^= 1 << bit
        try expect(bind(key, message, altered).verifiedHostKey(cryptography), is: nil, "\(position)")
      }
      for position in key.indices {
        var altered = key
        altered[position] ^= 1 << bit
        try expect(bind(altered, message, signature).verifiedHostKey(cryptography), is: nil, "\(position)")
      }
    }
  }

  @Test("a signature with SHA-1 proves nothing")
  func sha1() throws {
    let (key, message, signature) = try OpenSSHSamples.signature("rsa-sha1")
    try expect(bind(key, message, signature).verifiedHostKey(cryptography), is: nil)
  }

  @Test("the key inside a certificate is the one that signs", arguments: OpenSSHSamples.names("signatures"))
  func certificateBind(name: String) throws {
    if name == "rsa-sha1" { return }
    let (key, message, signature) = try OpenSSHSamples.signature(name)
    let certificate = try OpenSSHSamples.certificate(name.hasPrefix("rsa") ? "rsa" : name)
    let host = try #require(try bind(certificate, message, signature).verifiedHostKey(cryptography))
    expect(host.encoded, is: certificate)
    expect(host.plain, is: key)
    expect(host.certificate?.isForHost, is: true)
  }

  @Test("a fingerprint is the one that ssh-keygen prints")
  func fingerprint() throws {
    let key = try HostKey(parsing: try OpenSSHSamples.key("ed25519"))
    let certificate = try HostKey(parsing: try OpenSSHSamples.certificate("ed25519"))
    expect(key.fingerprint(cryptography), is: certificate.fingerprint(cryptography))
    expect(key.fingerprint(cryptography).wholeMatch(of: /SHA256:[A-Za-z0-9+\/]{43}/) != nil)
  }

  @Test("hashes are those of the standards' own examples")
  func hashes() {
    // FIPS 180-2, appendix B.1, and RFC 2202, section 3, test case 2.
    expect(
      hexadecimal(cryptography.sha256(Array("abc".utf8))),
      is: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    expect(
      hexadecimal(
        cryptography.hmacSHA1(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))),
      is: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
  }

  @Test("security keys' and unknown types are not accepted")
  func unsupported() {
    for type in ["sk-ssh-ed25519@openssh.com", "ssh-dss", "ssh-mldsa44-ed25519@openssh.com", ""] {
      var key: [UInt8] = []
      key.append(wireString: Array(type.utf8))
      key.append(wireString: [UInt8](repeating: 1, count: 32))
      #expect(throws: HostKeyError.unsupported) { try HostKey(parsing: key) }
    }
  }
}
