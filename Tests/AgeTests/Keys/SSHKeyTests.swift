import Age
import Bytes
import CSodium
import Expectations
import TestSupport
import Testing

/// Keys made by ssh-keygen.
struct SSHKey {
  let publicLine: String
  let privateFile: [UInt8]

  init(type: String = "ed25519", passphrase: String = "", comment: String = "alice@example.com") throws {
    let folder = TemporaryFolder()
    try execute(
      "/usr/bin/ssh-keygen",
      ["-q", "-t", type, "-N", passphrase, "-C", comment, "-f", folder["key"]]
        + (passphrase.isEmpty ? [] : ["-a", "1"]) + (type == "rsa" ? ["-b", "1024"] : []))
    privateFile = try TestSupport.contents(of: folder["key"])
    publicLine = String(decoding: try TestSupport.contents(of: folder["key.pub"]).dropLast(), as: UTF8.self)
  }

  func identity() throws -> SSHEd25519Identity { try Self.parse(privateFile) }

  static func parse(_ file: [UInt8]) throws -> SSHEd25519Identity {
    try file.withUnsafeBytes { try SSHEd25519Identity(parsing: $0) }
  }

  /// The decoded text between BEGIN and END.
  static func contents(_ file: [UInt8]) throws -> [UInt8] {
    let lines = String(decoding: file, as: UTF8.self).split(separator: "\n").dropFirst().dropLast()
    var text = ascii(lines.joined())
    while text.last == UInt8(ascii: "=") { text.removeLast() }
    return try #require(decode(text))
  }

  static func decode(_ text: [UInt8]) -> [UInt8]? {
    text.withUnsafeBytes { text in
      let output = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
      defer { output.deallocate() }
      return Base64.decode(text, into: output).map { Array(output[..<$0]) }
    }
  }

  /// A file with these contents.
  static func file(_ contents: [UInt8], columns: Int = 70, lineEnd: String = "\n") -> [UInt8] {
    var text: [UInt8] = []
    contents.withUnsafeBytes { Base64.encode($0, padded: true, appendingTo: &text) }
    var lines = ["-----BEGIN OPENSSH PRIVATE KEY-----"]
    for start in stride(from: 0, to: text.count, by: columns) {
      lines.append(String(decoding: text[start..<min(start + columns, text.count)], as: UTF8.self))
    }
    return ascii((lines + ["-----END OPENSSH PRIVATE KEY-----", ""]).joined(separator: lineEnd))
  }

  static func string(_ bytes: [UInt8]) -> [UInt8] { number(bytes.count) + bytes }

  static func number(_ value: Int) -> [UInt8] {
    [UInt8(value >> 24 & 255), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
  }
}

/// A key, and a file that age 1.1.1 encrypted for it.
private enum StockAgeFile {
  static let key = """
    -----BEGIN OPENSSH PRIVATE KEY-----
    b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
    QyNTUxOQAAACCQoQH1ABdMeOSae0fRbCSgpeIQeWnhRfyOMjMMapsI6QAAAJBQEEQHUBBE
    BwAAAAtzc2gtZWQyNTUxOQAAACCQoQH1ABdMeOSae0fRbCSgpeIQeWnhRfyOMjMMapsI6Q
    AAAEAUSrhnNHruWTkCnqhJQF1tsqxfh+/9m5bl6CreEz4DdpChAfUAF0x45Jp7R9FsJKCl
    4hB5aeFF/I4yMwxqmwjpAAAABnZlY3RvcgECAwQFBgc=
    -----END OPENSSH PRIVATE KEY-----
    """
  static let contents = """
    -----BEGIN AGE ENCRYPTED FILE-----
    YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNzaC1lZDI1NTE5IHdLclpxQSBteVZ3
    QXdEV3hPV0NMRHNBTDNJaFl4ejZHWjVEZkp5LzZNWmZ5Q05Ea3dZCjRvR2YvdWxZ
    a2syMXhERGVBdzBSR1ZWYk8zQ3cyc0ZtQmpaZTFVNGRpajgKLS0tIFZXV3Q2SDFF
    ZWl5YXZPdGplMll0RmY2dVdPSmExZERsdjBoQVpsNitRa3MKUbGojlL3Xti+5yv+
    5nPvz3S7hZU50gI8G+FRpHuPZd5tmrGczK5cWT8iPMvw4rGIuxFHew==
    -----END AGE ENCRYPTED FILE-----
    """
}

@Suite struct SSHKeyTests {
  @Test("a file that age encrypted for an SSH key is opened")
  func vector() throws {
    let identity = try SSHKey.parse(ascii(StockAgeFile.key))
    let contents = try AgeFile.decrypt(ascii(StockAgeFile.contents), with: [identity])
    expect(contents, is: ascii("hello from stock age"))
  }

  @Test("what is encrypted for a public key of ssh-keygen, its private key opens", arguments: 0..<4)
  func roundTrip(_ number: Int) throws {
    let key = try SSHKey(comment: String(repeating: "c", count: number * 3))
    let other = try SSHKey()
    let recipient = try SSHEd25519Recipient(parsing: key.publicLine)
    let identity = try key.identity()
    expect(identity.recipient, is: recipient)
    expect(key.publicLine.hasPrefix(recipient.description))
    try expect(SSHEd25519Recipient(parsing: recipient.description), is: recipient)
    let native = X25519Identity()
    let file = try AgeFile.encrypt(
      ascii("hello"), to: [try other.identity().recipient, recipient, native.recipient])
    try expect(AgeFile.decrypt(file, with: [identity]), is: ascii("hello"))
    try expect(AgeFile.decrypt(file, with: [try other.identity()]), is: ascii("hello"))
    try expect(AgeFile.decrypt(file, with: [native]), is: ascii("hello"))
    let third = try SSHKey().identity()
    #expect(throws: AgeError.noMatch) { try AgeFile.decrypt(file, with: [third]) }
  }

  @Test("a stanza carries the beginning of the key's SHA-256, and a fresh share each time")
  func stanza() throws {
    let key = try SSHKey()
    let recipient = try SSHEd25519Recipient(parsing: key.publicLine)
    let stanza = try #require(try recipient.wrap(FileKey()).first)
    let again = try #require(try recipient.wrap(FileKey()).first)
    let encoded = String(key.publicLine.split(separator: " ")[1])
    let blob = try #require(SSHKey.decode(ascii(encoded)))
    var hash = SHA256()
    blob.withUnsafeBytes { hash.update($0) }
    let tag = try #require(SSHKey.decode(ascii(stanza.arguments[0])))
    expect(hex(tag) == hash.finish().prefix(8))
    expect(stanza.type == "ssh-ed25519" && stanza.arguments.count == 2 && stanza.body.count == 32)
    expect(stanza.arguments[1] != again.arguments[1])
  }

  @Test("a public key line in any but the plain form is refused")
  func publicLines() throws {
    let line = try SSHKey(comment: "a b").publicLine
    let fields = line.split(separator: " ").map(String.init)
    let blob = try #require(SSHKey.decode(ascii(fields[1])))
    func encoded(_ bytes: [UInt8]) -> String {
      var text: [UInt8] = []
      bytes.withUnsafeBytes { Base64.encode($0, padded: true, appendingTo: &text) }
      return "ssh-ed25519 " + String(decoding: text, as: UTF8.self)
    }
    try expect(SSHEd25519Recipient(parsing: line).publicKey, is: Array(blob.suffix(32)))
    let noPoint = [UInt8](repeating: 2, count: 32)
    let identityPoint = [1] + [UInt8](repeating: 0, count: 31)
    let cases: [(String, KeyFault)] = [
      ("", .unsupportedKind), ("ssh-ed25519", .unsupportedKind), (" " + line, .unsupportedKind),
      ("restrict " + line, .unsupportedKind), ("ssh-rsa \(fields[1])", .unsupportedKind),
      ("SSH-ED25519 \(fields[1])", .unsupportedKind), ("ssh-ed25519\t\(fields[1])", .unsupportedKind),
      ("ssh-ed25519  \(fields[1])", .structure), ("ssh-ed25519 ", .structure),
      ("ssh-ed25519 \(fields[1])=", .base64), ("ssh-ed25519 \(fields[1].dropLast())", .base64),
      ("ssh-ed25519 *\(fields[1].dropFirst())", .base64), (line + "\n", .character),
      (line + "\u{7F}", .character),
      ("ssh-ed25519 \(fields[1])\tx", .base64),
      ("ssh-ed25519 " + String(repeating: "A", count: 1 << 16), .length),
      (encoded(blob + [0]), .structure), (encoded(Array(blob.dropLast())), .structure),
      (encoded(SSHKey.string(ascii("ssh-ed25519")) + SSHKey.string(Array(blob.suffix(31)))), .length),
      (encoded(SSHKey.string(ascii("ssh-rsa")) + SSHKey.string(Array(blob.suffix(32)))), .unsupportedKind),
      (encoded(SSHKey.string(ascii("ssh-ed25519")) + [255, 255, 255, 255]), .structure),
      (encoded(SSHKey.string(ascii("ssh-ed25519")) + SSHKey.string(noPoint)), .point),
      (encoded(SSHKey.string(ascii("ssh-ed25519")) + SSHKey.string(identityPoint)), .point),
    ]
    for (text, fault) in cases {
      #expect(throws: AgeError.invalidKey(fault), "\(text.prefix(100))") {
        try SSHEd25519Recipient(parsing: text)
      }
    }
    #expect(throws: AgeError.invalidKey(.length)) { try SSHEd25519Recipient(publicKey: [1]) }
  }

  @Test("a key with a passphrase and a key of another type are told apart", arguments: ["rsa", "ecdsa"])
  func otherPrivateKeys(_ type: String) throws {
    let locked = try SSHKey(passphrase: "correct horse").privateFile
    #expect(throws: AgeError.invalidKey(.passphraseProtected)) { try SSHKey.parse(locked) }
    let other = try SSHKey(type: type).privateFile
    #expect(throws: AgeError.invalidKey(.unsupportedKind)) { try SSHKey.parse(other) }
    let both = try SSHKey(type: type, passphrase: "correct horse").privateFile
    #expect(throws: AgeError.invalidKey(.unsupportedKind)) { try SSHKey.parse(both) }
  }

  @Test("the private key's lines may be of any length and end in either way, and nothing else may differ")
  func armor() throws {
    let key = try SSHKey()
    let recipient = try key.identity().recipient
    let contents = try SSHKey.contents(key.privateFile)
    expect(SSHKey.file(contents), is: key.privateFile)
    for columns in [1, 64, 76, 10_000] {
      try expect(SSHKey.parse(SSHKey.file(contents, columns: columns)).recipient, is: recipient)
    }
    try expect(SSHKey.parse(SSHKey.file(contents, lineEnd: "\r\n")).recipient, is: recipient)
    try expect(SSHKey.parse(key.privateFile + ascii("\n\r\n")).recipient, is: recipient)
    try expect(SSHKey.parse(Array(key.privateFile.dropLast())).recipient, is: recipient)
    for file in [
      [], ascii(" ") + key.privateFile, key.privateFile + ascii("x"), key.privateFile + key.privateFile,
      Array(key.privateFile.dropLast(2)), Array(key.privateFile.prefix(100)),
    ] {
      #expect(throws: AgeError.invalidKey(.separator)) { try SSHKey.parse(file) }
    }
    let text = String(decoding: key.privateFile, as: UTF8.self)
    let spaced = text.replacing("-----\nb3", with: "-----\n b3")
    #expect(throws: AgeError.invalidKey(.base64)) { try SSHKey.parse(ascii(spaced)) }
    let huge = ascii(text) + [UInt8](repeating: 10, count: IdentityFile.maximumSize)
    #expect(throws: AgeError.keyFileTooLarge(limit: 1 << 20)) { try SSHKey.parse(huge) }
  }

  @Test("a private key whose parts contradict each other is refused")
  func structure() throws {
    let seed = sample(32)
    var publicKey = [UInt8](repeating: 0, count: 32)
    var secretKey = [UInt8](repeating: 0, count: 64)
    _ = crypto_sign_seed_keypair(&publicKey, &secretKey, seed)
    let type = SSHKey.string(ascii("ssh-ed25519"))
    let other = try SSHKey().identity().recipient.publicKey

    func make(
      magic: String = "openssh-key-v1\0", cipher: String = "none", kdf: String = "none",
      options: [UInt8] = [],
      count: Int = 1, outer: [UInt8]? = nil, checks: [Int] = [7, 7], innerType: [UInt8]? = nil,
      inner: [UInt8]? = nil, secret: [UInt8]? = nil, comment: String = "hello", padding: [UInt8]? = nil,
      rest: [UInt8] = []
    ) -> [UInt8] {
      var list = checks.flatMap(SSHKey.number) + (innerType ?? type)
      list += SSHKey.string(inner ?? publicKey) + SSHKey.string(secret ?? secretKey)
      list += SSHKey.string(ascii(comment))
      list += padding ?? (0..<(8 - list.count % 8) % 8).map { UInt8($0 + 1) }
      let head = ascii(magic) + SSHKey.string(ascii(cipher)) + SSHKey.string(ascii(kdf))
      let key = SSHKey.string(type + SSHKey.string(outer ?? publicKey))
      return SSHKey.file(
        head + SSHKey.string(options) + SSHKey.number(count) + key + SSHKey.string(list) + rest)
    }

    try expect(SSHKey.parse(make()).recipient.publicKey, is: publicKey)
    let cases: [([UInt8], KeyFault)] = [
      (make(magic: "openssh-key-v2\0"), .structure), (make(cipher: "aes256-ctr"), .passphraseProtected),
      (make(kdf: "bcrypt"), .structure), (make(options: [1]), .structure), (make(count: 0), .structure),
      (make(count: 2), .structure), (make(outer: other), .structure), (make(inner: other), .structure),
      (make(outer: other, inner: other), .structure), (make(checks: [7, 8]), .structure),
      (make(innerType: SSHKey.string(ascii("ssh-rsa"))), .structure), (make(inner: [1]), .structure),
      (make(outer: [1]), .length), (make(secret: seed), .length), (make(secret: seed + other), .structure),
      (make(secret: [~secretKey[0]] + secretKey.dropFirst()), .structure),
      (make(comment: "hell", padding: []), .structure),
      (make(comment: "hello", padding: [1, 2, 4]), .structure), (make(padding: [0]), .structure),
      (make(rest: [0]), .structure),
    ]
    for (index, (file, fault)) in cases.enumerated() {
      #expect(throws: AgeError.invalidKey(fault), "case \(index)") { try SSHKey.parse(file) }
    }
  }

  @Test("a private key that is damaged anywhere is refused or still the same key", arguments: 0..<8)
  func fuzz(_ seed: UInt64) throws {
    let key = try SSHKey()
    let contents = try SSHKey.contents(key.privateFile)
    let recipient = try key.identity().recipient
    var random = SeededGenerator(seed: seed)
    var refused = 0
    for _ in 0..<500 {
      var damaged = random.mutated(contents)
      if Bool.random(using: &random) {
        // A parser is most likely to go wrong with lengths.
        let place = random.number(in: 0..<damaged.count - 4)
        damaged.replaceSubrange(
          place..<place + 4, with: SSHKey.number(random.number(in: 0..<0x1_0000_0000)))
      }
      var file = SSHKey.file(damaged)
      if Bool.random(using: &random) {
        file[Int.random(in: 0..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      do {
        try expect(SSHKey.parse(file).recipient, is: recipient)
      } catch is AgeError {
        refused += 1
      }
    }
    expect(refused > 400)
  }

  @Test("an ssh-ed25519 stanza of the wrong form ends the attempt, one for another key doesn't")
  func malformedStanzas() throws {
    let identity = try SSHKey().identity()
    let good = try #require(try identity.recipient.wrap(FileKey()).first)
    let (tag, share) = (good.arguments[0], good.arguments[1])
    for (arguments, body) in [
      ([], good.body), ([tag], good.body), ([tag, share, "x"], good.body), ([tag + "A", share], good.body),
      (["AAAAAB", share], good.body), ([tag, String(share.dropLast())], good.body),
      ([tag, share], good.body + [0]),
      ([tag, share], []),
    ] {
      let stanza = try Stanza(type: "ssh-ed25519", arguments: arguments, body: body)
      #expect(throws: AgeError.header(.sshEd25519Stanza)) { _ = try identity.unwrap([stanza]) }
    }
    let zero = String(repeating: "A", count: 43)
    let low = try Stanza(type: "ssh-ed25519", arguments: [tag, zero], body: good.body)
    #expect(throws: AgeError.header(.sshEd25519LowOrder)) { _ = try identity.unwrap([low]) }
    let foreign = try Stanza(type: "ssh-ed25519", arguments: ["AAAAAA", zero], body: good.body)
    let spoilt = try Stanza(type: "ssh-ed25519", arguments: [tag, share], body: good.body.reversed())
    let rsa = try Stanza(type: "ssh-rsa", arguments: [tag], body: [1])
    let isUnwrapped = try identity.unwrap([foreign, spoilt, rsa, good]) != nil
    expect(isUnwrapped)
    let isNothing = try identity.unwrap([foreign, spoilt, rsa]) == nil
    expect(isNothing)
  }
}
