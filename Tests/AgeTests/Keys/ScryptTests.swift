import Age
import Expectations
import Testing

@Suite struct ScryptTests {
  static func stanza(_ logN: String, salt: String = "rF0/NwblUHHTpgQgRpe5CQ", bodySize: Int = 32) throws
    -> Stanza
  {
    try Stanza(type: "scrypt", arguments: [salt, logN], body: [UInt8](repeating: 7, count: bodySize))
  }

  @Test("a passphrase opens its file, another one does not")
  func roundTrip() throws {
    let file = try AgeFile.encrypt(ascii("hello"), to: [try ScryptRecipient.make("correct horse")])
    try expect(AgeFile.decrypt(file, with: [try ScryptIdentity.make("correct horse")]), is: ascii("hello"))
    #expect(throws: AgeError.noMatch) {
      try AgeFile.decrypt(file, with: [try ScryptIdentity.make("battery")])
    }
    #expect(throws: AgeError.noMatch) { try AgeFile.decrypt(file, with: [X25519Identity()]) }
  }

  @Test("a passphrase is never one recipient among others")
  func alone() throws {
    let passphrase = try ScryptRecipient.make("x")
    let other = X25519Identity().recipient
    let extra = try Stanza(type: "grease")
    for (recipients, stanzas) in [
      ([passphrase, other], []), ([other, passphrase], []), ([passphrase, passphrase], []),
      ([passphrase], [extra]),
      ([other], [try Self.stanza("10")]),
    ] as [([any Recipient], [Stanza])] {
      #expect(throws: AgeError.header(.scryptNotAlone)) {
        try AgeFile.encrypt([], to: recipients, extraStanzas: stanzas)
      }
    }
    #expect(throws: AgeError.header(.scryptNotAlone)) {
      _ = try ScryptIdentity.make("x").unwrap([extra, try Self.stanza("10")])
    }
  }

  @Test("the work factor is limited before anything is derived")
  func limit() throws {
    let identity = try ScryptIdentity.make("x", maximumLogN: 12)
    for (text, logN) in [("13", 13), ("63", 63), ("64", 64), ("99999999999999999999", Int.max)] {
      #expect(throws: AgeError.workFactorTooHigh(logN: logN, limit: 12)) {
        _ = try identity.unwrap([try Self.stanza(text)])
      }
    }
    let opens = try identity.unwrap([try Self.stanza("12")]) != nil
    expect(!opens)
  }

  @Test("limits and work factors themselves have bounds, and an empty passphrase is none")
  func bounds() {
    for (logN, error) in [
      (23, .workFactorTooHigh(logN: 23, limit: 22)), (0, .workFactorTooLow(logN: 0, limit: 1)),
    ] as [(Int, AgeError)] {
      #expect(throws: error) { try ScryptIdentity.make("x", maximumLogN: logN) }
    }
    for (logN, error) in [
      (64, .workFactorTooHigh(logN: 64, limit: 22)), (-1, .workFactorTooLow(logN: -1, limit: 1)),
    ] as [(Int, AgeError)] {
      #expect(throws: error) { try ScryptRecipient.make("x", logN: logN) }
    }
    #expect(throws: AgeError.emptyPassphrase) { try ScryptIdentity.make("") }
    #expect(throws: AgeError.emptyPassphrase) { try ScryptRecipient.make("") }
  }

  @Test(
    "a malformed stanza is refused",
    arguments: ["", "0", "010", "+10", "1 0", "0xa", "10a", "-1", "1\u{660}"])
  func malformed(_ logN: String) throws {
    let identity = try ScryptIdentity.make("x")
    for stanza in [
      try? Self.stanza(logN), try Self.stanza("10", bodySize: 33),
      try Self.stanza("10", salt: "rF0/NwblUHHTpgQgRpe5CR"),
      try Stanza(type: "scrypt", arguments: ["rF0/NwblUHHTpgQgRpe5CQ"]),
    ].compactMap({ $0 }) {
      #expect(throws: AgeError.header(.scryptStanza)) { _ = try identity.unwrap([stanza]) }
    }
  }
}
