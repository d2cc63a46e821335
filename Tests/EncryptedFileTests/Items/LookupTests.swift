import EncryptedFile
import Expectations
import Keychain
import Testing
import TestSupport

@Suite("Looking up")
struct LookupTests {
  /// Where there are most, the index has several chunks, and a sample of them is enough.
  @Test(
    "every item is found, alone, and with its own secret",
    arguments: isLongForm ? [1, 2, 10, 700, 900, 1500, 12_000] : [1, 2, 10, 900, 4000])
  func everyItem(count: Int) throws {
    let place = Place()
    var numbers = SeededGenerator(seed: UInt64(100 + count))
    let all = try RandomItems.fill(place.keychain(), count, &numbers)
    let keychain = place.keychain()
    for (item, secret) in count < 4000 ? all[...] : all.shuffled(using: &numbers)[..<rounds(600)] {
      try expect(keychain.items(matching: ItemQuery(for: item.key)).contains(item))
      try expect(keychain.secret(of: item), is: secret)
    }
    try expect(Set(keychain.items(matching: .all)), is: Set(all.map(\.item)))
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
