import Age
import Expectations
import Glibc
import TestSupport
import Testing

@Suite struct PluginTests {
  static let native = X25519Identity()

  /// A file that the plugin can open, with a stanza of another kind.
  static func file(_ plugin: TestPlugin) throws -> [UInt8] {
    try AgeFile.encrypt(ascii("hello"), to: [native.recipient, try plugin.recipient("plain")])
  }

  @Test("what a plugin wraps, it unwraps, beside other recipients and identities")
  func roundTrip() throws {
    let plugin = try TestPlugin()
    let extra = try Stanza(type: "example.com/slot", arguments: ["a", "b"], body: sample(1000))
    let file = try AgeFile.encrypt(
      ascii("hello"), to: [try plugin.recipient("plain"), Self.native.recipient], extraStanzas: [extra])
    try expect(Header(file).stanzas.map(\.type), is: ["test", "X25519", "example.com/slot"])
    try expect(
      AgeFile.decrypt(file, with: [X25519Identity(), try plugin.identity("plain")]), is: ascii("hello"))
    try expect(AgeFile.decrypt(file, with: [Self.native]), is: ascii("hello"))
    try expect(plugin.isGone())
    let identity = try plugin.identity("stranger")
    #expect(throws: AgeError.noMatch) { try AgeFile.decrypt(file, with: [identity]) }
    try expect(AgeFile.decrypt(file, with: [identity, Self.native]), is: ascii("hello"))
  }

  @Test("a plugin's wrong key is told from an altered header by what it opens")
  func wrongKey() throws {
    let plugin = try TestPlugin()
    let file = try Self.file(plugin)
    let (right, wrong) = (try plugin.identity("plain"), try plugin.identity("wrong-key"))
    var bytes = file
    let mac = try Header(file).encodedSize - 10
    bytes[mac] = bytes[mac] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    let altered = bytes
    for file in [file, altered] {
      #expect(throws: AgeError.plugin(name: "test", fault: .wrongKey)) {
        try AgeFile.decrypt(file, with: [wrong])
      }
    }
    #expect(throws: AgeError.headerMAC) { try AgeFile.decrypt(altered, with: [right]) }
  }

  @Test("a plugin wraps for an identity, too")
  func wrapsForIdentity() throws {
    let plugin = try TestPlugin()
    let identity = try plugin.identity("plain")
    let file = try AgeFile.encrypt(ascii("hello"), to: [identity])
    try expect(Header(file).stanzas.map(\.arguments), is: [["identity"]])
    try expect(AgeFile.decrypt(file, with: [identity]), is: ascii("hello"))
  }

  @Test("a plugin talks with a person in both state machines")
  func talk() throws {
    let plugin = try TestPlugin()
    let person = Person(pin: String(repeating: "0123456789", count: 30))
    let settings = plugin.settings(interaction: person)
    let stanzas = try plugin.recipient("talk", settings).wrap(FileKey())
    let answers = try stanzas[0].arguments.dropFirst().map { try #require(SSHKey.decode(ascii($0))) }
    expect(answers, is: [ascii("Ælfgifu"), ascii(person.pin)])
    let dialogue = [
      "test shows hello", "test lets choose well? go on stop", "test lets choose well, once more? go on -",
      "test asks your name", "test asks secretly your PIN",
    ]
    expect(person.log, is: dialogue)
    let file = try Self.file(plugin)
    try expect(AgeFile.decrypt(file, with: [try plugin.identity("talk", settings)]), is: ascii("hello"))
    expect(person.log, is: dialogue + dialogue)
  }

  @Test("by default nobody answers, and a secret of no bytes is an answer")
  func silence() throws {
    let plugin = try TestPlugin()
    let file = try Self.file(plugin)
    try expect(AgeFile.decrypt(file, with: [try plugin.identity("refused")]), is: ascii("hello"))
    let stanzas = try plugin.recipient("talk", plugin.settings(interaction: Person(pin: ""))).wrap(FileKey())
    expect(stanzas[0].arguments.last, is: "-")
  }

  @Test("commands that nobody knows are unsupported", arguments: ["grease", "labels"])
  func grease(_ mode: String) throws {
    let plugin = try TestPlugin()
    try expect(plugin.recipient(mode).wrap(FileKey()).count, is: 1)
    let file = try Self.file(plugin)
    try expect(AgeFile.decrypt(file, with: [try plugin.identity(mode)]), is: ascii("hello"))
  }

  @Test("recipients of different labels don't go together")
  func labels() throws {
    let plugin = try TestPlugin()
    let labelled = try plugin.recipient("labels")
    try expect(labelled.wrapWithLabels(FileKey()).labels, is: ["postquantum"])
    try expect(plugin.recipient("plain").wrapWithLabels(FileKey()).labels, is: [])
    let file = try AgeFile.encrypt(ascii("hello"), to: [labelled, labelled])
    try expect(AgeFile.decrypt(file, with: [try plugin.identity("plain")]), is: ascii("hello"))
    for recipients: [any Recipient] in [
      [labelled, Self.native.recipient], [Self.native.recipient, labelled],
    ] {
      #expect(throws: AgeError.incompatibleRecipients) { try AgeFile.encrypt(ascii("hello"), to: recipients) }
    }
  }

  @Test("a plugin may give several stanzas, but none of a passphrase")
  func severalStanzas() throws {
    let plugin = try TestPlugin()
    let stanzas = try plugin.recipient("two-stanzas").wrap(FileKey())
    expect(stanzas.map(\.type), is: ["test-other", "test"])
    expect(stanzas[0].body, is: [UInt8](repeating: UInt8(ascii: "x"), count: 4800))
    let recipient = try plugin.recipient("passphrase")
    #expect(throws: AgeError.header(.scryptNotAlone)) { try AgeFile.encrypt(ascii("x"), to: [recipient]) }
  }

  static let faults: [(String, PluginFault)] = [
    ("exits", .ended(.exited(3))), ("dies", .ended(.signalled(SIGKILL))), ("half", .ended(.exited(0))),
    ("closes", .ended(.unknown)),
    ("prints", .malformedStanza), ("mumbles", .malformedStanza), ("mac", .malformedStanza),
    ("padding", .malformedStanza), ("long-line", .malformedStanza), ("returns", .malformedStanza),
    ("endless", .stanzaTooLarge), ("endless-body", .stanzaTooLarge), ("chatters", .tooManyCommands),
    ("bad-confirm", .malformedCommand), ("bad-choice", .malformedCommand), ("wrong-index", .malformedCommand),
    ("error-recipient", .reported(.recipient, message: "no key is plugged in")),
    ("error-identity", .reported(.identity, message: "no key is plugged in")),
    ("error-stanza", .reported(.stanza, message: "no key is plugged in")),
    ("error-internal", .reported(.internal, message: "no key is plugged in")),
    ("error-later", .reported(.internal, message: "no key is plugged in")),
    ("errors", .reported(.internal, message: "the first")),
    ("complains-and-dies", .reported(.internal, message: "the reason")),
    (
      "garbled-error",
      .reported(.internal, message: "\u{FFFD}\u{1B}[31m" + String(repeating: "x", count: 1018))
    ),
  ]

  static let wrapFaults: [(String, PluginFault)] = [
    ("no-stanza", .noStanza), ("labels-twice", .repeatedLabels), ("no-type", .malformedCommand),
  ]

  static let unwrapFaults: [(String, PluginFault)] = [
    ("two-keys", .repeatedFileKey), ("short-key", .malformedCommand),
  ]

  @Test("a plugin that misbehaves while it wraps is an error of its kind", arguments: faults + wrapFaults)
  func wrapFault(_ mode: String, _ fault: PluginFault) throws {
    let plugin = try TestPlugin()
    let recipient = try plugin.recipient(mode)
    #expect(throws: AgeError.plugin(name: "test", fault: fault)) { _ = try recipient.wrap(FileKey()) }
    try expect(plugin.isGone())
  }

  @Test("a plugin that misbehaves while it unwraps is an error of its kind", arguments: faults + unwrapFaults)
  func unwrapFault(_ mode: String, _ fault: PluginFault) throws {
    let plugin = try TestPlugin()
    let file = try Self.file(plugin)
    let identity = try plugin.identity(mode)
    #expect(throws: AgeError.plugin(name: "test", fault: fault)) {
      // It doesn't continue with the next identity either.
      _ = try AgeFile.decrypt(file, with: [identity, Self.native])
    }
    try expect(plugin.isGone())
  }

  @Test(
    "a plugin that doesn't get on is given up, gone and waited for",
    arguments: ["hangs", "deaf", "half-hangs", "trickles", "nags", "slow"])
  func timeLimit(_ mode: String) throws {
    let plugin = try TestPlugin()
    // Long enough for it to start on a busy machine, and to say which process it is.
    let recipient = try plugin.recipient(mode, plugin.settings(limit: .seconds(3)))
    let time = seconds {
      #expect(throws: AgeError.plugin(name: "test", fault: .timedOut)) { _ = try recipient.wrap(FileKey()) }
    }
    expect(time >= 3 && time < 60)
    try expect(plugin.isGone())
  }

  static let withoutReading: [(String, PluginFault)] = [
    ("deaf", .timedOut), ("exits", .ended(.exited(3))), ("dies", .ended(.signalled(SIGKILL))),
  ]

  @Test(
    "a plugin that reads nothing is given up when no more fits, and one that ends then is no end of ours",
    arguments: withoutReading)
  func readsNothing(_ name: String, _ fault: PluginFault) throws {
    let plugin = try TestPlugin(name: name)
    let identity = try plugin.identity("", plugin.settings(limit: .seconds(name == "deaf" ? 3 : 60)))
    let stanzas = [try Stanza(type: "large", body: sample(1 << 20))]
    #expect(throws: AgeError.plugin(name: name, fault: fault)) { _ = try identity.unwrap(stanzas) }
    try expect(plugin.isGone())
  }

  @Test("a person has longer than a plugin")
  func attended() throws {
    let plugin = try TestPlugin()
    let settings = plugin.settings(limit: .seconds(3), interaction: Person())
    try expect(plugin.recipient("touch", settings).wrap(FileKey()).count, is: 1)
    var hurried = settings
    hurried.timeLimit = .seconds(60)
    hurried.attendedTimeLimit = .seconds(2)
    let recipient = try plugin.recipient("touch", hurried)
    #expect(throws: AgeError.plugin(name: "test", fault: .timedOut)) { _ = try recipient.wrap(FileKey()) }
    var patient = settings
    patient.attendedTimeLimit = nil
    try expect(plugin.recipient("touch", patient).wrap(FileKey()).count, is: 1)
  }

  @Test(
    "a plugin that stays when it is done is ended, and what it gave counts", arguments: ["stays", "stubborn"])
  func stays(_ mode: String) throws {
    let plugin = try TestPlugin()
    let recipient = try plugin.recipient(mode)
    let time = seconds { #expect(throws: Never.self) { _ = try recipient.wrap(FileKey()) } }
    expect(time >= (mode == "stays" ? 1 : 2) && time < 30)
    try expect(plugin.isGone())
  }

  @Test("a plugin gets no descriptor but the standard streams, and no signal is blocked for it")
  func inheritance() throws {
    let plugin = try TestPlugin()
    let descriptor = open("/dev/null", O_RDONLY)
    defer { close(descriptor) }
    expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, is: 0)
    let recipient = try plugin.recipient("descriptors")
    #expect(throws: AgeError.plugin(name: "test", fault: .reported(.internal, message: "0 1 2"))) {
      _ = try recipient.wrap(FileKey())
    }
    var (signals, before) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let other = try plugin.recipient("signals")
    #expect(throws: AgeError.plugin(name: "test", fault: .reported(.internal, message: "0000000000000000"))) {
      _ = try other.wrap(FileKey())
    }
  }

  @Test("our own descriptors are as many after as before")
  func leaks() throws {
    let folder = TemporaryFolder()
    expect(symlink("/bin/true", folder["age-plugin-true"]), is: 0)
    func sockets() -> Int {
      (3..<Int32(4096)).count { descriptor in
        var address = sockaddr()
        var size = socklen_t(MemoryLayout<sockaddr>.size)
        return getsockname(descriptor, &address, &size) == 0
      }
    }
    let settings = PluginSettings(searchPath: folder.path)
    let plugin = try ascii(TestPlugin.recipientText("", name: "true")).withUnsafeBytes {
      try PluginRecipient(parsing: $0, settings: settings)
    }
    let before = sockets()
    for _ in 0..<300 {
      #expect(throws: AgeError.plugin(name: "true", fault: .ended(.exited(0)))) {
        _ = try plugin.wrap(FileKey())
      }
    }
    // Other tests open and close sockets meanwhile, but not that many.
    expect(sockets() < before + 150)
  }

  @Test("a plugin that is missing or can't be run is said to be so")
  func missing() throws {
    let plugin = try TestPlugin()
    let folder = TemporaryFolder()
    var settings = plugin.settings()
    func fault(_ searchPath: String) throws -> PluginFault? {
      settings.searchPath = searchPath
      let recipient = try plugin.recipient("plain", settings)
      do {
        _ = try recipient.wrap(FileKey())
        return nil
      } catch AgeError.plugin(name: "test", let fault) {
        return fault
      }
    }
    /// In another process, because a child of this one could hold the file open for writing when it should run.
    func make(_ line: String, _ mode: Int) throws {
      let path = folder["age-plugin-test"]
      try execute("/bin/sh", ["-c", "echo '\(line)' >\(path) && chmod \(mode) \(path)"])
    }
    try expect(fault(""), is: .notFound)
    try expect(fault(folder.path), is: .notFound)
    try expect(fault(":.:relative:" + folder.path), is: .notFound)
    try make("#!/bin/sh", 600)
    // It isn't executable, so that of the next folder is used.
    try expect(fault("/nowhere:\(folder.path):\(plugin.folder.path)"), is: nil)
    try make("exit 1", 700)
    try expect(fault(folder.path), is: .notStarted(errno: ENOEXEC))
    try make("#!/no/such/interpreter", 700)
    try expect(fault("\(folder.path):\(plugin.folder.path)"), is: .notStarted(errno: ENOENT))
    unlink(folder["age-plugin-test"])
    mkdir(folder["age-plugin-test"], 0o700)
    try expect(fault(folder.path), is: .notFound)
    rmdir(folder["age-plugin-test"])
    // In the working directory.
    try expect(
      fault(String(repeating: "../", count: 40) + plugin.folder.path.dropFirst()), is: .notFound)
  }
}

@Suite struct PluginTextTests {
  static let settings = PluginSettings(searchPath: "/nowhere")

  static func recipient(_ text: String) throws -> PluginRecipient {
    try ascii(text).withUnsafeBytes { try PluginRecipient(parsing: $0, settings: settings) }
  }

  static func identity(_ text: String) throws -> PluginIdentity {
    try ascii(text).withUnsafeBytes { try PluginIdentity(parsing: $0, settings: settings) }
  }

  @Test(
    "names are of letters, digits and + . _ -", arguments: ["a", "yubikey", "se", "x1y", "a+b.c_d-e", ".."])
  func names(_ name: String) throws {
    let text = bech32("age1\(name)", sample(21))
    try expect(Self.recipient(text).name, is: name)
    try expect(Self.recipient(text).description, is: text)
    let identity = try Self.identity(bech32("age-plugin-\(name)-", sample(5)).uppercased())
    expect(identity.name, is: name)
    expect(identity.withEncodedBytes { $0.count }, is: 11 + name.count + 1 + 1 + 8 + 6)
  }

  @Test(
    "a name with which a path could be left is refused",
    arguments: ["/", "../../x", "a/b", "a\\b", "a:b", "~", ""])
  func paths(_ name: String) {
    // Without a name it is a native recipient with a character that Bech32 doesn't have.
    #expect(throws: AgeError.invalidKey(.pluginName)) { try Self.recipient(bech32("age1\(name)", [1])) }
    #expect(throws: AgeError.invalidKey(.pluginName)) {
      try Self.identity(bech32("age-plugin-\(name)-", [1]).uppercased())
    }
  }

  @Test("text of another kind, case or with an error in it is refused")
  func refused() {
    let good = TestPlugin.recipientText("plain")
    let identity = TestPlugin.identityText("plain")
    for (text, fault) in [
      (good.uppercased(), .unsupportedKind), (identity, .unsupportedKind),
      (KeyTests.recipientText, .unsupportedKind),
      (good.dropLast() + (good.last == "q" ? "p" : "q"), .checksum),
      (bech32("age1x", sample(50_000)), .length),
    ] as [(String, KeyFault)] {
      #expect(throws: AgeError.invalidKey(fault), "\(text.prefix(80))") { try Self.recipient(text) }
    }
    for (text, fault) in [
      (identity.lowercased(), .unsupportedKind), (KeyTests.identityText, .unsupportedKind),
      (bech32("age-plugin-x", [1]).uppercased(), .unsupportedKind),
      (bech32("age-plugin-", [1]).uppercased(), .unsupportedKind), (identity + " ", .character),
    ] as [(String, KeyFault)] {
      #expect(throws: AgeError.invalidKey(fault), "\(text)") { try Self.identity(text) }
    }
  }
}
