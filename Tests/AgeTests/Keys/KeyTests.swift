import Age
import Expectations
import Testing

@Suite struct KeyTests {
  static let identityText = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
  static let recipientText = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

  @Test("the specification's identity has the specification's recipient, and both keep their text")
  func example() throws {
    let identity = try X25519Identity.parse(Self.identityText)
    expect(identity.text, is: Self.identityText)
    expect(identity.recipient.description, is: Self.recipientText)
    try expect(X25519Recipient(parsing: Self.recipientText), is: identity.recipient)
    expect(identity.withSecretKey { Array($0) }, is: [UInt8](repeating: 0x42, count: 32))
    let copy = try [UInt8](repeating: 0x42, count: 32).withUnsafeBytes { try X25519Identity(secretKey: $0) }
    expect(copy.recipient, is: identity.recipient)
    try expect(X25519Recipient(publicKey: identity.recipient.publicKey), is: identity.recipient)
  }

  @Test("random identities differ and survive their text")
  func random() throws {
    let (one, other) = (X25519Identity(), X25519Identity())
    expect(one.text != other.text)
    try expect(X25519Identity.parse(one.text).recipient, is: one.recipient)
  }

  @Test("keys of other kinds, cases and lengths are refused")
  func refused() {
    for text in [Self.recipientText, Self.identityText.lowercased()] {
      #expect(throws: AgeError.invalidKey(.unsupportedKind), "\(text)") { try X25519Identity.parse(text) }
    }
    let tag = "age1tag1qt8lw0ual6avlwmwatk888yqnmdamm7xfd0wak53ut6elz5c4swx2yqdj4e"
    for (text, fault) in [
      (Self.recipientText.uppercased(), .unsupportedKind), (Self.identityText, .unsupportedKind),
      (tag, .unsupportedKind), (Self.recipientText.dropLast() + "k", .checksum),
      (" " + Self.recipientText, .character),
    ] as [(String, KeyFault)] {
      #expect(throws: AgeError.invalidKey(fault), "\(text)") { try X25519Recipient(parsing: text) }
    }
    #expect(throws: AgeError.invalidKey(.length)) { try X25519Recipient(publicKey: [1, 2, 3]) }
    #expect(throws: AgeError.invalidKey(.length)) {
      try [UInt8](repeating: 1, count: 31).withUnsafeBytes { _ = try X25519Identity(secretKey: $0) }
    }
    #expect(throws: AgeError.invalidKey(.length)) {
      try [UInt8](repeating: 1, count: 15).withUnsafeBytes { _ = try FileKey(bytes: $0) }
    }
  }

  @Test("nothing is encrypted for a point of low order", arguments: [UInt8(0), 1])
  func lowOrder(_ first: UInt8) throws {
    let recipient = try X25519Recipient(publicKey: [first] + [UInt8](repeating: 0, count: 31))
    #expect(throws: AgeError.invalidKey(.lowOrder)) { try AgeFile.encrypt(ascii("x"), to: [recipient]) }
  }

  @Test("nothing secret can be printed")
  func redaction() throws {
    let secrets: [(Any, words: [String])] = [
      (try X25519Identity.parse(Self.identityText), ["SECRET-KEY", "66", "0x"]),
      (try ScryptIdentity.make("hunter2"), ["hunter2", "0x"]),
      (try ScryptRecipient.make("hunter2"), ["hunter2", "0x"]), (try SSHKey().identity(), ["0x"]),
      (try PluginTextTests.identity(TestPlugin.identityText("plain")), ["0x", "AGE-PLUGIN"]),
    ]
    for (secret, words) in secrets {
      var text = "\(secret) " + String(reflecting: secret)
      dump(secret, to: &text)
      expect(text.contains("redacted"))
      for word in words { expect(!text.contains(word), "\(word)") }
    }
  }
}

@Suite struct KeyFileTests {
  static func identities(_ text: String) throws -> [X25519Identity] {
    try ascii(text).withUnsafeBytes { try IdentityFile.parse($0) }
  }

  static func recipients(_ text: String) throws -> [X25519Recipient] {
    try ascii(text).withUnsafeBytes { try RecipientsFile.parse($0) }
  }

  @Test("a key file may have comments, empty lines and line ends of both kinds")
  func files() throws {
    let other = X25519Identity()
    let found = try Self.identities("# created\r\n\r\n\(KeyTests.identityText)\r\n\n#x\n\(other.text)")
    expect(found.map(\.text), is: [KeyTests.identityText, other.text])
    let recipients = try Self.recipients("# team\n\(KeyTests.recipientText)\n")
    expect(recipients.map(\.description), is: [KeyTests.recipientText])
  }

  @Test(
    "a line that is no key is refused by its number, a file without a key is no empty list, nor is a large one read"
  )
  func refused() {
    let large = String(repeating: "#", count: IdentityFile.maximumSize + 1)
    for (text, error) in [
      ("# a\n\(KeyTests.identityText)\nnonsense\n", .invalidKeyLine(line: 3, fault: .separator)),
      (" \(KeyTests.identityText)\n", .invalidKeyLine(line: 1, fault: .character)), ("", .noKeys),
      ("# nothing\n\n", .noKeys), (large, .keyFileTooLarge(limit: 1 << 20)),
    ] as [(String, AgeError)] {
      #expect(throws: error, "\(text.prefix(80))") { try Self.identities(text) }
    }
    #expect(throws: AgeError.invalidKeyLine(line: 2, fault: .unsupportedKind)) {
      try Self.recipients("\n\(KeyTests.identityText)\n")
    }
  }
}
