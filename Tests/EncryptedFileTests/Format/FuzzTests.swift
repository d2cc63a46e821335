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

  @Test("a first line of any bytes is read or refused", arguments: 0..<4)
  func firstLines(seed: Int) throws {
    var numbers = SeededGenerator(seed: UInt64(seed))
    let vault = try HandMadeVault()
    let whole = Array(lines(vault.plaintext(nonce: [UInt8](repeating: 0, count: 16)))[0])
    for round in 0..<rounds(4000) {
      let line =
        round % 10 == 0
        ? numbers.bytes(Int.random(in: 0..<200, using: &numbers)) : Self.mutate(whole, &numbers)
      do {
        let head = try lend(line) { try ReadVaultHead(parsing: $0, path: "vault") }
        expect(head.head.count >= 0 && head.records.count >= 0 && head.size == line.count + 1)
      } catch {
        expect(error is KeychainError)
      }
    }
  }

  @Test(
    "a record of any bytes is read or refused, and what is read can be found under its key", arguments: 0..<4)
  func records(seed: Int) throws {
    var numbers = SeededGenerator(seed: UInt64(seed + 100))
    for _ in 0..<rounds(3000) {
      let whole = try HandMadeVault.record(Item(RandomItems.key(&numbers), label: RandomItems.text(&numbers)))
      let line = Self.mutate(whole, &numbers)
      lend(line) { line in
        guard let record = try? Record(parsing: line) else { return }
        expect(
          line.starts(with: Array(#"{"k":""#.utf8) + RecordKey.whole(of: record.item.key))
            || !line.starts(with: Array(#"{"k":""#.utf8)))
        _ = try? Record.credential(parsing: line)
        _ = try? Record.line(record.item, Credential(password: ""), revision: 1, previous: line)
      }
    }
  }

  @Test("records come back as they were written")
  func roundTrip() throws {
    var numbers = SeededGenerator(seed: 300)
    for _ in 0..<rounds(2000) {
      var item = Item(
        RandomItems.key(&numbers), label: RandomItems.text(&numbers), comment: RandomItems.text(&numbers),
        itemDescription: RandomItems.text(&numbers), creator: RandomItems.text(&numbers),
        type: RandomItems.text(&numbers),
        isDefault: Bool.random(using: &numbers))
      item.reference = ItemReference("r")
      item.creationDate = Timestamp(milliseconds: Int64.random(in: 0..<4_000_000_000_000, using: &numbers))
      let secret = numbers.bytes(Int.random(in: 0..<40, using: &numbers))
      let token = RandomItems.text(&numbers)
      let expiry = [nil, 0, Int64.max, Int64.min].randomElement(using: &numbers) ?? nil
      let line = try Record.line(
        item,
        Credential(
          Secret(copying: ByteString(secret)), expiry: expiry,
          refreshToken: token.map { Secret(copying: $0) },
          authenticationScheme: "Bearer"), revision: 9, previous: nil)
      try line.withUnsafeBytes { line in
        expect(line.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
        let record = try Record(parsing: line)
        expect(record.item == item && record.revision == 9)
        let credential = try Record.credential(parsing: line)
        expect(credential.secret.withUnsafeBytes { Array($0) }, is: secret)
        expect(credential.expiry == expiry && credential.authenticationScheme == "Bearer")
        expect(credential.hasRefreshToken, is: token != nil)
      }
    }
  }

  @Test("keys are equal just where primary keys are, and begin as every query that they may answer")
  func keys() throws {
    var numbers = SeededGenerator(seed: 301)
    var texts: [[UInt8]: Item.Key] = [:]
    for _ in 0..<rounds(6000) {
      let key = RandomItems.key(&numbers)
      let text = RecordKey.whole(of: key)
      expect(text.allSatisfy { $0 == 0x20 || 0x23...0x7e ~= $0 && $0 != 0x5c })
      if let other = texts[text] { expect(other.primaryKey, is: key.primaryKey) }
      texts[text] = key
      expect(RecordKey.whole(of: key.primaryKey), is: text)
      let query = try RandomItems.query(for: key, &numbers)
      expect(!query.matches(Item(key)) || text.starts(with: RecordKey.beginning(for: query)))
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

  @Test("a file of random bytes behind a valid beginning is refused", arguments: 0..<3)
  func files(seed: Int) throws {
    let place = Place()
    let vault = try HandMadeVault()
    try vault.install(at: place)
    let whole = try contents(of: place.vault)
    var numbers = SeededGenerator(seed: UInt64(seed + 400))
    for _ in 0..<300 {
      let kept = Int.random(in: 0..<400, using: &numbers)
      let file =
        Bool.random(using: &numbers)
        ? Array(whole[..<kept]) + numbers.bytes(Int.random(in: 0..<9000, using: &numbers))
        : Self.mutate(whole, &numbers)
      if file == whole { continue }
      try put(file, into: place.vault)
      expect(failure { try place.keychain().servers() } != nil)
    }
  }
}
