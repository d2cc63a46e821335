import Age
import Expectations
import Keychain
import Testing
import TestSupport

@testable import EncryptedFile

@Suite("The index of a large vault")
struct IndexTests {
  /// A large vault, as it was written.
  private static let large = Result {
    let place = Place()
    try place.keychain().add(servers: (0..<1500).map { "h\($0).example" })
    return try ReadBack(place.plaintext())
  }

  /// The large vault with a modified index.
  private func place(_ index: (String) -> String) throws -> Place {
    let place = Place()
    let large = try Self.large.get()
    var forged = try HandMadeVault(servers: [])
    forged.records = large.records.map { Array(large.plaintext[$0.start..<$0.end].dropLast()) }
    forged.padding = []
    forged.head = [("index", "\"" + index(text(large.head.index.text)) + "\"")]
    try forged.install(at: place)
    return place
  }

  @Test("with the right index all items are found")
  func control() throws {
    let place = try place { $0 }
    let keychain = place.keychain()
    for number in stride(from: 0, to: 1500, by: isLongForm ? 1 : 7) {
      try expect(keychain.items(matching: query("h\(number).example")).count, is: 1)
    }
  }

  @Test(
    "with one that is none, or isn't of these records, nothing is silently missing where what is read shows it",
    arguments: [
      "0", "x", "0 !", "-1 ", "99999999999 ", "99999999999999999999999999999 ", "1 ", "!", "!!!!", " 0",
      "0 !75497472 internet h5", "0 !" + String(repeating: "9", count: 5000),
      // Of other records.
      "65536 ", "65536 !131072 internet h5", "0 !65536 a", "0 !0 internet h5!0 internet h7",
    ])
  func wrong(index: String) throws {
    try expect(missing(at: try place { _ in index }), is: [])
  }

  @Test("with one that was changed at random there are answers and errors, but no crash", arguments: 0..<6)
  func random(seed: Int) throws {
    var numbers = SeededGenerator(seed: UInt64(seed))
    let place = try place { index in
      var bytes = Array(index.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        let position = Int.random(in: 0..<bytes.count, using: &numbers)
        let byte = Array("0123456789 !abhz".utf8).randomElement(using: &numbers) ?? 0x20
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0: bytes[position] = byte
        case 1: bytes.remove(at: position)
        default: bytes.insert(byte, at: position)
        }
      }
      return text(bytes)
    }
    _ = try missing(at: place)
    // Without the index everything is found, and the next change repairs it.
    try expect(place.keychain().servers().count, is: 1500)
    try place.keychain().add(servers: ["z.example"])
    try expect(missing(at: place), is: [])
  }

  /// The lookups that found nothing, without an error.
  private func missing(at place: Place) throws -> [Int] {
    var missing: [Int] = []
    for number in stride(from: 0, to: 1500, by: isLongForm ? 7 : 97) {
      let found = try? place.keychain().items(matching: query("h\(number).example"))
      if found?.isEmpty == true { missing.append(number) }
    }
    return missing
  }
}
