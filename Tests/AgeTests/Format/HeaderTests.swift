import Age
import Expectations
import Testing

@Suite struct HeaderTests {
  static let identity = X25519Identity()

  static let version = "age-encryption.org/v1\n"

  static let malformedHeaders: [(String, HeaderFault)] = [
    ("age-encryption.org/v2\n", .unsupportedVersion),
    ("age-encryption.org/v1\r\n", .unsupportedVersion),
    ("age-encryption.com/v1\n", .notAge),
    ("-----BEGIN AGE ENCRYPTED FILE-----\n", .notAge),
    ("ssh\n", .notAge),
    (version + "--- \(mac)\n", .noStanza),
    (version + "->x\n\n", .stanzaArguments),
    (version + "->\n\n", .stanzaArguments),
    (version + "-> \n\n", .stanzaArguments),
    (version + "->  x\n\n", .stanzaArguments),
    (version + "-> x \n\n", .stanzaArguments),
    (version + "-> x\r\n\n", .stanzaArguments),
    (version + "\n\n", .stanzaArguments),
    (version + "-> x\nAA==\n", .stanzaBody),
    (version + "-> x\nAB\n", .stanzaBody),
    (version + "-> x\nA\n", .stanzaBody),
    (version + "-> x\n\(mac)\(mac)\n", .stanzaBody),
    (version + "-> x\n--- \n", .stanzaBody),
    (version + "-> x\n\n---\n", .macLine),
    (version + "-> x\n\n--- AAAA\n", .macLine),
    (version + "-> x\n\n---  \(mac)\n", .macLine),
    (version + "-> x\n\n--- \(mac)=\n", .macLine),
    (version + "-> x\n\n--- \(mac.dropLast())B\n", .macLine),
  ]

  static let mac = String(repeating: "A", count: 43)

  static func header(_ stanzas: [Stanza] = []) throws -> [UInt8] {
    let fileKey = FileKey()
    return try Header.encode(stanzas: try identity.recipient.wrap(fileKey) + stanzas, fileKey: fileKey)
  }

  @Test("every prefix of a header asks for more and says nothing else")
  func truncated() throws {
    let header = try Self.header([try Stanza(type: "example.com/x", arguments: ["a"], body: sample(100))])
    for count in 0..<header.count {
      #expect(throws: AgeError.header(.truncated)) { try Header(Array(header[..<count])) }
    }
    let parsed = try Header(header + sample(100))
    expect(parsed.encodedSize, is: header.count)
    expect(parsed.mac.count, is: 32)
  }

  @Test(
    "a malformed header is refused for its reason",
    arguments: malformedHeaders)
  func malformed(_ text: String, _ fault: HeaderFault) {
    #expect(throws: AgeError.header(fault)) { try Header(ascii(text)) }
  }

  @Test("stanzas of unknown types are kept and ignored, with bodies of every length")
  func unknownStanzas() throws {
    let extra = try (0...150).map {
      try Stanza(type: "example.com/\($0)", arguments: ["~", "!"], body: sample($0))
    }
    let file = try AgeFile.encrypt(ascii("hello"), to: [Self.identity.recipient], extraStanzas: extra)
    try expect(AgeFile.decrypt(file, with: [Self.identity]), is: ascii("hello"))
    expect(Array(try Header(file).stanzas.dropFirst()), is: extra)
  }

  @Test(
    "a stanza of forbidden characters cannot be made",
    arguments: ["", " ", "a b", "a\n", "\u{E9}", "\u{7F}", "\0"])
  func forbidden(_ text: String) {
    #expect(throws: AgeError.header(.stanzaArguments)) { try Stanza(type: text) }
    #expect(throws: AgeError.header(.stanzaArguments)) { try Stanza(type: "x", arguments: [text]) }
  }

  @Test("each of several recipients can decrypt, and nobody else")
  func severalRecipients() throws {
    let identities = (0..<5).map { _ in X25519Identity() }
    let file = try AgeFile.encrypt(ascii("shared"), to: identities.map(\.recipient))
    for identity in identities { try expect(AgeFile.decrypt(file, with: [identity]), is: ascii("shared")) }
    try expect(AgeFile.decrypt(file, with: [X25519Identity(), identities[4]]), is: ascii("shared"))
    #expect(throws: AgeError.noMatch) { try AgeFile.decrypt(file, with: [X25519Identity()]) }
    #expect(throws: AgeError.noMatch) { try AgeFile.decrypt(file, with: []) }
    #expect(throws: AgeError.noMatch) { try AgeFile.decrypt(file, with: [try ScryptIdentity.make("x")]) }
  }

  @Test("a file for nobody is not written")
  func noRecipients() {
    #expect(throws: AgeError.noRecipients) { try AgeFile.encrypt(ascii("x"), to: []) }
    #expect(throws: AgeError.header(.noStanza)) { _ = try Header.encode(stanzas: [], fileKey: FileKey()) }
  }

  @Test("1024 stanzas are the most there may be")
  func manyStanzas() throws {
    let grease = try Stanza(type: "grease")
    let header = try Self.header([Stanza](repeating: grease, count: 1023))
    try expect(Header(header).stanzas.count, is: 1024)
    #expect(throws: AgeError.header(.tooManyStanzas)) {
      _ = try Self.header([Stanza](repeating: grease, count: 1024))
    }
    let text = "age-encryption.org/v1\n" + String(repeating: "-> x\n\n", count: 1025)
    #expect(throws: AgeError.header(.tooManyStanzas)) { try Header(ascii(text)) }
  }

  @Test("a header of more than 2 MiB is refused, read and written")
  func tooLarge() throws {
    let stanza = try Stanza(type: "x", body: [UInt8](repeating: 0, count: 1 << 21))
    #expect(throws: AgeError.header(.tooLarge)) { _ = try Self.header([stanza]) }
    let line = String(repeating: "A", count: 64) + "\n"
    let text = ascii(
      "age-encryption.org/v1\n-> x\n" + String(repeating: line, count: Header.maximumSize / 65 + 1))
    #expect(throws: AgeError.header(.tooLarge)) { try Header(text) }
    let endless = ascii("age-encryption.org/v1\n-> ") + [UInt8](repeating: 65, count: Header.maximumSize)
    #expect(throws: AgeError.header(.tooLarge)) { try Header(endless) }
  }

  @Test("an X25519 stanza of the wrong form ends the attempt")
  func malformedX25519() throws {
    let good = try Header(try Self.header()).stanzas[0]
    let share = good.arguments[0]
    for (arguments, body) in [
      ([], good.body), ([share, "x"], good.body), ([share + "A"], good.body),
      ([String(share.dropLast())], good.body), ([share], good.body + [0]), ([share], []),
    ] {
      let stanza = try Stanza(type: "X25519", arguments: arguments, body: body)
      #expect(throws: AgeError.header(.x25519Stanza)) { _ = try Self.identity.unwrap([stanza]) }
    }
  }

  @Test("another type of recipient and identity can be added")
  func customRecipient() throws {
    final class Mirror: Identity, Recipient {
      func wrap(_ fileKey: borrowing FileKey) throws(AgeError) -> [Stanza] {
        [try Stanza(type: "example.com/mirror", body: fileKey.withUnsafeBytes { $0.reversed() })]
      }

      func unwrap(_ stanzas: [Stanza]) throws(AgeError) -> FileKey? {
        guard let stanza = stanzas.first(where: { $0.type == "example.com/mirror" }) else { return nil }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: stanza.body.count, alignment: 1)
        defer { bytes.deallocate() }
        bytes.copyBytes(from: stanza.body.reversed())
        return try FileKey(bytes: UnsafeRawBufferPointer(bytes))
      }
    }
    let file = try AgeFile.encrypt(ascii("x"), to: [Mirror(), Self.identity.recipient])
    try expect(AgeFile.decrypt(file, with: [Mirror()]), is: ascii("x"))
    try expect(AgeFile.decrypt(file, with: [Self.identity]), is: ascii("x"))
  }
}
