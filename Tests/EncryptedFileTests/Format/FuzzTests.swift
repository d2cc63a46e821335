import Age
import Expectations
import Keychain
import Properties
import Testing
import TestSupport

@testable import EncryptedFile

@Suite("Parsers and random bytes")
struct FuzzTests {
  private static let interesting =
    "\"\\{}[]:,0-9e.nu \u{0}\u{1f}\u{7f}".utf8.map { [$0] } + [[0x80], [0xc3], [0xff], [0xed]]

  private static func mutate(_ bytes: [UInt8], _ numbers: inout SeededGenerator) -> [UInt8] {
    numbers.mutated(bytes, dictionary: interesting)
  }

  @Test("a first line of any bytes is refused, or comes back as it was", arguments: 0..<4)
  func firstLines(seed: Int) throws {
    var numbers = SeededGenerator(seed: UInt64(seed))
    var vault = try HandMadeVault()
    let index = "\"0 !65536 internet h5!131072 internet h7 !196608 old~internet\""
    for head in [[], [(name: "index", value: index)]] {
      vault.head = head
      let whole = Array(lines(vault.plaintext(nonce: [UInt8](repeating: 0, count: 16)))[0])
      for round in 0..<rounds(2000) {
        let line =
          round % 10 == 0
          ? numbers.bytes(Int.random(in: 0..<200, using: &numbers)) : Self.mutate(whole, &numbers)
        try lend(line, VaultHeadProperty.check)
      }
    }
  }

  @Test(
    "a record of any bytes is refused, or stands under its key and comes back as it was", arguments: 0..<4)
  func records(seed: Int) throws {
    var numbers = SeededGenerator(seed: UInt64(seed + 100))
    for _ in 0..<rounds(3000) {
      var item = Item(
        RandomItems.key(&numbers), label: RandomItems.text(&numbers), comment: RandomItems.text(&numbers),
        itemDescription: RandomItems.text(&numbers), creator: RandomItems.text(&numbers),
        type: RandomItems.text(&numbers), isDefault: Bool.random(using: &numbers))
      item.reference = ItemReference("r")
      item.creationDate = Timestamp(milliseconds: Int64.random(in: 0..<4_000_000_000_000, using: &numbers))
      let credential = Credential.bytes(
        numbers.bytes(Int.random(in: 0..<40, using: &numbers)),
        expiry: [nil, 0, .max, .min].randomElement(using: &numbers) ?? nil,
        refreshToken: RandomItems.text(&numbers)?.bytes.map { $0 }, scheme: "Bearer")
      let whole = try Record.line(item, credential, revision: 9, previous: nil).revealed
      expect(whole.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
      try expect(lend(whole) { try Record(parsing: $0).item }, is: item)
      try lend(whole, RecordProperty.check)
      try lend(Self.mutate(whole, &numbers), RecordProperty.check)
    }
  }

  @Test("keys are equal just where primary keys are, and begin as every query that they may answer")
  func keys() throws {
    var numbers = SeededGenerator(seed: 301)
    var texts: [[UInt8]: Item.Key] = [:]
    for _ in 0..<rounds(6000) {
      let key = RandomItems.key(&numbers)
      let text = SortKey.whole(of: key)
      expect(text.allSatisfy { $0 == 0x20 || 0x23...0x7e ~= $0 && $0 != 0x5c })
      if let other = texts[text] { expect(other.primaryKey, is: key.primaryKey) }
      texts[text] = key
      expect(SortKey.whole(of: key.primaryKey), is: text)
      let query = try RandomItems.query(for: key, &numbers)
      expect(!query.matches(Item(key)) || text.starts(with: SortKey.beginning(for: query)))
    }
  }

  @Test("any stanzas are a vault's or refused, and a vault's come back as they were", arguments: 0..<3)
  func stanzas(seed: Int) throws {
    var numbers = SeededGenerator(seed: UInt64(seed + 200))
    let types = ["X25519", "llavero/vault", "llavero/slot", "llavero/x", "scrypt", "other"]
    let texts = ["1", "2", "passphrase", "12345678-9abc-4def-8123-456789abcdef", "ab", "../x", "~"]
    for _ in 0..<rounds(3000) {
      var stanzas = [
        try Stanza(type: "X25519", arguments: ["x"]),
        try Stanza(type: "llavero/vault", arguments: ["1", "12345678-9abc-4def-8123-456789abcdef"]),
      ]
      if Int.random(in: 0..<4, using: &numbers) == 0 {
        stanzas.remove(at: Int.random(in: 0...1, using: &numbers))
      }
      for _ in 0..<Int.random(in: 0..<4, using: &numbers) {
        stanzas.append(
          try Stanza(
            type: types.randomElement(using: &numbers) ?? "",
            arguments: (0..<Int.random(in: 0..<4, using: &numbers)).map { _ in
              texts.randomElement(using: &numbers) ?? ""
            },
            body: numbers.bytes(Int.random(in: 0..<100, using: &numbers))))
      }
      do {
        let read = try VaultStanzas(stanzas, path: "vault")
        expect(isUUID(read.uuid))
        expect(stanzas.count { !$0.type.hasPrefix("llavero/") }, is: 1)
        let again = try VaultStanzas(
          [stanzas[0]] + (try read.encoded()).filter { $0.type != "X25519" }, path: "vault")
        expect(again.uuid == read.uuid && again.slots.map(\.id) == read.slots.map(\.id))
      } catch {
        expect(error is KeychainError)
      }
    }
  }
}
