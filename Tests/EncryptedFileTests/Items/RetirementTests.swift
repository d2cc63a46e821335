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

  private func secrets(_ query: ItemQuery = .all) throws -> [String] {
    let keychain = keychain
    return try keychain.items(matching: query).map { try keychain.secret(of: $0) }
  }

  @Test("an older state that is brought back is later than the deletion, and no merge takes it away again")
  func olderState() throws {
    // All within a millisecond, so that each date is the minimum for a change.
    let keychain = keychain
    let added = try keychain.add(item("a.example"), Credential(password: "first"))
    _ = try keychain.update(added, Credential(password: "second"))
    try keychain.delete(try keychain.items(matching: .all))
    let first = try #require(try keychain.retiredItems(matching: .all).first { $0.reason == .replaced })
    _ = try keychain.undelete(first)
    let copy = place.path + "/copy.age"
    try put(try contents(of: place.vault), into: copy)
    try keychain.merge(copyAt: copy)
    try expect(keychain.servers(), is: ["a.example"])
  }

  @Test("a deleted item answers nobody and is not counted, and comes back with its secret")
  func undeleting() throws {
    try keychain.add(servers: ["a.example", "b.example"])
    let item = try #require(try keychain.items(matching: query("a.example")).first)
    try keychain.delete([item])
    try expect(keychain.items(matching: query("a.example")).isEmpty)
    try expect(keychain.items(matching: .all).count, is: 1)
    try expect(keychain.summary()?.contents?.count, is: 1)

    let retired = try #require(try keychain.retiredItems(matching: query("a.example")).first)
    expect(retired.reason == .deleted && retired.item == item)
    clock.advance(seconds: 5)
    let back = try keychain.undelete(retired)
    expect(back.reference == item.reference && back.creationDate == item.creationDate)
    expect(back.modificationDate, is: clock.now)
    try expect(secrets(query("a.example")), is: ["secret-a.example"])
    try expect(keychain.retiredItems(matching: .all).isEmpty)
  }

  @Test("a secret that is replaced can be had back, and takes the place of the one that replaced it")
  func replacing() throws {
    try keychain.save(item("a.example"), Credential(password: "one"))
    clock.advance(seconds: 1)
    try keychain.save(item("a.example"), Credential(password: "two"))
    let retired = try #require(try keychain.retiredItems(matching: query("a.example")).first)
    expect(retired.reason, is: .replaced)
    expect(failure { try keychain.undelete(retired) }, is: .duplicateItem)
    try keychain.undelete(retired, replacing: true)
    try expect(secrets(), is: ["one"])
    try expect(keychain.retiredItems(matching: .all).count, is: 1, "the other is kept in turn")
  }

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
    try expect(secrets(query("a.example", "alice")), is: ["9"])
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

  @Test("states that differ in their attributes alone push out no other secret")
  func sameSecret() throws {
    try keychain.save(item("a.example"), Credential(password: "first"), at: clock.now)
    clock.advance(seconds: 1)
    try keychain.save(item("a.example"), Credential(password: "second"), at: clock.now)
    // A copy of each of these states comes back later.
    for number in 0..<25 {
      let copy = place.path + "/copy.age"
      try put(try contents(of: place.vault), into: copy)
      clock.advance(seconds: 1)
      var changed = try #require(try keychain.items(matching: .all).first)
      changed.comment = ByteString("\(number)")
      try keychain.update(changed)
      try keychain.merge(copyAt: copy)
    }
    let retired = try keychain.retiredItems(matching: .all)
    expect(retired.count, is: 20)
    expect(retired.last?.reason, is: .replaced)
    expect(text(try place.plaintext()).contains(#""secret":"first""#))
  }

  @Test("after 30 days the secret is gone from the file, and after 180 the mark of the deletion")
  func expiry() throws {
    let keychain = keychain
    try keychain.add(servers: ["a.example", "b.example"])
    let item = try #require(try keychain.items(matching: query("a.example")).first)
    try keychain.delete([item])
    clock.advance(seconds: 30 * Self.day)
    try keychain.save(EncryptedFileTests.item("c.example"), Credential(password: "c"), at: clock.now)
    expect(text(try place.plaintext()).contains("secret-a.example"))
    clock.advance(seconds: 1)
    // A clock that is ahead at a single write removes nothing.
    try keychain.save(EncryptedFileTests.item("d.example"), Credential(password: "d"), at: clock.now)
    expect(text(try place.plaintext()).contains("secret-a.example"))
    try keychain.save(EncryptedFileTests.item("e.example"), Credential(password: "e"), at: clock.now)
    expect(!text(try place.plaintext()).contains("secret-a.example"))
    expect(text(try place.plaintext()).contains("old internet a.example"))
    try expect(keychain.retiredItems(matching: .all).isEmpty, "there is nothing to bring back")
    clock.advance(seconds: 150 * Self.day)
    try keychain.save(EncryptedFileTests.item("f.example"), Credential(password: "f"), at: clock.now)
    expect(text(try place.plaintext()).contains("old internet a.example"))
    try keychain.save(EncryptedFileTests.item("g.example"), Credential(password: "g"), at: clock.now)
    expect(!text(try place.plaintext()).contains("old internet a.example"))
    try expect(keychain.items(matching: .all).count, is: 6)
  }

  @Test("compacting forgets all of it, and all generations, and leaves the items")
  func compacting() throws {
    let keychain = keychain
    try keychain.add(servers: ["a.example", "b.example"])
    try keychain.save(EncryptedFileTests.item("b.example"), Credential(password: "new"), at: clock.now)
    var noted = try #require(try keychain.items(matching: query("a.example")).first)
    noted.comment = "a remark"
    try keychain.update(noted)
    try keychain.delete([noted])
    let gone = try keychain.compact()
    expect(gone.records == 2 && gone.generations == 3)
    try expect(keychain.generations().isEmpty)
    let plaintext = text(try place.plaintext())
    expect(!plaintext.contains("secret-a.example") && !plaintext.contains("secret-b.example"))
    expect(!plaintext.contains("a remark"))
    expect(plaintext.contains("old internet a.example"), "the mark of a deletion stays")
    try expect(self.keychain.servers(), is: ["b.example"])
    expect(failure { try Place().keychain().compact() }, is: .itemNotFound)
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
