import Age
import Expectations
import Testing

@Suite struct AllKindsTests {
  static let plugins = PluginSettings(searchPath: "/nowhere")

  static func identities(_ file: [UInt8]) throws -> [any Identity] {
    try file.withUnsafeBytes { try IdentityFile.parse($0, plugins: plugins) }
  }

  static func recipients(_ text: String) throws -> [any Recipient] {
    try ascii(text).withUnsafeBytes { try RecipientsFile.parse($0, plugins: plugins) }
  }

  static func recipient(_ text: String) throws -> any Recipient {
    try RecipientsFile.parseRecipient(text, plugins: plugins)
  }

  @Test("a recipient's text tells its kind")
  func recipientKinds() throws {
    let line = try SSHKey().publicLine
    expect(
      (try Self.recipient(KeyTests.recipientText) as? X25519Recipient)?.description,
      is: KeyTests.recipientText)
    expect(
      (try Self.recipient(line) as? SSHEd25519Recipient).map { line.hasPrefix($0.description) }, is: true)
    expect((try Self.recipient(TestPlugin.recipientText("plain")) as? PluginRecipient)?.name, is: "test")
    expect((try Self.recipient(bech32("age1x1y", [1])) as? PluginRecipient)?.name, is: "x1y")
    let cases: [(String, KeyFault)] = [
      ("", .separator), ("age", .separator), ("age1", .separator), ("age11", .separator),
      ("ssh-rsa AAAAB3NzaC1yc2E", .unsupportedKind), ("sk-ssh-ed25519@openssh.com AAAA", .unsupportedKind),
      ("ecdsa-sha2-nistp256 AAAA", .unsupportedKind),
      (KeyTests.identityText, .unsupportedKind), (TestPlugin.identityText("plain"), .unsupportedKind),
      (KeyTests.recipientText.dropLast() + "k", .checksum), (bech32("age1a/b", [1]), .pluginName),
      (" " + KeyTests.recipientText, .character), (bech32("bc", sample(32)), .unsupportedKind),
    ]
    for (text, fault) in cases {
      #expect(throws: AgeError.invalidKey(fault), "\(text)") { try Self.recipient(text) }
    }
  }

  @Test("a recipients file may mix all kinds")
  func recipientsFile() throws {
    let line = try SSHKey().publicLine
    let file = "# all\n\(KeyTests.recipientText)\r\n\(line)\n\n\(TestPlugin.recipientText("plain"))"
    let found = try Self.recipients(file)
    expect(found.count, is: 3)
    expect((found[0] as? X25519Recipient)?.description, is: KeyTests.recipientText)
    expect(found[1] is SSHEd25519Recipient && found[2] is PluginRecipient)
    #expect(throws: AgeError.invalidKeyLine(line: 2, fault: .unsupportedKind)) {
      try Self.recipients("\(line)\nssh-rsa AAAA\n")
    }
    #expect(throws: AgeError.noKeys) { try Self.recipients("#\n") }
  }

  @Test("an identity file may mix native and plugin identities")
  func identityFile() throws {
    let file = "# all\n\(KeyTests.identityText)\n\(TestPlugin.identityText("plain"))\r\n"
    let found = try Self.identities(ascii(file))
    expect(found.count, is: 2)
    expect((found[0] as? X25519Identity)?.text, is: KeyTests.identityText)
    expect((found[1] as? PluginIdentity)?.name, is: "test")
    #expect(throws: AgeError.invalidKeyLine(line: 4, fault: .checksum)) {
      try Self.identities(ascii(file + TestPlugin.identityText("plain").dropLast() + "Q\n"))
    }
    #expect(throws: AgeError.invalidKeyLine(line: 1, fault: .unsupportedKind)) {
      try Self.identities(ascii(bech32("age-secret-key-pq-", sample(32)).uppercased()))
    }
    #expect(throws: AgeError.noKeys) { try Self.identities([]) }
  }

  @Test("an OpenSSH private key is an identity file, and what needs a passphrase first is told apart")
  func privateKeys() throws {
    let key = try SSHKey()
    let found = try Self.identities(key.privateFile)
    expect(found.count, is: 1)
    expect((found[0] as? SSHEd25519Identity)?.recipient, is: try key.identity().recipient)
    let locked = try SSHKey(passphrase: "correct horse").privateFile
    let file = try AgeFile.encrypt(ascii(KeyTests.identityText), to: [try ScryptRecipient.make("x")])
    for file in [locked, file, encodeArmor(file)] {
      #expect(throws: AgeError.invalidKey(.passphraseProtected)) { try Self.identities(file) }
    }
    #expect(throws: AgeError.invalidKey(.unsupportedKind)) {
      try Self.identities(ascii("-----BEGIN RSA PRIVATE KEY-----\n"))
    }
    let large = [UInt8](repeating: 35, count: IdentityFile.maximumSize + 1)
    #expect(throws: AgeError.keyFileTooLarge(limit: 1 << 20)) { try Self.identities(large) }
  }
}
