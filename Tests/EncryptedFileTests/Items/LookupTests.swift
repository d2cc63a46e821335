import EncryptedFile
import Expectations
import Keychain
import KeychainTesting
import Testing
import TestSupport

@Suite("Looking up")
struct LookupTests {
  @Test(
    "every item is found, alone, and with its own secret",
    arguments: isLongForm ? [1, 2, 10, 700, 900, 1500] : [1, 2, 10, 900])
  func everyItem(count: Int) throws {
    let place = Place()
    var numbers = SeededGenerator(seed: UInt64(100 + count))
    let all = try RandomItems.fill(place.keychain(), count, &numbers)
    try expectAll(all[...], among: all, in: place.keychain())
  }

  /// An index of several chunks.
  private static let many = isLongForm ? 12_000 : 4000

  @Test("a sample of many items is found, alone, and with their own secrets")
  func manyItems() throws {
    let place = Place()
    var numbers = SeededGenerator(seed: 12_000)
    let all = try RandomItems.fill(place.keychain(), Self.many, &numbers)
    try expectAll(all.shuffled(using: &numbers)[..<rounds(600)], among: all, in: place.keychain())
    try expect(Set(place.keychain().items(matching: .all)), is: Set(all.map(\.item)))
  }

  private func expectAll(
    _ some: ArraySlice<(item: Item, secret: String)>, among all: [(item: Item, secret: String)],
    in keychain: EncryptedFileKeychain
  ) throws {
    for (item, secret) in some {
      let found = try keychain.items(matching: ItemQuery(for: item.key))
      expect(found.contains(item))
      try expect(keychain.secret(of: item), is: secret)
    }
  }

  @Test(
    "random questions get the same answers as from a full scan",
    arguments: isLongForm ? [1, 2, 10, 700, 900, 1500, 12_000] : [1, 10, 1500])
  func randomQueries(count: Int) throws {
    let place = Place()
    var numbers = SeededGenerator(seed: UInt64(200 + count))
    let all = try RandomItems.fill(place.keychain(), count, &numbers)
    let keychain = place.keychain()
    for number in 0..<rounds(count > 2000 ? 160 : 300) {
      let query =
        number % 2 == 0
        ? try RandomItems.query(&numbers)
        : try RandomItems.query(
          for: all.randomElement(using: &numbers)?.item.key ?? all[0].item.key, &numbers)
      let found = try keychain.items(matching: query)
      expect(Set(found), is: Set(all.map(\.item).filter(query.matches)), "\(query)")
      expect(Set(found).count, is: found.count)
    }
  }

  @Test("a keychain in memory gives the same answers, through all changes")
  func sameAsInMemory() throws {
    let place = Place()
    var numbers = SeededGenerator(seed: 77)
    var now: Int64 = 1_000_000
    let clock = { Timestamp(milliseconds: now) }
    let memory = InMemoryKeychain(clock: clock)
    let file = place.keychain(clock: clock)
    var pairs: [(Item, Item)] = []
    for step in 0..<60 {
      now += 1000
      switch step % 6 {
      case 0, 1, 2:
        var copy = numbers
        let first = try RandomItems.fill(memory, 1, &copy)
        let second = try RandomItems.fill(file, 1, &numbers)
        pairs.append((first[0].item, second[0].item))
      case 3:
        let position = Int.random(in: 0..<pairs.count, using: &numbers)
        var (first, second) = pairs[position]
        first.comment = "changed"
        second.comment = "changed"
        pairs[position] = (
          try memory.update(first, Credential(password: "new\(step)")),
          try file.update(second, Credential(password: "new\(step)"))
        )
      case 4:
        let position = Int.random(in: 0..<pairs.count, using: &numbers)
        try expect(memory.delete([pairs[position].0]), is: file.delete([pairs[position].1]))
        pairs.remove(at: position)
      default:
        let position = Int.random(in: 0..<pairs.count, using: &numbers)
        let query = try RandomItems.query(for: pairs[position].0.key, &numbers)
        func anonymous(_ items: [Item]) -> [Item] {
          items.map {
            var item = $0
            item.reference = nil
            return item
          }
        }
        try expect(anonymous(memory.find(query)), is: anonymous(file.find(query)))
        try expect(anonymous(memory.items(matching: query)), is: anonymous(file.items(matching: query)))
        try expect(memory.secret(of: pairs[position].0) == file.secret(of: pairs[position].1))
      }
    }
  }

  @Test("within a change what it has done is seen, and outside it what was there before is not")
  func changesUnderWay() throws {
    let place = Place()
    let keychain = place.keychain()
    let other = place.keychain()
    try keychain.add(servers: ["a.example"])
    try keychain.exclusively { () throws(KeychainError) in
      try keychain.add(item("b.example"), Credential(password: "b"))
      expect(try? keychain.servers(), is: ["a.example", "b.example"])
      expect(try? other.servers(), is: ["a.example"])
    }
    try expect(other.servers(), is: ["a.example", "b.example"])
  }

  @Test("a change that ends in an error changes nothing")
  func abandonedChange() throws {
    let place = Place()
    let keychain = place.keychain()
    try keychain.add(servers: ["a.example"])
    let before = try place.everything()
    expect(
      failure {
        try keychain.exclusively { () throws(KeychainError) in
          try keychain.add(item("b.example"), Credential(password: "b"))
          throw KeychainError.itemNotFound
        }
      }, is: .itemNotFound)
    try expect(place.everything(), is: before)
    try expect(keychain.servers(), is: ["a.example"])
  }

  @Test("a part of a change that ends in an error is undone, and the rest of the change is done")
  func abandonedPart() throws {
    let place = Place()
    let keychain = place.keychain()
    try keychain.add(servers: ["a.example", "b.example"])
    let all = try keychain.items(matching: .all)
    try keychain.exclusively { () throws(KeychainError) in
      try keychain.add(item("c.example"), Credential(password: "c"))
      do throws(KeychainError) {
        try keychain.exclusively { () throws(KeychainError) in
          try keychain.add(item("d.example"), Credential(password: "d"))
          try keychain.delete(all)
          throw KeychainError.itemNotFound
        }
      } catch {}
    }
    try expect(place.keychain().servers(), is: ["a.example", "b.example", "c.example"])
  }

  @Test("a part of a change that ends in an error, and does nothing else, makes no vault")
  func abandonedMaking() throws {
    let place = Place()
    let keychain = place.keychain()
    try keychain.exclusively { () throws(KeychainError) in
      do throws(KeychainError) {
        try keychain.exclusively { () throws(KeychainError) in
          try keychain.add(item("d.example"), Credential(password: "d"))
          throw KeychainError.itemNotFound
        }
      } catch {}
    }
    expect(!exists(place.vault) && names(in: place.location.stateFolder) == [])
  }

  @Test("an item that another process has moved to another key still has its secret")
  func movedItem() throws {
    for count in [2, 1500] {
      let place = Place()
      try place.keychain().add(servers: (0..<count).map { "h\($0).example" })
      let reader = place.keychain()
      let old = try #require(try reader.items(matching: query("h1.example")).first)
      var moved = old
      moved.key = item("z.example").key
      try place.keychain().update(moved)
      try expect(reader.secret(of: old), is: "secret-h1.example")
    }
  }
}
