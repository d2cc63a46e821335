import Expectations
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

/// Records that are out of use may share a key, and be on both sides of a chunk boundary.
@Suite("Records with the same key in a large vault")
struct SharedKeyTests {
  @Test("one item gets as many large secrets as one likes, and the last 20 can be had back")
  func oneItem() throws {
    let place = Place()
    let clock = SettableClock()
    for number in 0..<30 {
      clock.advance(seconds: 1)
      let secret = String(repeating: Character(UnicodeScalar(UInt8(65 + number))), count: 30_000)
      try place.keychain(clock: clock.read).save(
        item("a.example"), Credential(password: secret), at: clock.now)
    }
    let vault = try ReadBack(try place.plaintext())
    vault.expectLargeLayout()
    expect(vault.index.count > 5)
    let retired = try place.keychain(clock: clock.read).retiredItems(matching: query("a.example"))
    expect(retired.count, is: 20)
    try expect(place.keychain().servers(), is: ["a.example"])
  }

  @Test("tokens that change are stored among many logins")
  func manyLogins() throws {
    let place = Place()
    let clock = SettableClock()
    try place.keychain(clock: clock.read).add(servers: (0..<900).map { "host\($0).example" })
    for number in 0..<60 {
      clock.advance(seconds: 60)
      var token = Credential(password: String(repeating: "t", count: 1490) + String(number))
      token.refreshToken = Secret(String(repeating: "r", count: 300) + String(number))
      let server = "forge\(number % 3).example"
      try place.keychain(clock: clock.read).save(item(server), token, at: clock.now)
      try expect(place.keychain().items(matching: query(server)).count, is: 1)
    }
    try expect(place.keychain().verify()?.retiredCount, is: 57)
  }

  @Test("what was not changed since an earlier state is left alone, wherever it lies in the text")
  func restoring() throws {
    let place = Place()
    let clock = SettableClock()
    let keychain = place.keychain(clock: clock.read)
    try keychain.exclusively { () throws(KeychainError) in
      for number in 0..<40 {
        let secret = String(repeating: "s", count: 9_000 + number * 97)
        try keychain.add(item("host\(number).example"), Credential(password: secret))
      }
    }
    clock.advance(seconds: 10)
    // Everything after it moves, and so do the spaces at the ends of chunks.
    try keychain.add(item("a.example"), Credential(password: String(repeating: "a", count: 5000)))
    let restored = try keychain.restore(try #require(try keychain.generations().first))
    expect(restored.restored == 0 && restored.retired == 1)
  }
}
