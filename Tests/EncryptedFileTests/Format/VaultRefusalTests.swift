import Age
import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("Vaults that are not trusted")
struct VaultRefusalTests {
  /// Expects a fitting error from reading, asking and writing, and no changes.
  private func expectRefusal(
    at place: Place, reading: Bool = true, sourceLocation: SourceLocation = #_sourceLocation,
    where isFitting: (KeychainError) -> Bool
  ) throws {
    let before = try place.everything()
    func check(_ error: KeychainError?) {
      #expect(
        error.map(isFitting) ?? false, "\(error.map { "\($0)" } ?? "no error")",
        sourceLocation: sourceLocation)
    }
    if reading {
      check(failure { try place.keychain().servers() })
      check(failure { try place.keychain().items(matching: query("a.example")) })
    }
    check(failure { try place.keychain().add(servers: ["d.example"]) })
    #expect(try place.everything() == before, sourceLocation: sourceLocation)
  }

  private func place(_ change: (inout HandMadeVault) throws -> Void) throws -> Place {
    let place = Place()
    var vault = try HandMadeVault()
    try change(&vault)
    try vault.install(at: place)
    return place
  }

  @Test("a vault made by hand in the documented form is read and written")
  func control() throws {
    let place = try place { _ in }
    try expect(place.keychain().servers(), is: ["a.example", "b.example", "c.example"])
    let keychain = place.keychain()
    let found = try keychain.items(matching: query("b.example"))
    try expect(keychain.secret(of: found[0]), is: "secret-b.example")
    try keychain.add(servers: ["d.example"])
    try expect(place.keychain().summary()?.contents?.generation, is: 8)
  }

  @Test("a vault that only a newer version may write is read all the same")
  func newerWriter() throws {
    let place = try place { $0.head = [("v", "4"), ("min_writer", "3")] }
    // The first read records the generation seen.
    try expect(place.keychain().servers().count, is: 3)
    try expectRefusal(at: place, reading: false) {
      if case .newerFormat(place.vault, _) = $0 { true } else { false }
    }
    try expect(place.keychain().servers().count, is: 3)
  }

  /// A change that makes a vault nobody trusts, and the error if it isn't that the vault is damaged.
  struct Forgery: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let version: Int?
    let change: @Sendable (inout HandMadeVault) throws -> Void

    init(
      _ name: String, version: Int? = nil, _ change: @escaping @Sendable (inout HandMadeVault) throws -> Void
    ) {
      (testDescription, self.version, self.change) = (name, version, change)
    }

    /// With these stanzas beside the wrapped key.
    static func stanzas(
      _ name: String, version: Int? = nil, _ stanzas: @escaping @Sendable (HandMadeVault) throws -> [Stanza]
    ) -> Forgery {
      Forgery(name, version: version) { $0.stanzas = try stanzas($0) }
    }

    /// With another first line.
    static func head(_ members: (String, String?)...) -> Forgery {
      Forgery("\(members)") { $0.head = members.map { (name: $0.0, value: $0.1) } }
    }
  }

  static let stanzas =
    ["2", "10", "99999999999999999999"].map { version in
      Forgery.stanzas("version \(version)", version: Int(version) ?? .max) {
        [try Stanza(type: "llavero/vault", arguments: [version, $0.uuid])]
      }
    }
    + [[], ["llavero/other"], ["example.com/vault"]].map { types in
      .stanzas("\(types)") { _ in try types.map { try Stanza(type: $0, arguments: ["1", "x"]) } }
    }
    + [
      [], ["x"], ["12345678-9ABC-4def-8123-456789abcdef"], ["../../../../../../../../../../../../../"],
      ["00000000-0000-4000-8000-000000000000"],
    ].map { name in
      .stanzas("named \(name)") { _ in [try Stanza(type: "llavero/vault", arguments: ["1"] + name)] }
    }
    + ["../x", "a/b", ".", "A", String(repeating: "a", count: 65)].map { id in
      .stanzas("slot \(id)") {
        [try $0.vaultStanza(), try Stanza(type: "llavero/slot", arguments: ["1", id, "passphrase"])]
      }
    }
    + [
      .stanzas("a second recipient of another kind") {
        [try $0.vaultStanza(), try Stanza(type: "ssh-ed25519", arguments: ["x", "y"], body: [1])]
      },
      Forgery("a second recipient") { $0.recipients = [X25519Identity().recipient] },
      Forgery("encrypted by somebody who knows only its recipient") { $0.writer = X25519Identity() },
      Forgery("without any line") { ($0.records, $0.firstLine, $0.padding) = ([], [], []) },
      // It never hides the other records.
      Forgery("fewer bytes than there are records") {
        $0.head = [("bytes", String($0.records[0].count + 1))]
      },
      Forgery("fewer bytes and records") {
        $0.head = [("bytes", String($0.records[0].count + 1)), ("n", "1")]
      },
    ]

  static let heads: [Forgery] =
    [
      ("gen", "8"), ("prev", "\"\""),
      ("auth", "\"\(HandMadeVault.base64([UInt8](repeating: 1, count: 32)))\""),
      ("uuid", #""00000000-9abc-4def-8123-456789abcdef""#), ("gen", nil), ("prev", nil), ("auth", nil),
      ("uuid", nil),
      ("v", nil), ("v", "0"), ("v", "-1"), ("v", "\"1\""), ("v", "1.5"), ("v", "99999999999999999999"),
      ("gen", "\"7\""), ("n", nil), ("n", "-1"), ("n", "2"), ("n", "4"), ("n", "1e9"),
      ("n", "9223372036854775807"),
      ("bytes", nil), ("bytes", "-1"), ("bytes", "0"), ("bytes", "1"), ("bytes", "75497473"),
      ("bytes", "75497472"),
      ("bytes", "9223372036854775807"), ("bytes", "4096"), ("app", "\"other\""), ("app", "1"),
      ("written", "\"yesterday\""), ("prev", "\"*\""), ("index", "7"),
    ].map { .head(($0.0, $0.1)) }
    + ["", "{", "[]", "null", "{}x", "{\"app\"}", "\u{0}", "{}{}"].map { line in
      Forgery("line \(line)") { $0.firstLine = Array(line.utf8) }
    } + [Forgery("for a newer reader", version: 4) { $0.head = [("v", "4"), ("min_reader", "3")] }]

  @Test("a vault that nobody who has its key has made so, or a newer version", arguments: stanzas + heads)
  func forged(forgery: Forgery) throws {
    let place = try place(forgery.change)
    try expectRefusal(at: place) { error in
      forgery.version.map { error == .newerFormat(path: place.vault, version: $0) } ?? error.isDamage
    }
  }

  @Test("a vault whose stanza is of no version at all", arguments: ["0", "-1", "one", "01", "1.0"])
  func strangeStanza(version: String) throws {
    let place = try place { $0.stanzas = [try Stanza(type: "llavero/vault", arguments: [version, $0.uuid])] }
    try expectRefusal(at: place) { _ in true }
  }

  @Test(
    "a file that is not an age file",
    arguments: ["", "x", "age-encryption.org/v", "age-encryption.org/v2\n-> X25519 x\n", "{}\n"])
  func noAgeFile(text: String) throws {
    let place = try place { _ in }
    try put(Array(text.utf8), into: place.vault)
    try expectRefusal(at: place, where: \.isDamage)
  }

  @Test("a first line put upon another payload")
  func replayedLine() throws {
    let place = try place { _ in }
    let line = lines(try place.plaintext())[0]
    var vault = try HandMadeVault()
    vault.identity = try place.identity()
    vault.firstLine = Array(line)
    try put(try vault.file(), into: place.vault)
    try expectRefusal(at: place, where: \.isDamage)
  }

  // Only the vault's own identity could have written it, so this is not an attack; but a crash helps nobody.
  @Test("a generation that can't be counted on from is refused, not a crash", .aheadOfOthers)
  func strangeGeneration() async {
    await #expect(processExitsWith: .success) { try VaultRefusalTests.expectRefusal(ofGeneration: .max) }
    await #expect(processExitsWith: .success) { try VaultRefusalTests.expectRefusal(ofGeneration: -1) }
    await #expect(processExitsWith: .success) { try VaultRefusalTests.expectRefusal(ofGeneration: .min) }
  }

  private static func expectRefusal(ofGeneration generation: Int64) throws {
    let place = try VaultRefusalTests().place { $0.generation = generation }
    expect(failure { try place.keychain().add(servers: ["d.example"]) } != nil)
  }

  /// An attacker can't make this, but a bug could: it must not lead to a wrong or an empty answer.
  @Test("records whose key isn't that of their attributes")
  func wrongKey() throws {
    let place = try place { vault in
      let replaced = text(vault.records[1]).replacing("internet b.example", with: "internet bb.example")
      vault.records[1] = Array(replaced.utf8)
    }
    expect(failure { try place.keychain().servers() }?.isDamage, is: true)
    expect(failure { try place.keychain().items(matching: query("bb.example")) }?.isDamage, is: true)
  }

  @Test(
    "records out of order are never searched as if they were sorted",
    arguments: [[2, 0, 1], [1, 0, 2], [2, 1, 0], [0, 2, 1]])
  func unsorted(order: [Int]) throws {
    let place = try place { vault in vault.records = order.map { [records = vault.records] in records[$0] } }
    for server in ["a.example", "b.example", "c.example"] {
      let keychain = place.keychain()
      do {
        try expect(keychain.items(matching: query(server)).count, is: 1, "\(server) is silently missing")
      } catch { expect((error as? KeychainError)?.isDamage, is: true) }
    }
    let before = try place.everything()
    expect(failure { try place.keychain().add(servers: ["d.example"]) }?.isDamage, is: true)
    try expect(place.everything(), is: before)
  }

  @Test("several records of one key are all found")
  func duplicateKeys() throws {
    let place = try place { vault in
      vault.records = try ["b", "a", "c"].map { try HandMadeVault.record(item("a.example"), secret: $0) }
        .sorted {
          $0.lexicographicallyPrecedes($1)
        }
    }
    let keychain = place.keychain()
    let found = try keychain.items(matching: query("a.example"))
    expect(Set(try found.map { try keychain.secret(of: $0) }), is: ["a", "b", "c"])
    try expect(keychain.delete(found), is: 3)
  }

  @Test(
    "a record that is none",
    arguments: [
      "{}", "{", "x", "[]", "{\"k\":\"internet b.example https 443    \"}", "{\"k\":1}", " ",
      "{\"k\":\"internet b.example https 443    \",\"id\":\"x\",\"class\":\"internet\",\"protocol\":\"https\",\"server\":\"b.example\",\"port\":70000}",
    ])
  func badRecord(line: String) throws {
    let place = try place { $0.records[1] = Array(line.utf8) }
    expect(failure { try place.keychain().servers() }?.isDamage, is: true)
  }

  @Test("a record without a secret is found, but its secret is damaged and not empty")
  func noSecret() throws {
    let place = try place { vault in
      let without = text(vault.records[1]).replacing(#","secret":"secret-b.example""#, with: "")
      vault.records[1] = Array(without.utf8)
    }
    let keychain = place.keychain()
    let found = try keychain.items(matching: query("b.example"))
    expect(found.count, is: 1)
    expect(failure { try keychain.credential(of: found[0]) }?.isDamage, is: true)
  }

  @Test("an item that is damaged can't be changed by accident, and doesn't keep others from being read")
  func oneDamagedRecord() throws {
    let place = try place { $0.records[1] = Array(text($0.records[1]).dropLast().utf8) }
    try expect(place.keychain().items(matching: query("a.example")).count, is: 1)
    expect(failure { try place.keychain().items(matching: query("b.example")) }?.isDamage, is: true)
    expect(
      failure { try place.keychain().add(item("b.example"), Credential(password: "")) }?.isDamage, is: true)
  }
}
