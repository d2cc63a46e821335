import Bytes
import Expectations
import Testing

@testable import ForwardProgram
@testable import Forwarding

@Suite("who speaks on a connection") struct ConnectionTrustTests {
  private let cryptography = GcryptCryptography()

  /// A bind: the session that the host has signed, and whether the connection is forwarded to it.
  private struct Bind {
    let name: String
    var isForwarding = true
    var signature: String?
    var key: String?

    func contents() throws -> [UInt8] {
      var contents: [UInt8] = []
      contents.append(wireString: try OpenSSHSamples.signature(key ?? name, in: "sessions").key)
      contents.append(wireString: try OpenSSHSamples.signature(name, in: "sessions").message)
      contents.append(wireString: try OpenSSHSamples.signature(signature ?? name, in: "sessions").signature)
      return contents + [isForwarding ? 1 : 0]
    }
  }

  private func trust(_ binds: [Bind]) throws -> ConnectionTrust {
    var trust = ConnectionTrust()
    for bind in binds { try bind.contents().withUnsafeBytes { _ = trust.take($0, cryptography) } }
    return trust
  }

  private func hosts(_ binds: [Bind]) throws -> Result<[[UInt8]], ConnectionTrust.Doubt> {
    let trust = try trust(binds)
    return Result { () throws(ConnectionTrust.Doubt) in try trust.hosts().map(\.encoded) }
  }

  private func key(_ name: String) throws -> [UInt8] {
    try OpenSSHSamples.signature(name, in: "sessions").key
  }

  @Test("no bind, nobody")
  func unbound() throws {
    try expect(hosts([]), is: .failure(.unbound))
    try expect(!trust([]).isForwarded)
  }

  @Test("each host on the way is named, the nearest first")
  func hops() throws {
    try expect(hosts([Bind(name: "a0")]), is: .success([key("a0")]))
    try expect(hosts([Bind(name: "a0"), Bind(name: "b1")]), is: .success([key("a0"), key("b1")]))
    try expect(hosts([Bind(name: "c0")]), is: .success([key("c0")]))
    try expect(trust([Bind(name: "a0")]).isForwarded)
  }

  @Test("a bad bind condemns its connection, and a good one after it changes nothing")
  func badBind() throws {
    for bad in [
      Bind(name: "a0", signature: "a1"), Bind(name: "a0", key: "b1"), Bind(name: "b1", signature: "a1"),
    ] {
      try expect(hosts([bad]), is: .failure(.badBind))
      try expect(hosts([bad, Bind(name: "a2")]), is: .failure(.badBind))
      try expect(hosts([Bind(name: "a2"), bad]), is: .failure(.badBind))
    }
    var trust = ConnectionTrust()
    for contents: [UInt8] in [[], [0, 0, 0, 9]] {
      trust = ConnectionTrust()
      expect(!contents.withUnsafeBytes { trust.take($0, cryptography) })
      #expect(throws: ConnectionTrust.Doubt.badBind) { try trust.hosts() }
    }
  }

  @Test("where the connection logs in, nothing is forwarded, though it stays known that it was")
  func ends() throws {
    try expect(hosts([Bind(name: "a0", isForwarding: false)]), is: .failure(.login))
    let onward = try trust([Bind(name: "a0"), Bind(name: "b1", isForwarding: false)])
    #expect(throws: ConnectionTrust.Doubt.login) { try onward.hosts() }
    expect(onward.isForwarded)
    try expect(hosts([Bind(name: "a0", isForwarding: false), Bind(name: "b1")]), is: .failure(.bindAfterEnd))
  }

  @Test("the same bind again is no other host; the same session with another key condemns")
  func again() throws {
    try expect(hosts([Bind(name: "a0"), Bind(name: "a0")]), is: .success([key("a0")]))
    try expect(hosts([Bind(name: "a0"), Bind(name: "b0")]), is: .failure(.otherKey))
    try expect(hosts([Bind(name: "a0"), Bind(name: "b0"), Bind(name: "a0")]), is: .failure(.otherKey))
  }

  @Test("the same session can't be said to be forwarded after it was said not to be")
  func flipped() throws {
    try expect(
      hosts([Bind(name: "a0", isForwarding: false), Bind(name: "a0", isForwarding: true)]),
      is: .failure(.login))
    try expect(
      hosts([Bind(name: "a0", isForwarding: true), Bind(name: "a0", isForwarding: false)]),
      is: .failure(.login))
  }

  @Test("sixteen binds are taken, and the seventeenth condemns")
  func tooMany() throws {
    let binds = (0..<17).map { Bind(name: "a\($0)") }
    try expect(hosts(Array(binds.prefix(16))).get().count, is: 16)
    try expect(hosts(binds), is: .failure(.tooManyBinds))
  }
}
