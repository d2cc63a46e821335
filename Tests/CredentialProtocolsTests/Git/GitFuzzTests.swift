import CredentialProtocols
import Expectations
import Keychain
import TestSupport
import Testing

@Suite("requests at random") struct GitFuzzTests {
  private static let servers: [ByteString] = [
    "example.com", "victim.example.com", "example.com.evil", "example.co", "::1", "localhost",
  ]

  private static let seeds = [
    ["protocol=https", "host=example.com", "username=alice", "password=example.com"],
    [
      "capability[]=authtype", "capability[]=state", "protocol=https", "host=victim.example.com:443",
      "path=a/b",
    ],
    ["url=https://alice:x@example.com:443/acme/app.git"],
    ["url=https://[::1]/", "wwwauth[]=Basic realm=\"host=localhost\""],
    [
      "protocol=https", "host=[::1]:443", "state[]=llavero:1", "password_expiry_utc=4000000000",
      "ephemeral=0",
    ],
  ].map(joined)

  private static let dictionary =
    [
      "\n", "\r", "\r\n", "\0", "=", "host=", "host=localhost", "\nhost=victim.example.com\n",
      "protocol=https\n", "url=",
      "https://", "%0a", "%0d", "%00", "%2e", "@", ":", ":443", "[", "]", "/", "?", "#", "victim.", "\u{e9}",
      "  ",
    ].map { Array($0.utf8) } + [[0xff], [0xc3]]

  private func conversation() throws -> Conversation {
    let git = Conversation()
    for server in Self.servers { try git.keychain.add(.internet(server, account: "alice"), "\(server)") }
    return git
  }

  /// The host that a simple reader would see: that of the last line that names one.
  private func namedHost(_ text: [UInt8]) -> [UInt8] {
    for line in text.split(separator: 0x0a).reversed() {
      if line.starts(with: "host=".utf8) { return ByteString(Array(line.dropFirst(5))).lowercased.bytes }
      if line.starts(with: "url=".utf8) {
        return ByteString(percentDecoded(Array(line.dropFirst(4)))).lowercased.bytes
      }
    }
    return []
  }

  /// The bytes of a URL, in which two hexadecimal digits follow each '%', since any other is refused.
  private func percentDecoded(_ bytes: [UInt8]) -> [UInt8] {
    let parts = bytes.split(separator: 0x25, omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(Array(parts[0])) { decoded, part in
      let byte = UInt8(String(decoding: part.prefix(2), as: UTF8.self), radix: 16) ?? 0x25
      return decoded + [byte] + part.dropFirst(2)
    }
  }

  @Test(
    "no request crashes, and none is answered for another host than it names",
    arguments: 1...4 as ClosedRange<UInt64>)
  func get(seed: UInt64) throws {
    var generator = SeededGenerator(seed: 70 + seed)
    let git = try conversation()
    var answered = 0
    for _ in 0..<rounds(5000) {
      let text = generator.mutated(generator.pick(Self.seeds), dictionary: Self.dictionary)
      guard let reply = try? git.perform(.get, text), !reply.isEmpty else { continue }
      answered += 1
      let password = try #require(reply.split(separator: "\n").first { $0.hasPrefix("password=") })
      let server = ByteString(password.dropFirst("password=".count))
      let request = try RevealedRequest(parsing: text)
      // With a final dot, the same server is named more exactly.
      expect(request.server?.lowercased == server || request.server?.lowercased == ByteString("\(server)."))
      expect(request.protocol?.lowercased, is: "https")
      expect(request.port ?? 443, is: 443)
      expect(request.username == nil || request.username == "alice")
      let named = namedHost(text)
      let spellings = ["", ":", ":443", ".", ".:", ".:443"].flatMap { port in
        ["\(server)\(port)", "[\(server)]\(port)"].map { Array($0.utf8) }
      }
      expect(
        spellings.contains(named) || named.starts(with: "https://".utf8) && contains(named, server.bytes),
        "\(String(decoding: text, as: UTF8.self))")
    }
    expect(answered > rounds(300))
  }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    (0...max(0, bytes.count - part.count)).contains { bytes[$0...].starts(with: part) }
  }

  @Test(
    "no erase removes an item of another host, or one with another password",
    arguments: 1...2 as ClosedRange<UInt64>)
  func erase(seed: UInt64) throws {
    var generator = SeededGenerator(seed: 80 + seed)
    for _ in 0..<rounds(2000) {
      let git = try conversation()
      let text = generator.mutated(generator.pick(Self.seeds), dictionary: Self.dictionary)
      let before = Set(try git.keychain.everything())
      guard (try? git.perform(.erase, text)) != nil else {
        expect(Set(try git.keychain.everything()), is: before)
        continue
      }
      let request = try RevealedRequest(parsing: text)
      for gone in before.subtracting(try git.keychain.everything()) {
        expect(request.server?.lowercased, is: gone.credential.secret)
        expect(request.password == nil || request.password == gone.credential.secret)
      }
    }
  }

  @Test("no store touches an item of another host or account", arguments: 1...2 as ClosedRange<UInt64>)
  func store(seed: UInt64) throws {
    var generator = SeededGenerator(seed: 90 + seed)
    for _ in 0..<rounds(2000) {
      let git = try conversation()
      let text = generator.mutated(generator.pick(Self.seeds), dictionary: Self.dictionary)
      let before = Set(try git.keychain.everything())
      let result = try? git.perform(.store, text)
      let after = Set(try git.keychain.everything())
      if result == nil {
        expect(after, is: before)
        continue
      }
      let request = try RevealedRequest(parsing: text)
      for gone in before.subtracting(after) {
        expect(gone.item.key.account, is: request.username)
        guard case .internetPassword(let key) = gone.item.key else { continue }
        expect(key.server, is: request.server?.lowercased)
      }
      for new in after.subtracting(before) {
        expect(new.credential.secret, is: request.password)
        #expect(throws: Never.self) { try new.item.validate() }
      }
    }
  }
}
