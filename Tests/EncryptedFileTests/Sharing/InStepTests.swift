import Expectations
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("Members of a shared vault who are in step", .timeLimit(.minutes(60)))
struct InStepTests {
  private let clock = SettableClock()
  private let shared = SharedPlace()
  private let members: [SharingMember]

  init() throws {
    members = [clock, clock, clock].map { SharingMember($0.read) }
    try shared.share(with: members)
  }

  private func sync(rounds: Int) throws {
    for _ in 0..<rounds {
      for member in members {
        clock.advance(seconds: 1)
        try member.sync(shared)
      }
    }
  }

  private func files() throws -> [[UInt8]] { try members.map { try contents(of: $0.place.vault) } }

  private func item(_ account: String, of member: SharingMember) throws -> Item {
    try #require(try member.keychain().items(matching: .internet(account: ByteString(account))).first)
  }

  /// Expects that more exchanges change nothing, and that every member has each secret and no record twice.
  private func expectInStep(with secrets: Set<String>) throws {
    let before = (try files(), shared.count)
    try sync(rounds: 2)
    try expect(files() == before.0 && shared.count == before.1, "something is written for nothing")
    for member in members {
      let kept = try member.everySecret()
      expect(kept.repeated, is: 0)
      expect(kept.secrets.isSuperset(of: secrets), "lost: \(secrets.subtracting(kept.secrets))")
    }
  }

  @Test("have what a name had before it was used again, however often others change something")
  func nameUsedAgain() throws {
    let (one, two) = (members[0], members[1])
    try one.keychain().add(.internet(account: "x"), .text("first"))
    try sync(rounds: 2)
    try one.keychain().delete([try item("x", of: one)])
    try sync(rounds: 2)
    try one.keychain().add(.internet(account: "x"), .text("second"))
    try sync(rounds: 2)
    try two.keychain().update(try item("x", of: two), .text("third"))
    try sync(rounds: 2)
    var renamed = try item("x", of: two)
    renamed.key = Item.internet(account: "r").key
    try two.keychain().update(renamed)
    try sync(rounds: 2)
    try one.keychain().add(.internet(account: "x"), .text("fourth"))
    try sync(rounds: 2)
    try two.keychain().delete([try item("x", of: two)])
    for number in 0..<24 {
      try members[number % 3].keychain().add(.internet(account: ByteString("n\(number)")), .text("x"))
      try sync(rounds: 1)
    }
    try sync(rounds: 3)
    try expectInStep(with: ["first", "second", "third", "fourth"])
  }

  @Test("have a replaced secret, however often only the comment was changed since")
  func comments() throws {
    try members[0].keychain().add(.internet(account: "x"), .text("first"))
    try members[0].keychain().update(try item("x", of: members[0]), .text("second"))
    try sync(rounds: 1)
    for number in 0..<25 {
      var changed = try item("x", of: members[0])
      changed.comment = ByteString("\(number)")
      try members[0].keychain().update(changed)
      try sync(rounds: 1)
    }
    try sync(rounds: 2)
    try expectInStep(with: ["first", "second"])
  }

  @Test(
    "write nothing, and have lost nothing, whatever they did before", arguments: 1...(isLongForm ? 12 : 2))
  func anything(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var secrets: Set<String> = []
    for number in 0..<50 {
      clock.advance(seconds: 1)
      if let secret = try act(random.pick(members), &random, number) { secrets.insert(secret) }
    }
    try sync(rounds: 5)
    try expectInStep(with: secrets)
  }

  /// Has a member change an item, or bring the vault in step. Returns the secret that was stored.
  private func act(
    _ member: SharingMember, _ random: inout SeededGenerator, _ number: Int
  ) throws -> String? {
    let keychain = member.keychain()
    let items = try keychain.items(matching: .all).sorted { $0.name < $1.name }
    let free = ["a", "b", "c", "d", "e"].filter { name in
      !items.contains { $0.key.account == ByteString(name) }
    }
    let secret = "secret\(number)"
    switch random.number(in: 0..<10) {
    case 0..<2 where !free.isEmpty:
      try keychain.add(.internet(account: ByteString(random.pick(free))), .text(secret))
      return secret
    case 2..<4 where !items.isEmpty:
      try keychain.update(random.pick(items), .text(secret))
      return secret
    case 4 where !items.isEmpty:
      var changed = random.pick(items)
      changed.comment = ByteString("comment\(number)")
      try keychain.update(changed)
    case 5 where !items.isEmpty && !free.isEmpty:
      var changed = random.pick(items)
      changed.key = Item.internet(account: ByteString(random.pick(free))).key
      try keychain.update(changed)
    case 6 where !items.isEmpty: try keychain.delete([random.pick(items)])
    default: try member.sync(shared)
    }
    return nil
  }
}

extension SharingMember {
  /// The secrets of all records, and how many records are out of use a second time.
  fileprivate func everySecret() throws -> (secrets: Set<String>, repeated: Int) {
    var secrets: Set<String> = []
    var repeated = 0
    try keychain().withLines(beginning: []) { (lines, _) throws(KeychainError) in
      let first = lines.inUse.upperBound
      for index in 0..<lines.count {
        if index > first, lines.haveSameRecord(index - 1, index) { repeated += 1 }
        if index >= first, try !lines.retiredRecord(at: index, path: "").hasSecret { continue }
        let credential = try lines.credential(at: index, path: "")
        secrets.insert(String(decoding: credential.secret.revealed, as: UTF8.self))
      }
    }
    return (secrets, repeated)
  }
}
