import Age
import Expectations
import Glibc
import Keychain
import System
import Testing
import TestSupport

@testable import EncryptedFile

/// The fake programs of these tests: what `echo` and `printf` would print, and others that fail.
@Sendable func runFake(_ command: [String]) -> Secret? {
  switch command.first {
  case "echo": Secret(command.dropFirst().joined(separator: " "))
  case "printf" where command.count == 2: Secret(command[1])
  case "printf": Secret(command[2])
  default: nil
  }
}

extension SlotOpeners {
  /// Openers that run the fake programs.
  static var withPrograms: SlotOpeners {
    var openers = SlotOpeners()
    openers.run = runFake
    return openers
  }
}

/// A vault with the slots that a test asks for.
struct SlotPlace {
  let place: Place
  /// What its keychains have told.
  let notices = Collected<EncryptedFileKeychain.Notice>()

  /// Makes a vault with three items and the identity file.
  init() throws {
    place = Place()
    try HandMadeVault().install(at: place)
  }

  /// Makes a vault with three items that only these slots open.
  init(slots: (HandMadeVault) throws -> [Stanza]) throws {
    place = Place()
    place.makeFolders()
    var vault = try HandMadeVault()
    vault.stanzas = [try vault.vaultStanza()] + (try slots(vault))
    try put(try vault.file(), into: place.vault)
  }

  /// A place without a vault.
  static func empty() -> SlotPlace { SlotPlace(Place()) }

  private init(_ place: Place) {
    self.place = place
    place.makeFolders()
  }

  /// The keychain, and what the user types.
  func keychain(_ typed: String?..., openers: SlotOpeners = .withPrograms) -> EncryptedFileKeychain {
    EncryptedFileKeychain(
      at: place.location,
      passphrase: { attempt in attempt <= typed.count ? typed[attempt - 1].map { Secret($0) } : nil },
      openers: openers, patience: 20, onNotice: notices.append
    ).withCheapPassphrases
  }

  var header: Header {
    get throws { try contents(of: place.vault).withUnsafeBytes { try Header(parsing: $0) } }
  }

  func slotFile(_ id: String) throws -> [UInt8] {
    try #require(try header.stanzas.first { $0.type == "llavero/slot" && $0.arguments[1] == id }).body
  }

  var slotIDs: [String] {
    get throws { try header.stanzas.filter { $0.type == "llavero/slot" }.map { $0.arguments[1] } }
  }

  var copies: [String] { names(in: place.slots) }

  /// Writes an identity file at any path.
  func write(_ identity: X25519Identity, to name: String) throws -> String {
    let path = place.path + "/" + name
    try put(identity.withEncodedBytes { Array($0) + [0x0a] }, into: path)
    return path
  }

  var localFolder: String { place.location.stateFolder + "/slots" }
}

@Suite("Slots", .timeLimit(.minutes(60)))
struct SlotTests {
  @Test("the ways in are listed, with what is known of them")
  func listing() throws {
    let slots = try SlotPlace()
    try expect(slots.keychain().slots()?.map(\.kind), is: [.identityFile])
    let identity = X25519Identity()
    let path = try slots.write(identity, to: "key.txt")
    let id = try slots.keychain().addRecipient(identity.recipient.description, identity: path)
    let ways = try #require(try slots.keychain().slots())
    expect(ways.map(\.id), is: ["identity-file", id])
    expect(ways[1].kind == .recipient && ways[1].recipient == identity.recipient.description)
    expect(ways[1].identityPath == path && ways[1].added != nil && !ways[1].isDamaged)
    try expect(Place().keychain().slots(), is: nil)
  }

  @Test("a locked vault's slots are listed, without what only the unlocked one tells")
  func lockedListing() throws {
    let slots = try SlotPlace { [try $0.slot("right"), try $0.slot("x", id: "bb", kind: "tpm")] }
    let locked = try #require(try slots.keychain(nil).slots())
    expect(locked.map(\.kind) == [.passphrase, .other("tpm")] && locked.allSatisfy { $0.added == nil })
    try expect(slots.keychain("right").slots()?.map(\.id), is: ["0123456789abcdef", "bb"])
  }

  // MARK: Passphrases

  @Test("a passphrase that is added opens the vault, also for age's own reader")
  func passphrase() throws {
    let slots = try SlotPlace()
    let id = try slots.keychain().addPassphrase(Secret("new one"))
    expect(slots.copies, is: ["\(id).age"])
    try expect(contents(of: slots.place.slots + "/\(id).age"), is: slots.slotFile(id))
    removeAll(slots.place.identityFile)
    try expect(slots.keychain("new one").servers().count, is: 3)
    expect(failure { try slots.keychain("old one").servers() }, is: .wrongPassphrase(path: slots.place.vault))
    let scrypt = try Array("new one".utf8).withUnsafeBytes { try ScryptIdentity(passphrase: $0) }
    let text = try AgeFile.decrypt(try slots.slotFile(id), with: [scrypt])
    let identity = try text.withUnsafeBytes { try IdentityFile.parse($0) }
    _ = try AgeFile.decrypt(try contents(of: slots.place.vault), with: identity)
  }

  @Test("a passphrase that is replaced opens nothing any more, and the other ways stay")
  func replacing() throws {
    let slots = try SlotPlace { [try $0.slot("old", id: "aa"), try $0.slot("other", id: "bb")] }
    let id = try slots.keychain("old").replacePassphrase(of: "aa", with: Secret("new"))
    try expect(slots.slotIDs, is: ["bb", id])
    expect(Set(slots.copies), is: ["bb.age", "\(id).age"])
    try expect(slots.keychain("new").servers().count, is: 3)
    try expect(slots.keychain("other").servers().count, is: 3)
    expect(failure { try slots.keychain("old").servers() }, is: .wrongPassphrase(path: slots.place.vault))
    expect(
      failure { try slots.keychain("other").replacePassphrase(of: "aa", with: Secret("x")) },
      is: .slot(.notFound(id: "aa")))
  }

  @Test("a passphrase that is empty or like a recovery code is refused before anything is asked")
  func unusable() throws {
    let slots = try SlotPlace()
    let before = try slots.place.everything()
    let code = RecoveryCode()
    let like = code.text.withUnsafeBytes { "0" + String(decoding: $0, as: UTF8.self).dropFirst() }
    for passphrase in [like, "a red hat fits big cats well any day"] {
      expect(
        failure { try slots.keychain().addPassphrase(Secret(passphrase)) }, is: .slot(.passphraseLikeCode))
      expect(
        failure { try Place().keychain().create(.passphrase(Secret(passphrase))) },
        is: .slot(.passphraseLikeCode))
    }
    expect(
      failure { try slots.keychain().addPassphrase(Secret()) },
      is: .unusableAttribute(name: "passphrase", .empty))
    try expect(slots.place.everything(), is: before)
  }

  // MARK: Recovery codes

  /// Adds a recovery code, and returns it as it was shown.
  private func addCode(_ slots: SlotPlace, _ typed: String? = nil) throws -> String {
    let shown = Collected<String>()
    try slots.keychain(typed).addRecoveryCode { code in
      shown.append(code.text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    }
    return try #require(shown.all.first)
  }

  @Test("a recovery code opens the vault, however it is typed, and with age as it was printed")
  func recovery() throws {
    let slots = try SlotPlace()
    let code = try addCode(slots)
    removeAll(slots.place.identityFile)
    for typed in [code, code.lowercased(), code.replacing("-", with: " ")] {
      try expect(slots.keychain(typed).servers().count, is: 3)
    }
    let id = try #require(try slots.slotIDs.first)
    let scrypt = try Array(code.utf8).withUnsafeBytes { try ScryptIdentity(passphrase: $0, maximumLogN: 15) }
    try expect(!AgeFile.decrypt(try slots.slotFile(id), with: [scrypt]).isEmpty)
    expect(failure { try slots.keychain("no code").servers() }, is: .wrongPassphrase(path: slots.place.vault))
  }

  @Test("a typing error in a recovery code is said at once, with its group")
  func mistyped() throws {
    let slots = try SlotPlace { [try $0.slot("right")] }
    var code = Array(try addCode(slots, "right"))
    code[10] = code[10] == "7" ? "8" : "7"
    expect(failure { try slots.keychain(String(code)).servers() }, is: .mistypedRecoveryCode(groups: [3]))
    // An ungrouped text may be a passphrase.
    let bare = String(code.filter { $0 != "-" })
    expect(failure { try slots.keychain(bare).servers() }, is: .wrongPassphrase(path: slots.place.vault))
    let without = try SlotPlace { [try $0.slot(String(code))] }
    try expect(without.keychain(String(code)).servers().count, is: 3)
  }

  @Test("a code is tried on recovery slots alone, and a passphrase on passphrase slots alone")
  func kindsApart() throws {
    let code = RecoveryCode().text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    let slots = try SlotPlace {
      [try $0.slot(code, id: "aa"), try $0.slot("right", id: "bb", kind: "recovery")]
    }
    expect(failure { try slots.keychain(code).servers() }, is: .wrongPassphrase(path: slots.place.vault))
    expect(failure { try slots.keychain("right").servers() }, is: .wrongPassphrase(path: slots.place.vault))
  }

  @Test("a code that can't be shown adds nothing")
  func unshown() throws {
    let slots = try SlotPlace()
    _ = try slots.keychain().servers()
    let before = try slots.place.everything()
    expect(
      failure {
        try slots.keychain().addRecoveryCode { _ throws(KeychainError) in throw .promptDismissed }
      }, is: .promptDismissed)
    try expect(slots.place.everything(), is: before)
  }

  // MARK: Recipients

  @Test("a recipient's identity opens the vault without anybody being asked")
  func recipient() throws {
    let slots = try SlotPlace()
    let identity = X25519Identity()
    let path = try slots.write(identity, to: "key.txt")
    let id = try slots.keychain().addRecipient(identity.recipient.description, identity: path)
    removeAll(slots.place.identityFile)
    try expect(slots.keychain().servers().count, is: 3)
    try slots.keychain().add(servers: ["d.example"])
    try expect(FileFacts(slots.localFolder + "/" + id).mode & 0o7777, is: 0o600)
    // The recipient is in the vault, but nowhere in plain text.
    let recipient = Array(identity.recipient.description.utf8)
    let file = try contents(of: slots.place.vault)
    expect(!file.indices.contains { file[$0...].starts(with: recipient) })
    // Not without the identity, and not with another one.
    _ = try slots.write(X25519Identity(), to: "key.txt")
    expect(failure { try slots.keychain().servers() }, is: .noSlotOpens(path: slots.place.vault))
    removeAll(path)
    expect(failure { try slots.keychain().servers() }, is: .noSlotOpens(path: slots.place.vault))
  }

  @Test("an identity that is named, or tried where it is there, opens the vault")
  func openers() throws {
    let slots = try SlotPlace()
    let identity = X25519Identity()
    try slots.keychain().addRecipient(identity.recipient.description, identity: nil)
    removeAll(slots.place.identityFile)
    let path = try slots.write(identity, to: "key.txt")
    var named = SlotOpeners()
    named.identity = path
    try expect(slots.keychain(openers: named).servers().count, is: 3)
    var others = SlotOpeners()
    others.otherIdentities = [slots.place.path + "/none", path]
    try expect(slots.keychain(openers: others).servers().count, is: 3)
    named.identity = slots.place.path + "/none"
    expect(
      failure { try slots.keychain(openers: named).servers() }, is: .missing(path: slots.place.path + "/none")
    )
    chmod(path, 0o644)
    expect(
      failure { try slots.keychain(openers: others).servers() }, is: .unsafeFile(path: path, .mode(0o644)))
  }

  @Test("an ssh key is the same whatever its comment, so that removing it removes every way in")
  func recipientWithAnotherComment() throws {
    let slots = try SlotPlace()
    let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHsKLqeplhpW+uObz5dvMgjz1OxfM/XXUB+VHtZ6isGN"
    let id = try slots.keychain().addRecipient(key + " alice@home", identity: nil)
    for text in [key, key + " alice@work", key + "  x"] {
      expect(
        failure { try slots.keychain().addRecipient(text, identity: nil) }, is: .slot(.alreadyThere(id: id)))
    }
  }

  @Test("a recipient that is there already is not added twice, but its identity is noted")
  func recipientTwice() throws {
    let slots = try SlotPlace()
    let identity = X25519Identity()
    let text = identity.recipient.description
    let id = try slots.keychain().addRecipient(text, identity: nil)
    expect(
      failure { try slots.keychain().addRecipient(text, identity: nil) }, is: .slot(.alreadyThere(id: id)))
    let path = try slots.write(identity, to: "key.txt")
    let before = try contents(of: slots.place.vault)
    try expect(slots.keychain().addRecipient(text, identity: path), is: id)
    try expect(contents(of: slots.place.vault), is: before)
    removeAll(slots.place.identityFile)
    try expect(slots.keychain().servers().count, is: 3)
  }

  @Test("what is no recipient, or a file without its identity, changes nothing")
  func badRecipient() throws {
    let slots = try SlotPlace()
    let other = try slots.write(X25519Identity(), to: "other.txt")
    _ = try slots.keychain().servers()
    let before = try slots.place.everything()
    for text in ["", "age1", "AGE1QQQ", "hello", String(repeating: "a", count: 5000)] {
      expect(
        failure { try slots.keychain().addRecipient(text, identity: nil) }, is: .slot(.malformedRecipient))
    }
    let text = X25519Identity().recipient.description
    expect(
      failure { try slots.keychain().addRecipient(text, identity: other) },
      is: .slot(.notItsIdentity(path: other)))
    let none = slots.place.path + "/none"
    expect(failure { try slots.keychain().addRecipient(text, identity: none) }, is: .missing(path: none))
    try expect(slots.place.everything(), is: before)
  }

  @Test("an ssh key opens the vault")
  func sshKey() throws {
    let slots = try SlotPlace()
    let path = slots.place.path + "/id_ed25519"
    let words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "alice@home", "-f", path]
    try expect(TestProgram.run(words), is: .exited(0))
    let line = text(try contents(of: path + ".pub")).split(separator: "\n")[0]
    try slots.keychain().addRecipient(String(line), identity: path)
    removeAll(slots.place.identityFile)
    try expect(slots.keychain().servers().count, is: 3)
    try expect(slots.keychain().slots()?.first?.recipient, is: String(line))
    try rotateWithoutQuestions(slots)
    try expect(slots.keychain().servers().count, is: 3)
    removeAll(path)
    expect(
      TestSupport.failure { try slots.keychain().servers() }, is: .noSlotOpens(path: slots.place.vault))
  }

  private func rotateWithoutQuestions(_ slots: SlotPlace) throws {
    try slots.keychain().rotate(dropping: []) { _, _ in
      nil
    } announce: { _ in
    }
  }

  // MARK: Commands

  @Test("what a program prints opens the vault, without anybody being asked")
  func command() throws {
    let slots = try SlotPlace()
    let id = try slots.keychain().addCommand(["printf", "%s\\n", "from $HOME"])
    removeAll(slots.place.identityFile)
    try expect(slots.keychain().servers().count, is: 3)
    try expect(slots.keychain().slots()?.first?.command, is: ["printf", "%s\\n", "from $HOME"])
    // The passphrase is the output without a final line feed.
    let scrypt = try Array("from $HOME".utf8).withUnsafeBytes { try ScryptIdentity(passphrase: $0) }
    try expect(!AgeFile.decrypt(try slots.slotFile(id), with: [scrypt]).isEmpty)
    var none = SlotOpeners()
    none.mayRunPrograms = false
    expect(failure { try slots.keychain(openers: none).servers() }, is: .noSlotOpens(path: slots.place.vault))
    // Typed passphrases are not tried on it.
    expect(failure { try slots.keychain("from $HOME", openers: none).servers() } != nil)
  }

  @Test("a program that fails, prints nothing or isn't there lets the next way open the vault")
  func failingCommand() throws {
    let slots = try SlotPlace {
      [try $0.slot("x", id: "aa", kind: "command"), try $0.slot("right", id: "bb")]
    }
    mkdir(slots.localFolder, 0o700)
    for command in [
      #"["false"]"#, #"["true"]"#, #"["/none"]"#, #"["sh","-c","echo x; exit 1"]"#, #"["echo","y"]"#,
    ] {
      try put(Array(#"{"command":\#(command)}"#.utf8), into: slots.localFolder + "/aa")
      try expect(slots.keychain("right").servers().count, is: 3, "\(command)")
    }
    try put(Array(#"{"command":["false"]}"#.utf8), into: slots.localFolder + "/aa")
    expect(failure { try slots.keychain().servers() }, is: .slot(.commandFailed(program: "false")))
    try put(Array(#"{"command":["echo","y"]}"#.utf8), into: slots.localFolder + "/aa")
    expect(failure { try slots.keychain().servers() }, is: .slot(.commandMismatch(id: "aa")))
    for note in ["", "{}", "[", #"{"command":[]}"#, #"{"command":["a\u0000b"]}"#, #"{"command":"rm"}"#] {
      try put(Array(note.utf8), into: slots.localFolder + "/aa")
      try expect(slots.keychain("right").servers().count, is: 3, "\(note)")
    }
    let before = try slots.place.everything()
    expect(
      failure { try slots.keychain("right").addCommand(["false"]) },
      is: .slot(.commandFailed(program: "false"))
    )
    try expect(slots.place.everything(), is: before)
  }

  @Test("a vault's header alone never makes a program run")
  func foreignCommand() throws {
    let slots = try SlotPlace {
      [try $0.slot("x", id: "aa", kind: "command"), try $0.slot("touch ran", id: "bb", kind: "command")]
    }
    var openers = SlotOpeners()
    let ran = Collected<[String]>()
    openers.run = {
      ran.append($0)
      return Secret("x")
    }
    expect(
      failure { try slots.keychain(openers: openers).servers() }, is: .noSlotOpens(path: slots.place.vault))
    expect(ran.all.isEmpty)
    mkdir(slots.localFolder, 0o700)
    try put(Array(#"{"command":["a","b"]}"#.utf8), into: slots.localFolder + "/aa")
    try expect(slots.keychain(openers: openers).servers().count, is: 3)
    expect(ran.all, is: [["a", "b"]])
  }

  @Test("the same program is noted for the slot that another machine made")
  func commandElsewhere() throws {
    let slots = try SlotPlace()
    let id = try slots.keychain().addCommand(["echo", "word"])
    removeAll(slots.localFolder)
    let before = try contents(of: slots.place.vault)
    try expect(slots.keychain().addCommand(["printf", "word"]), is: id)
    try expect(contents(of: slots.place.vault), is: before)
    removeAll(slots.place.identityFile)
    try expect(slots.keychain().servers().count, is: 3)
  }

  // MARK: The identity file

  @Test("the identity file is put onto a machine, and taken from it")
  func identityFile() throws {
    let slots = try SlotPlace { [try $0.slot("right")] }
    try slots.keychain("right").addIdentityFile()
    try expect(FileFacts(slots.place.identityFile).mode & 0o7777, is: 0o600)
    try expect(slots.keychain().servers().count, is: 3)
    expect(failure { try slots.keychain().addIdentityFile() }, is: .slot(.alreadyThere(id: "identity-file")))
    try slots.keychain().removeSlot("identity-file")
    expect(!exists(slots.place.identityFile))
    expect(failure { try slots.keychain().servers() }, is: .locked(path: slots.place.vault))
    try expect(slots.keychain("right").servers().count, is: 3)
    expect(
      failure { try slots.keychain("right").removeSlot("identity-file") },
      is: .slot(.notFound(id: "identity-file")))
  }

  @Test("another vault's identity file is neither overwritten nor removed, and further identities stay")
  func otherIdentityFile() throws {
    let slots = try SlotPlace { [try $0.slot("right")] }
    let other = X25519Identity().withEncodedBytes { Array($0) + [0x0a] }
    try put(other, into: slots.place.identityFile)
    expect(
      failure { try slots.keychain("right").addIdentityFile() },
      is: .slot(.otherIdentityFile(path: slots.place.identityFile)))
    expect(
      failure { try slots.keychain("right").removeSlot("identity-file") },
      is: .slot(.notFound(id: "identity-file")))
    try expect(contents(of: slots.place.identityFile), is: other)
    removeAll(slots.place.identityFile)
    try slots.keychain("right").addIdentityFile()
    let mine = try contents(of: slots.place.identityFile)
    try put(other + mine, into: slots.place.identityFile)
    try slots.keychain().removeSlot("identity-file")
    try expect(contents(of: slots.place.identityFile).starts(with: other))
    expect(failure { try slots.keychain().servers() }, is: .locked(path: slots.place.vault))
  }

  // MARK: Removing

  @Test("the last way in can't be removed")
  func lastWayIn() throws {
    let plain = try SlotPlace()
    expect(
      failure { try plain.keychain().removeSlot("identity-file") }, is: .slot(.lastWayIn(id: "identity-file"))
    )
    let slots = try SlotPlace { [try $0.slot("right", id: "aa"), try $0.slot("x", id: "bb", kind: "tpm")] }
    _ = try slots.keychain("right").servers()
    let before = try slots.place.everything()
    // A slot of an unknown kind doesn't count.
    expect(failure { try slots.keychain("right").removeSlot("aa") }, is: .slot(.lastWayIn(id: "aa")))
    try expect(slots.place.everything(), is: before)
    expect(failure { try slots.keychain("right").removeSlot("cc") }, is: .slot(.notFound(id: "cc")))
    // A damaged slot doesn't count either.
    let damaged = try SlotPlace {
      [
        try $0.slot("right", id: "aa"),
        try Stanza(type: "llavero/slot", arguments: ["1", "bb", "passphrase"], body: [1, 2, 3]),
      ]
    }
    expect(failure { try damaged.keychain("right").removeSlot("aa") }, is: .slot(.lastWayIn(id: "aa")))
    try damaged.keychain("right").removeSlot("bb")
    try expect(damaged.slotIDs, is: ["aa"])
  }

  @Test("the identity file stays where nothing is here that opens the slots that remain")
  func nothingElseOpens() throws {
    let slots = try SlotPlace()
    let identity = X25519Identity()
    let nobodys = try slots.keychain().addRecipient(identity.recipient.description, identity: nil)
    let before = try slots.place.everything()
    expect(failure { try slots.keychain().removeSlot("identity-file") }, is: .slot(.nothingElseOpens))
    try expect(slots.place.everything(), is: before)
    try slots.keychain().removeSlot(nobodys)
    let path = slots.place.path + "/key.txt"
    try put(identity.withEncodedBytes { Array($0) + [0x0a] }, into: path)
    _ = try slots.keychain().addRecipient(identity.recipient.description, identity: path)
    try slots.keychain().removeSlot("identity-file")
    try expect(slots.keychain().servers().count, is: 3)
    // The last one that somebody knows can't be removed either.
    let code = try addCode(slots)
    unlink(path)
    expect(
      failure { try slots.keychain(code).removeSlot(try #require(slots.slotIDs.last)) },
      is: .slot(.nothingElseOpens))
  }

  @Test("a slot for the vault's own key is opened by the identity file alone")
  func ownRecipient() throws {
    let slots = try SlotPlace()
    let key = try #require(try slots.keychain().newest()).key.recipient.description
    _ = try slots.keychain().addRecipient(key, identity: slots.place.identityFile)
    expect(failure { try slots.keychain().removeSlot("identity-file") }, is: .slot(.nothingElseOpens))
  }

  @Test("a recovery code, and the identity file of this machine, are ways in")
  func otherWaysIn() throws {
    let slots = try SlotPlace { [try $0.slot("right", id: "aa")] }
    let code = try addCode(slots, "right")
    try slots.keychain("right").removeSlot("aa")
    try expect(slots.keychain(code).servers().count, is: 3)
    let id = try #require(try slots.slotIDs.first)
    expect(failure { try slots.keychain(code).removeSlot(id) }, is: .slot(.lastWayIn(id: id)))
    try slots.keychain(code).addIdentityFile()
    try slots.keychain().removeSlot(id)
    try expect(slots.slotIDs == [] && slots.copies == [])
    try expect(slots.keychain().servers().count, is: 3)
  }

  @Test("what is removed is remembered, and what opened it here is forgotten")
  func removedIDs() throws {
    let slots = try SlotPlace()
    let identity = X25519Identity()
    let path = try slots.write(identity, to: "key.txt")
    let first = try slots.keychain().addRecipient(identity.recipient.description, identity: path)
    let second = try slots.keychain().addCommand(["echo", "word"])
    expect(names(in: slots.localFolder), is: [first, second].sorted())
    try slots.keychain().removeSlot(first)
    expect(names(in: slots.localFolder) == [second] && slots.copies == ["\(second).age"])
    try slots.keychain().removeSlot(second)
    let head = try #require(lines(try slots.place.plaintext()).first)
    expect(text(head).contains(#""removed_slots":["\#(first)","\#(second)"]"#))
    expect(!text(head).contains(#""slots":"#))
    // Other changes keep it.
    try slots.keychain().add(servers: ["d.example"])
    let later = try #require(lines(try slots.place.plaintext()).first)
    expect(text(later).contains(#""removed_slots":["\#(first)","\#(second)"]"#))
  }

  @Test("slots of other kinds, further arguments, stanzas and notes survive every change of the slots")
  func unknownSurvives() throws {
    var vault = try HandMadeVault()
    vault.head = [
      ("slots", #"[{"id":"tt","added":"2026-01-02T03:04:05.678Z","touch":true}]"#), ("seal", "[1,2]"),
    ]
    let further = try Stanza(type: "llavero/slot", arguments: ["1", "tt", "tpm", "pcr7"], body: [1, 2, 3])
    let newer = try Stanza(type: "llavero/slot", arguments: ["2", "new"], body: [4])
    let other = try Stanza(type: "llavero/policy", arguments: ["x"], body: [5])
    vault.stanzas = [try vault.vaultStanza(), other, newer, further]
    let place = Place()
    try vault.install(at: place)
    let id = try place.keychain().addPassphrase(Secret("word"))
    try place.keychain().removeSlot(id)
    let header = try contents(of: place.vault).withUnsafeBytes { try Header(parsing: $0) }
    for stanza in [other, newer, further] {
      expect(
        header.stanzas.contains {
          $0.type == stanza.type && $0.arguments == stanza.arguments && $0.body == stanza.body
        })
    }
    let head = text(try #require(lines(try place.plaintext()).first))
    expect(head.contains(#"{"id":"tt","added":"2026-01-02T03:04:05.678Z","touch":true}"#))
    expect(head.contains(#""seal":[1,2]"#))
  }

  // MARK: Copies

  @Test("of copies that went apart the ways in are joined, and what either removed stays removed")
  func merging() throws {
    let slots = try SlotPlace { [try $0.slot("right", id: "aa"), try $0.slot("two", id: "bb")] }
    let before = try contents(of: slots.place.vault)
    let copy = slots.place.path + "/copy.age"
    // On the other machine, one slot is removed and one added.
    try slots.keychain("right").removeSlot("bb")
    let theirs = X25519Identity()
    let arriving = try slots.keychain("right").addRecipient(theirs.recipient.description, identity: nil)
    let there = try contents(of: slots.place.vault)
    // On this machine, another is added.
    try put(before, into: slots.place.vault)
    removeAll(slots.place.location.stateFolder)
    let mine = X25519Identity()
    let here = try slots.keychain("right").addRecipient(mine.recipient.description, identity: nil)
    try put(there, into: copy)
    try slots.keychain("right").merge(copyAt: copy)
    try expect(Set(slots.slotIDs), is: ["aa", here, arriving])
    expect(Set(slots.copies), is: ["aa.age", "\(here).age", "\(arriving).age"])
    let ways = try #require(try slots.keychain("right").slots())
    expect(ways.contains { $0.id == arriving && $0.recipient == theirs.recipient.description })
    // An older copy doesn't restore the removed slot.
    try put(before, into: copy)
    try slots.keychain("right").merge(copyAt: copy)
    try expect(Set(slots.slotIDs), is: ["aa", here, arriving])
  }

  /// A vault whose only two slots were removed elsewhere, where there is an identity file.
  private func waiting() throws -> (SlotPlace, recipient: String, id: String, identityFile: [UInt8]) {
    let slots = try SlotPlace { [try $0.slot("right", id: "aa")] }
    let recipient = X25519Identity().recipient.description
    let id = try slots.keychain("right").addRecipient(recipient, identity: nil)
    let before = try contents(of: slots.place.vault)
    try slots.keychain("right").addIdentityFile()
    for id in ["aa", id] { try slots.keychain().removeSlot(id) }
    let identityFile = try contents(of: slots.place.identityFile)
    let copy = slots.place.path + "/copy.age"
    try put(try contents(of: slots.place.vault), into: copy)
    removeAll(slots.place.location.stateFolder)
    removeAll(slots.place.location.vaultFolder)
    slots.place.makeFolders()
    try put(before, into: slots.place.vault)
    try slots.keychain("right").merge(copyAt: copy)
    return (slots, recipient, id, identityFile)
  }

  /// How often the removal of both was told.
  private func removalsTold(_ slots: SlotPlace) -> Int {
    let removal = SlotChanges(removed: [.passphrase, .recipient])
    return slots.notices.all.filter { $0 == .slotsMerged(removal) }.count
  }

  @Test("what was removed elsewhere and is the only way in here stays, with what is known of it")
  func removalWaits() throws {
    let (slots, recipient, id, identityFile) = try waiting()
    try expect(slots.slotIDs, is: ["aa", id])
    try expect(slots.keychain("right").slots()?.last?.recipient, is: recipient)
    // It is wrapped again for those that it is for.
    try slots.keychain("right").rotate(
      dropping: [], passphrase: { _, _ in Secret("right") }, announce: { _ in })
    try expect(slots.slotIDs, is: ["aa", id])
    // Another way in is the end of both, and that is told.
    expect(removalsTold(slots), is: 0)
    try slots.keychain("right").addIdentityFile()
    try expect(slots.slotIDs, is: [])
    expect(removalsTold(slots), is: 1)
    try expect(contents(of: slots.place.identityFile) != identityFile)
  }

  @Test("it stays until another way in was seen to open the vault here, whatever is merged meanwhile")
  func removalWaitsForTrial() throws {
    let (slots, _, id, _) = try waiting()
    let copy = slots.place.path + "/copy.age"
    let there = try contents(of: copy)
    let identity = X25519Identity()
    let recipient = identity.recipient.description
    let new = try slots.keychain("right").addRecipient(recipient, identity: nil)
    try put(there, into: copy)
    try slots.keychain("right").merge(copyAt: copy)
    try expect(slots.slotIDs, is: ["aa", id, new])
    try expect(slots.keychain("right").servers().count, is: 3)
    let path = try slots.write(identity, to: "key.txt")
    try slots.keychain("right").addRecipient(recipient, identity: path)
    try expect(slots.slotIDs, is: [new])
    expect(removalsTold(slots), is: 1)
    try expect(slots.keychain().servers().count, is: 3)
  }

  @Test(
    "merging and changing the key remove what waits to be removed, if something else opens the vault by then",
    arguments: [true, false])
  func othersEndWaiting(isMerging: Bool) throws {
    let (slots, _, _, identityFile) = try waiting()
    try put(identityFile, into: slots.place.identityFile)
    if isMerging {
      try slots.keychain().merge(copyAt: slots.place.path + "/copy.age")
    } else {
      try slots.keychain().rotate(dropping: [], passphrase: { _, _ in Secret("right") }, announce: { _ in })
    }
    try expect(slots.slotIDs, is: [])
    try expect(slots.keychain().servers().count, is: 3)
    expect(removalsTold(slots), is: 1)
  }

  @Test("where git merges, the identity file of this machine counts as a way in, too")
  func removalInFiles() throws {
    let slots = try SlotPlace()
    let id = try slots.keychain().addPassphrase(Secret("gone"))
    let (base, ours) = (slots.place.path + "/base.age", slots.place.path + "/ours.age")
    for path in [base, ours] { try put(try contents(of: slots.place.vault), into: path) }
    try slots.keychain().removeSlot(id)
    try slots.keychain().mergeFiles(base: base, ours: ours, theirs: slots.place.vault)
    let merged = try contents(of: ours).withUnsafeBytes { try Header(parsing: $0) }
    expect(!merged.stanzas.contains { $0.type == "llavero/slot" })
  }

  @Test("a copy of before a rotation gives its items, and none of its ways in")
  func mergingOtherKey() throws {
    let slots = try SlotPlace()
    try slots.keychain().add(servers: ["d.example"])
    let old = slots.place.path + "/copy.age"
    let id = try slots.keychain().addPassphrase(Secret("word"))
    try put(try contents(of: slots.place.vault), into: old)
    try slots.keychain().rotate(dropping: [id]) { _, _ in
      nil
    } announce: { _ in
    }
    try slots.keychain().delete(try slots.keychain().items(matching: try query("d.example")))
    try slots.keychain("word").merge(copyAt: old)
    try expect(slots.slotIDs, is: [])
    try expect(slots.keychain().servers().count, is: 3)
  }

  // MARK: Bounds and damage

  @Test("there are at most 32 slots that take long to try")
  func tooMany() throws {
    var vault = try HandMadeVault()
    let slot = try vault.slot("right", id: "aa")
    vault.stanzas =
      try [try vault.vaultStanza()]
      + (0..<32).map {
        try Stanza(type: slot.type, arguments: ["1", "s\($0)", "passphrase"], body: slot.body)
      }
    let place = Place()
    try vault.install(at: place)
    let keychain = EncryptedFileKeychain(at: place.location, openers: .withPrograms).withCheapPassphrases
    expect(failure { try keychain.addCommand(["echo", "x"]) }, is: .slot(.tooMany(limit: 32)))
    try place.keychain().addRecipient(X25519Identity().recipient.description, identity: nil)
    try place.keychain().removeSlot("s7")
    try keychain.addCommand(["echo", "x"])
    expect(failure { try keychain.addCommand(["echo", "y"]) }, is: .slot(.tooMany(limit: 32)))
    var full = try HandMadeVault()
    full.stanzas =
      try [try full.vaultStanza()]
      + (0..<33).map {
        try Stanza(type: slot.type, arguments: ["1", "s\($0)", "passphrase"], body: slot.body)
      }
    let other = Place()
    try full.install(at: other)
    expect(failure { try other.keychain().servers() }?.isDamage, is: true)
  }

  @Test("there are 512 slots at most, and a key of any of them opens the vault")
  func hundreds() throws {
    var vault = try HandMadeVault()
    vault.stanzas = [try vault.vaultStanza()]
    let place = Place()
    try vault.install(at: place)
    let change = place.keychain()
    var last = X25519Identity()
    // All at once: each of them would write the vault, and a copy of every slot.
    try change.changingSlots { (change, identity) throws(KeychainError) in
      for _ in 0..<512 {
        last = X25519Identity()
        let text = last.recipient.description
        try change.addSlot(.recipient, for: last.recipient, identity, recipientText: text, at: .now)
      }
    }
    let further = X25519Identity().recipient.description
    expect(
      failure { try place.keychain().addRecipient(further, identity: nil) }, is: .slot(.tooMany(limit: 512)))
    var text: [UInt8] = []
    last.withEncodedBytes { text += Array($0) }
    try put(text, into: place.path + "/last.txt")
    unlink(place.identityFile)
    var openers = SlotOpeners()
    openers.otherIdentities = [place.path + "/last.txt"]
    let keychain = EncryptedFileKeychain(at: place.location, openers: openers)
    try expect(keychain.servers().count, is: 3)
    try expect(keychain.noteIdentity(place.path + "/last.txt"), is: keychain.slots()?.last?.id)
    try expect(keychain.slots()?.last?.identityPath, is: place.path + "/last.txt")
  }

  @Test(
    "a damaged slot beside a good one keeps nobody out",
    arguments: ["passphrase", "recovery", "recipient", "command"])
  func damaged(kind: String) throws {
    let slots = try SlotPlace {
      [
        try Stanza(type: "llavero/slot", arguments: ["1", "aa", kind], body: [1, 2, 3]),
        try $0.slot("right", id: "bb"),
      ]
    }
    mkdir(slots.localFolder, 0o700)
    let note =
      kind == "command" ? #"{"command":["echo","x"]}"# : #"{"identity":"\#(slots.place.path)/key.txt"}"#
    _ = try slots.write(X25519Identity(), to: "key.txt")
    try put(Array(note.utf8), into: slots.localFolder + "/aa")
    try expect(slots.keychain("right").servers().count, is: 3)
    try expect(slots.keychain("right").slots()?.first?.isDamaged, is: true)
  }

  @Test("copies of slots that were lost or altered are made again with the next change")
  func copies() throws {
    let slots = try SlotPlace { [try $0.slot("right", id: "aa"), try $0.slot("two", id: "bb")] }
    try slots.keychain("right").add(servers: ["d.example"])
    expect(slots.copies, is: ["aa.age", "bb.age"])
    removeAll(slots.place.slots + "/aa.age")
    try put([1, 2, 3], into: slots.place.slots + "/bb.age")
    try put([1, 2, 3], into: slots.place.slots + "/cc.age")
    try put([1, 2, 3], into: slots.place.slots + "/README")
    try slots.keychain("right").add(servers: ["e.example"])
    expect(slots.copies, is: ["README", "aa.age", "bb.age"])
    for id in ["aa", "bb"] {
      try expect(contents(of: slots.place.slots + "/\(id).age"), is: slots.slotFile(id))
    }
  }
}
