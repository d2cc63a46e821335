import Expectations
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("What was deleted or replaced")
struct RetirementTests {
  private let place = Place()
  private let clock = SettableClock()
  private var keychain: EncryptedFileKeychain { place.keychain(clock: clock.read) }
  private static let day: Int64 = 86_400

  static let retired = [
    // All within a millisecond, so that each date is the minimum for a change.
    Scenario(
      "an older state that is brought back is later than the deletion, and no merge takes it away again",
      """
      1 adds a; later -1; 1 sets a=second; later -1; 1 deletes a; 1 undeletes a replaced; 1 writes @copy.age 1/vault
      1 merges @copy.age; 1 has a
      """),
    Scenario(
      "a deleted item answers nobody and is not counted, and comes back with its secret",
      """
      1 adds a b; 1 named a; 1 deletes a; 1 finds a = 0; 1 count = 1; 1 counted = 1; 1 retired a = a deleted; later 5
      1 undeletes a deleted; 1 named a = same; 1 changed a = now; 1 holds a = a=secret-a.example; 1 retired = 
      """),
    // The other is kept in turn.
    Scenario(
      "a secret that is replaced can be had back, and takes the place of the one that replaced it",
      """
      1 sets a=one; 1 sets a=two; 1 retired = a replaced; 1 undeletes a replaced alone ! duplicateItem
      1 undeletes a replaced; 1 holds = a=one; 1 retired = a replaced
      """),
    // A copy of each of these states comes back later.
    Scenario(
      "states that differ in their attributes alone push out no other secret",
      """
      1 sets a=first; 1 sets a=second
      \((0..<25).map { "1 writes @copy.age 1/vault; 1 comments a=\($0); 1 merges @copy.age; " }.joined())
      1 retired a = \(Array(repeating: "a merged", count: 19).joined(separator: ", ")), a replaced
      1 text "secret":"first" = "secret":"first"
      """),
    // A clock that is ahead at a single write removes nothing. At the end there is nothing to bring back.
    Scenario(
      "after 30 days the secret is gone from the file, and after 180 the mark of the deletion",
      """
      1 adds a b; 1 deletes a; later 2591999; 1 sets c; 1 text secret-a = secret-a; 1 sets d; 1 text secret-a = secret-a
      later -1; 1 sets e; 1 text secret-a old~internet~a = old~internet~a; 1 retired = ; later 12959999; 1 sets f
      1 text old~internet~a = old~internet~a; later -1; 1 sets g; 1 text old~internet~a = ; 1 count = 6
      """),
    Scenario(
      "compacting forgets all of it, and all generations, and leaves the items, and the marks of deletions",
      """
      1 adds a b; 1 sets b=new; 1 comments a=remark; 1 deletes a; 1 compacts = records: 2 generations: 3; 1 numbers = 
      1 text secret-a secret-b remark old~internet~a = old~internet~a; 1 has b; 2 compacts ! itemNotFound
      """),
  ]

  @Test("of which", arguments: retired) func play(scenario: Scenario) throws { try scenario.run() }

  @Test("what stays the same, or has no more use, is not kept")
  func notKept() throws {
    let keychain = keychain
    let now = clock.now.seconds
    try keychain.save(item("a.example"), Credential(Secret("one"), expiry: now + 10), at: clock.now)
    try keychain.save(item("a.example"), Credential(Secret("one"), expiry: now + 20), at: clock.now)
    var labelled = try #require(try keychain.items(matching: query("a.example")).first)
    labelled.label = "label"
    try keychain.update(labelled)
    try expect(keychain.retiredItems(matching: .all).isEmpty)
    clock.advance(seconds: 60)
    try keychain.save(item("a.example"), Credential(password: "two"), at: clock.now)
    try expect(keychain.retiredItems(matching: .all).isEmpty, "an expired secret is of no use")
  }

  @Test("of an item the last twenty are kept, and another's are not counted among them")
  func bounded() throws {
    let keychain = keychain
    try keychain.save(item("a.example", "alice2"), Credential(password: "other"))
    for number in 0..<30 {
      clock.advance(seconds: 1)
      try keychain.save(item("a.example"), Credential(password: "\(number)"), at: clock.now)
    }
    let retired = try keychain.retiredItems(matching: query("a.example"))
    expect(retired.count, is: 20)
    expect(retired.map(\.retired), is: retired.map(\.retired).sorted(by: >))
    try keychain.undelete(retired[19], replacing: true)
    let back = try keychain.items(matching: query("a.example", "alice"))
    try expect(back.map { try keychain.secret(of: $0) }, is: ["9"])
  }

  @Test("a record that is out of use several times is left once by the next write, and pushes nothing out")
  func several() throws {
    func retired(_ record: [UInt8], _ reason: RetirementReason, day: Int) throws -> [UInt8] {
      let date = Timestamp(milliseconds: clock.now.milliseconds + Int64(day) * Self.day * 1000)
      return try record.withUnsafeBytes { bytes in
        let line = try RetiredRecord.line(of: bytes, at: date, reason)
        return line.withUnsafeBytes { Array($0) }
      }
    }
    var vault = try HandMadeVault(servers: ["b.example"])
    let deleted = try HandMadeVault.record(item("a.example"), secret: "deleted")
    let merged = try HandMadeVault.record(item("a.example"), secret: "merged")
    vault.records.append(try retired(deleted, .deleted, day: 1))
    vault.records.append(try retired(merged, .replaced, day: 2))
    for day in 3..<33 { vault.records.append(try retired(merged, .merged, day: day)) }
    vault.records.sort { $0.lexicographicallyPrecedes($1) }
    vault.head = [("old", String(vault.records.count - 1))]
    try vault.install(at: place)
    try expect(keychain.retiredItems(matching: .all).count, is: 32)
    try keychain.save(item("a.example"), Credential(password: "one"), at: clock.now)
    try keychain.save(item("a.example"), Credential(password: "two"), at: clock.now)
    let left = try keychain.retiredItems(matching: .all)
    expect(left.map(\.reason), is: [.replaced, .deleted, .replaced])
    expect(text(try place.plaintext()).contains(#""secret":"deleted""#))
    expect(text(try place.plaintext()).contains(#""secret":"merged""#))
  }

  @Test("in a large vault, a search by the index finds what is out of use, and never as an item")
  func largeVault() throws {
    let keychain = keychain
    let servers = (0..<1500).map { "host\($0).example" }
    try keychain.add(servers: servers)
    let gone = try keychain.items(matching: .all).filter { $0.name.contains("7") }
    try keychain.delete(gone)
    try ReadBack(try place.plaintext()).expectLargeLayout()
    for server in ["host7.example", "host1377.example"] {
      try expect(place.keychain().items(matching: query(server)).isEmpty)
      try expect(place.keychain().retiredItems(matching: query(server)).count, is: 1)
    }
    try expect(place.keychain().items(matching: query("host1.example")).count, is: 1)
    try expect(place.keychain().retiredItems(matching: query("host1.example")).isEmpty)
    try expect(place.keychain().summary()?.contents?.count, is: 1500 - gone.count)
  }
}
