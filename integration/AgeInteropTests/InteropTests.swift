import Age
import Expectations
import TestSupport
import Testing

/// A file in one format; every implementation must read what another wrote.
struct Case: Sendable, CustomTestStringConvertible {
  let size: Int
  let armored: Bool

  var testDescription: String { "\(size) bytes, \(armored ? "armored" : "binary")" }

  var plaintext: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: size) { memory, count in
      var word: UInt32 = 7
      for index in 0..<size {
        word = word &* 1_664_525 &+ 1_013_904_223
        memory[index] = UInt8(truncatingIfNeeded: word >> 24)
      }
      count = size
    }
  }

  static let sizes = [0, 1, 65535, 65536, 65537, 131_072]
  static let all = sizes.flatMap { [Case(size: $0, armored: false), Case(size: $0, armored: true)] }
}

extension TemporaryFolder {
  /// The output of a program's decryption. Stock age creates the output file with the first byte, so an empty file has
  /// none, and success is the whole answer.
  func output(_ name: String, of file: Case) throws -> [UInt8] {
    file.size == 0 ? read(name) ?? [] : try contents(of: self[name])
  }
}

extension X25519Identity {
  var text: String { withEncodedBytes { String(decoding: $0, as: UTF8.self) } }
}

extension TemporaryFolder {
  /// Expects that stock age reads what we encrypt, with a file here, and that we read what it encrypts with options.
  func expectExchange(
    _ file: Case, to recipients: [any Recipient], readWith identity: String, writing: [String],
    with identities: [any Identity], extraStanzas: [Stanza] = [], plugins: String? = nil
  ) async throws {
    let plaintext = file.plaintext
    let ours = try AgeFile.encrypt(
      plaintext, to: [X25519Identity().recipient] + recipients, extraStanzas: extraStanzas,
      armored: file.armored)
    write(ours, to: "ours.age")
    try await StockAge.run(
      ["-d", "-i", self[identity], "-o", self["ours.txt"], self["ours.age"]], plugins: plugins)
    try expect(output("ours.txt", of: file), is: plaintext)

    write(plaintext, to: "theirs.txt")
    let form = file.armored ? ["-a"] : []
    try await StockAge.run(
      form + writing + ["-o", self["theirs.age"], self["theirs.txt"]], plugins: plugins)
    let theirs = try contents(of: self["theirs.age"])
    expect(theirs.withUnsafeBytes { FileEncoding.detect($0) }, is: file.armored ? .armored : .binary)
    try expect(AgeFile.decrypt(theirs, with: identities), is: plaintext)
  }
}

@Suite(.serialized) struct StockAgeTests {
  @Test("age reads what we encrypt for a key, and we read what it encrypts", arguments: Case.all)
  func recipients(_ file: Case) async throws {
    let place = TemporaryFolder()
    let identity = X25519Identity()
    place.write(Array("# test\n\(identity.text)\n".utf8), to: "identity.txt")
    let extra = try Stanza(type: "example.com/slot", arguments: ["1"], body: [UInt8](repeating: 7, count: 96))
    try await place.expectExchange(
      file, to: [identity.recipient], readWith: "identity.txt",
      writing: ["-r", identity.recipient.description], with: [X25519Identity(), identity],
      extraStanzas: [extra])
  }

  @Test("age reads what we encrypt with a passphrase, and we read what it encrypts", arguments: Case.all)
  func passphrase(_ file: Case) async throws {
    let place = TemporaryFolder()
    let plaintext = file.plaintext
    let passphrase = Array("correct horse".utf8)
    let recipient = try passphrase.withUnsafeBytes { try ScryptRecipient(passphrase: $0, logN: 10) }
    place.write(try AgeFile.encrypt(plaintext, to: [recipient], armored: file.armored), to: "ours.age")
    try await StockAge.run(["-d", "-o", place["ours.txt"], place["ours.age"]], passphrase: "correct horse")
    try expect(place.output("ours.txt", of: file), is: plaintext)

    // age always takes about a second to write with a passphrase, so this runs once for each format.
    guard file.size == 65537 else { return }
    place.write(plaintext, to: "theirs.txt")
    let form = file.armored ? ["-a"] : []
    try await StockAge.run(
      form + ["-p", "-o", place["theirs.age"], place["theirs.txt"]], passphrase: "correct horse")
    let identity = try passphrase.withUnsafeBytes { try ScryptIdentity(passphrase: $0) }
    try expect(AgeFile.decrypt(try contents(of: place["theirs.age"]), with: [identity]), is: plaintext)
  }

  @Test("we read the identity file that age-keygen writes, and age-keygen derives our recipient")
  func keygen() async throws {
    let place = TemporaryFolder()
    try await execute("age-keygen", ["-o", place["identity.txt"]], install: "apt-get install age")
    let identities = try contents(of: place["identity.txt"]).withUnsafeBytes { try IdentityFile.parse($0) }
    let output = try await execute(
      "age-keygen", ["-y", place["identity.txt"]], install: "apt-get install age")
    expect(identities.map(\.recipient.description), is: output.split(separator: "\n").map(String.init))
  }
}

@Suite(.serialized) struct PyrageTests {
  @Test("pyrage reads what we encrypt for a key, and we read what it encrypts", arguments: Case.all)
  func recipients(_ file: Case) async throws {
    let place = TemporaryFolder()
    let identity = X25519Identity()
    let plaintext = file.plaintext
    place.write(
      try AgeFile.encrypt(plaintext, to: [identity.recipient], armored: file.armored), to: "ours.age")
    try await Python.pyrage(
      "decrypt", kind: "x25519", key: identity.text, from: place["ours.age"], to: place["ours.txt"])
    try expect(place.output("ours.txt", of: file), is: plaintext)

    place.write(plaintext, to: "theirs.txt")
    try await Python.pyrage(
      "encrypt", kind: "x25519", key: identity.recipient.description, armored: file.armored,
      from: place["theirs.txt"], to: place["theirs.age"])
    try expect(AgeFile.decrypt(try contents(of: place["theirs.age"]), with: [identity]), is: plaintext)
  }

  @Test("pyrage reads what we encrypt with a passphrase, and we read what it encrypts", arguments: Case.all)
  func passphrase(_ file: Case) async throws {
    let place = TemporaryFolder()
    let plaintext = file.plaintext
    let passphrase = Array("contraseña".utf8)
    let recipient = try passphrase.withUnsafeBytes { try ScryptRecipient(passphrase: $0, logN: 10) }
    place.write(try AgeFile.encrypt(plaintext, to: [recipient], armored: file.armored), to: "ours.age")
    try await Python.pyrage(
      "decrypt", kind: "passphrase", key: "contraseña", from: place["ours.age"], to: place["ours.txt"])
    try expect(place.output("ours.txt", of: file), is: plaintext)

    // pyrage takes seconds to write with a passphrase, and so does reading it here. How what follows the header is
    // written doesn't depend on the kind of recipient: keys have every size in both formats.
    guard file.size == 65537, !file.armored else { return }
    place.write(plaintext, to: "theirs.txt")
    try await Python.pyrage(
      "encrypt", kind: "passphrase", key: "contraseña", from: place["theirs.txt"], to: place["theirs.age"])
    let identity = try passphrase.withUnsafeBytes { try ScryptIdentity(passphrase: $0, maximumLogN: 22) }
    try expect(AgeFile.decrypt(try contents(of: place["theirs.age"]), with: [identity]), is: plaintext)
  }
}
