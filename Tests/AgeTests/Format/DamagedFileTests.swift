import Age
import Expectations
import Properties
import TestSupport
import Testing

@Suite struct DamagedFileTests {
  static let identity = X25519Identity()
  static let plaintext = ascii("a small file")

  @Test("a file cut anywhere is refused")
  func truncation() throws {
    let file = try AgeFile.encrypt(Self.plaintext, to: [Self.identity.recipient])
    for count in 0..<file.count {
      #expect(throws: AgeError.self) { try AgeFile.decrypt(Array(file[..<count]), with: [Self.identity]) }
    }
  }

  @Test("a file with any bit changed is refused")
  func flips() throws {
    let file = try AgeFile.encrypt(Self.plaintext, to: [Self.identity.recipient])
    for index in file.indices {
      for bit in 0..<8 {
        var damaged = file
        damaged[index] ^= 1 << UInt8(bit)
        #expect(throws: AgeError.self, "byte \(index), bit \(bit)") {
          try AgeFile.decrypt(damaged, with: [Self.identity])
        }
      }
    }
  }

  @Test("an armored file that is cut or changed anywhere is refused or means the same")
  func armor() throws {
    let text = try AgeFile.encrypt(Self.plaintext, to: [Self.identity.recipient], armored: true)
    for index in text.indices {
      var variants = [Array(text[..<index])]
      for bit in 0..<8 {
        variants.append(text)
        variants[variants.count - 1][index] ^= 1 << UInt8(bit)
      }
      for variant in variants {
        if let contents = try? AgeFile.decrypt(variant, with: [Self.identity]) {
          expect(contents, is: Self.plaintext)
          expect(index >= text.count - 1, "only the last line end may differ")
        }
      }
    }
  }

  @Test("no header crashes the parser and no armor the decoder, and what they accept encodes to itself")
  func fuzz() throws {
    var generator = SeededGenerator(seed: 4)
    let fileKey = FileKey()
    let header = try Header.encode(
      stanzas: try Self.identity.recipient.wrap(fileKey)
        + [try Stanza(type: "example.com/slot", arguments: ["1"], body: sample(60)), try Stanza(type: "e")],
      fileKey: fileKey)
    let armor = encodeArmor(sample(130))
    var accepted = (headers: 0, armors: 0)
    for _ in 0..<5000 {
      let (header, armor) = (Self.mutate(header, using: &generator), Self.mutate(armor, using: &generator))
      try lend(header, HeaderProperty.check)
      try lend(armor, ArmorProperty.check)
      if (try? Header(header)) != nil { accepted.headers += 1 }
      if (try? decodeArmor(armor)) != nil { accepted.armors += 1 }
    }
    expect(accepted.headers > 100 && accepted.armors > 100)
  }

  @Test("no key file crashes its parser")
  func keyFileFuzz() throws {
    var generator = SeededGenerator(seed: 6)
    let seed = ascii("# comment\n\(Self.identity.text)\n\n\(Self.identity.text)\r\n")
    for _ in 0..<5_000 {
      let text = Self.mutate(seed, using: &generator)
      let found = try? text.withUnsafeBytes { try IdentityFile.parse($0) }
      for identity in found ?? [] { expect(identity.text, is: Self.identity.text) }
    }
  }

  @Test("no whole file crashes decryption, and none but the original gives its contents")
  func fileFuzz() throws {
    var generator = SeededGenerator(seed: 7)
    let seed = try AgeFile.encrypt(Self.plaintext, to: [Self.identity.recipient])
    for _ in 0..<3_000 {
      let bytes = Self.mutate(seed, using: &generator)
      if let contents = try? AgeFile.decrypt(bytes, with: [Self.identity]) {
        expect(bytes, is: seed)
        expect(contents, is: Self.plaintext)
      }
    }
  }

  /// The bytes after a few changes, or as they were.
  private static func mutate(_ seed: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
    let characters = (ascii("\n\r -=AZaz09+/>#1\0") + [0x7F, 0x80, 0xFF]).map { [$0] }
    return generator.number(in: 0..<4) == 0 ? seed : generator.mutated(seed, dictionary: characters)
  }
}
