import Age
import Expectations
import Glibc
import TestSupport
import Testing

/// Makes a key pair with ssh-keygen in a folder: `key` and `key.pub`.
private func makeSSHKey(in place: TemporaryFolder, passphrase: String = "") async throws {
  try await execute(
    "ssh-keygen",
    ["-q", "-t", "ed25519", "-N", passphrase, "-C", "alice@example.com", "-f", place["key"]],
    install: "apt-get install openssh-client")
}

@Suite(.serialized) struct SSHKeyInteropTests {
  @Test("age reads what we encrypt for an SSH key, and we read what it encrypts", arguments: Case.all)
  func stockAge(_ file: Case) async throws {
    let place = TemporaryFolder()
    try await makeSSHKey(in: place)
    let recipients = try contents(of: place["key.pub"]).withUnsafeBytes {
      try RecipientsFile.parse($0, plugins: PluginSettings())
    }
    let identities = try contents(of: place["key"]).withUnsafeBytes {
      try IdentityFile.parse($0, plugins: PluginSettings())
    }
    try await place.expectExchange(
      file, to: recipients, readWith: "key", writing: ["-R", place["key.pub"]], with: identities)
  }

  @Test("pyrage reads what we encrypt for an SSH key, and we read what it encrypts", arguments: 0..<8)
  func pyrage(_ number: Int) async throws {
    let place = TemporaryFolder()
    try await makeSSHKey(in: place)
    let identity = try contents(of: place["key"]).withUnsafeBytes { try SSHEd25519Identity(parsing: $0) }
    let plaintext = Case(size: 1000 * number, armored: false).plaintext
    place.write(plaintext, to: "plain.txt")
    place.write(try AgeFile.encrypt(plaintext, to: [identity.recipient]), to: "ours.age")
    let script = """
      import sys, pyrage
      folder = sys.argv[1]
      read = lambda name: open(f"{folder}/{name}", "rb").read()
      recipient = pyrage.ssh.Recipient.from_str(read("key.pub").decode().strip())
      identity = pyrage.ssh.Identity.from_buffer(read("key"))
      plain = read("plain.txt")
      if pyrage.decrypt(read("ours.age"), [identity]) != plain: sys.exit("another content")
      open(f"{folder}/theirs.age", "wb").write(pyrage.encrypt(plain, [recipient]))
      """
    try await Python.run(script, [place.path])
    try expect(AgeFile.decrypt(try contents(of: place["theirs.age"]), with: [identity]), is: plaintext)
  }

  @Test("a key whose passphrase ssh-keygen takes off can be used")
  func passphraseTakenOff() async throws {
    let place = TemporaryFolder()
    try await makeSSHKey(in: place, passphrase: "correct horse")
    #expect(throws: AgeError.invalidKey(.passphraseProtected)) {
      try contents(of: place["key"]).withUnsafeBytes { _ = try SSHEd25519Identity(parsing: $0) }
    }
    try await execute(
      "ssh-keygen", ["-q", "-p", "-P", "correct horse", "-N", "", "-f", place["key"]],
      install: "apt-get install openssh-client")
    let identity = try contents(of: place["key"]).withUnsafeBytes { try SSHEd25519Identity(parsing: $0) }
    let line = String(decoding: try contents(of: place["key.pub"]).dropLast(), as: UTF8.self)
    try expect(SSHEd25519Recipient(parsing: line), is: identity.recipient)
  }
}

/// The same plugin, run by stock age and by us: each must read what the other wrote through it.
@Suite(.serialized) struct PluginInteropTests {
  /// The recipient and the identity with the data `plain`, in Bech32 (BIP 173).
  static let plain = (
    recipient: "age1test1wpkxz6twp8ktg2", identity: "AGE-PLUGIN-TEST-1WPKXZ6TWMLEMPK"
  )

  private func makePlugin(in place: TemporaryFolder) throws -> PluginSettings {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    guard symlink("\(root)/Tests/AgeTests/age-plugin-test", place["age-plugin-test"]) == 0 else {
      throw Failure("cannot make a link to age-plugin-test")
    }
    return PluginSettings(searchPath: place.path, timeLimit: .seconds(60))
  }

  @Test("age reads through a plugin what we encrypt, and we read what it encrypts", arguments: Case.all)
  func plugin(_ file: Case) async throws {
    let place = TemporaryFolder()
    let settings = try makePlugin(in: place)
    let identityFile = Array("# test\n\(Self.plain.identity)\n".utf8)
    place.write(identityFile, to: "identity.txt")
    let recipient = try RecipientsFile.parseRecipient(Self.plain.recipient, plugins: settings)
    let identities = try identityFile.withUnsafeBytes { try IdentityFile.parse($0, plugins: settings) }
    try await place.expectExchange(
      file, to: [recipient], readWith: "identity.txt", writing: ["-r", Self.plain.recipient],
      with: identities,
      plugins: place.path)
  }

  @Test("age wraps for a plugin's identity as we do")
  func wrapsForIdentity() async throws {
    let place = TemporaryFolder()
    let settings = try makePlugin(in: place)
    place.write(Array("\(Self.plain.identity)\n".utf8), to: "identity.txt")
    place.write(Array("hello".utf8), to: "plain.txt")
    try await StockAge.run(
      ["-e", "-i", place["identity.txt"], "-o", place["theirs.age"], place["plain.txt"]], plugins: place.path)
    let identity = try Array(Self.plain.identity.utf8).withUnsafeBytes {
      try PluginIdentity(parsing: $0, settings: settings)
    }
    let theirs = try contents(of: place["theirs.age"])
    try expect(AgeFile.decrypt(theirs, with: [identity]), is: Array("hello".utf8))
    let ours = try AgeFile.encrypt(Array("hello".utf8), to: [identity])
    func stanzas(_ file: [UInt8]) throws -> [String] {
      try file.withUnsafeBytes { try Header(parsing: $0) }.stanzas.map { "\($0.type) \($0.arguments)" }
    }
    try expect(stanzas(ours), is: stanzas(theirs))
  }
}

/// A plugin by others, age-plugin-trezor-slip11 from PyPI, with the device that its test mode simulates. It has only
/// identities, and encrypts to them.
@Suite(.serialized) struct TrezorPluginTests {
  static let identity = "AGE-PLUGIN-TREZOR-SLIP11-1QQPXZCNRCVP62G"

  /// Sets the environment that selects the plugin's test mode, for stock age and for us.
  private func makePlugin(in place: TemporaryFolder, testMode: Bool = true) async throws -> PluginSettings {
    let lines = [
      "#!/bin/sh", "AGE_PLUGIN_TREZOR_SLIP11_UNSAFE_TEST_MODE=\(testMode)",
      "export AGE_PLUGIN_TREZOR_SLIP11_UNSAFE_TEST_MODE",
      "exec '\(Python.program)' -m age_plugin_trezor_slip11 \"$@\"",
    ]
    place.write(Array(lines.joined(separator: "\n").utf8), to: "script")
    // A file that this process has written might still be open for writing in one of its children, and could not be
    // run.
    try await execute(
      "install", ["-m", "755", place["script"], place["age-plugin-trezor-slip11"]],
      install: "apt-get install coreutils")
    try await Python.run(
      "import age_plugin_trezor_slip11.__main__", [], package: "age-plugin-trezor-slip11")
    return PluginSettings(
      searchPath: place.path, timeLimit: .seconds(60), standardError: testMode ? .inherited : .discarded)
  }

  private func makeIdentity(_ settings: PluginSettings) throws -> PluginIdentity {
    try Array(Self.identity.utf8).withUnsafeBytes { try PluginIdentity(parsing: $0, settings: settings) }
  }

  @Test("through it, age reads what we encrypt, and we read what it encrypts")
  func bothWays() async throws {
    let place = TemporaryFolder()
    let settings = try await makePlugin(in: place)
    let identity = try makeIdentity(settings)
    let plaintext = Case(size: 1000, armored: false).plaintext
    place.write(Array("\(Self.identity)\n".utf8), to: "identity.txt")
    place.write(
      try AgeFile.encrypt(plaintext, to: [identity, X25519Identity().recipient]), to: "ours.age")
    try await StockAge.run(
      ["-d", "-i", place["identity.txt"], "-o", place["ours.txt"], place["ours.age"]], plugins: place.path)
    try expect(contents(of: place["ours.txt"]), is: plaintext)

    try await StockAge.run(
      ["-e", "-i", place["identity.txt"], "-o", place["theirs.age"], place["ours.txt"]], plugins: place.path)
    try expect(AgeFile.decrypt(try contents(of: place["theirs.age"]), with: [identity]), is: plaintext)
    let other = try AgeFile.encrypt(plaintext, to: [X25519Identity().recipient])
    #expect(throws: AgeError.noMatch) { try AgeFile.decrypt(other, with: [identity]) }
  }

  @Test("without a device, the plugin's own words are the error")
  func noDevice() async throws {
    let place = TemporaryFolder()
    let identity = try makeIdentity(try await makePlugin(in: place, testMode: false))
    do {
      _ = try identity.wrap(FileKey())
      Issue.record("it wrapped a key without a device")
    } catch {
      guard case .plugin("trezor-slip11", .reported(.identity, let message)) = error else { throw error }
      expect(!message.isEmpty)
    }
  }
}
