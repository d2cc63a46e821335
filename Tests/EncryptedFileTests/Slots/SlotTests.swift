import Age
import Bytes
import Expectations
import Glibc
import Keychain
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

  /// The keychain, and what the user types.
  func keychain(_ typed: String?..., openers: SlotOpeners = .withPrograms) -> EncryptedFileKeychain {
    EncryptedFileKeychain(
      at: place.location,
      passphrase: { attempt in attempt <= typed.count ? typed[attempt - 1].map { Secret($0) } : nil },
      openers: openers, patience: 20
    ).withCheapPassphrases
  }

  var localFolder: String { place.location.stateFolder + "/slots" }
}

@Suite("Slots", .timeLimit(.minutes(60)))
struct SlotTests {
  static let passphrases = [
    Scenario(
      "the ways in are listed, with what is known of them",
      """
      1 vault; 1 kinds = identityFile; 1 key K; 1 addsRecipient K A @K.txt; 1 ways = identity-file A
      1 kinds = identityFile recipient
      1 way A = SlotSummary A kind: recipient \(added) recipient: K label: nil identityPath: @K.txt command: nil \(good)
      2 ways = nil
      """),
    Scenario(
      "a locked vault's slots are listed, without what only the unlocked one tells",
      """
      1 vault aa=right bb=x/tpm; 1 kinds = passphrase other tpm; 1(right) ways = aa bb
      1 way aa = SlotSummary aa kind: passphrase added: nil \(unknown)
      1 way bb = SlotSummary bb kind: other tpm added: nil \(unknown)
      """),
    Scenario(
      "a passphrase that is added opens the vault, also for age's own reader",
      """
      1 vault; 1 addsPassphrase new_one A; 1 copies = A; 1 removes identity; 1(new_one) count = 3
      1(old_one) count ! wrongPassphrase vault; 1 decrypts A new_one = yes
      """),
    Scenario(
      "a passphrase that is replaced opens nothing any more, and the other ways stay",
      """
      1 vault aa=old bb=other; 1(old) replacesPassphrase aa new A; 1 slots = bb A; 1 copies = A bb
      1({new|other}) count = 3; 1(old) count ! wrongPassphrase vault
      1(other) replacesPassphrase aa x B ! slot notFound aa
      """),
    Scenario(
      "a passphrase that is empty or like a recovery code is refused before anything is asked",
      """
      1 vault; 1 marks; 1 drawsCode C; 1 addsPassphrase {C.wrong|a_red_hat_fits_big_cats_well_any_day} A ! \(likeCode)
      2 creates {C.wrong|a_red_hat_fits_big_cats_well_any_day} ! \(likeCode)
      1 addsPassphrase '' A ! unusableAttribute name: passphrase empty; 1 same
      2 creates '' ! unusableAttribute name: passphrase empty; 2 lacks vault slots
      """),
    // It is not printed as it is typed.
    Scenario(
      "a recovery code opens the vault, however it is typed, and with age as it was printed",
      """
      1 vault; 1 addsCode A; 1 removes identity; 1({A|A.small|A.spaced}) count = 3; 1 decrypts A A = yes
      1(no_code) count ! wrongPassphrase vault
      """),
    // An ungrouped text may be a passphrase.
    Scenario(
      "a typing error in a recovery code is said at once, with its group, and it is asked for again",
      """
      1 vault aa=right; 1(right) addsCode A; 1(A.wrong) count ! mistypedRecoveryCode groups: 3
      1(A.wrong,A) count = 3; 1(A.wrong,old) count ! wrongPassphrase vault
      1(old,A.wrong) count ! mistypedRecoveryCode groups: 3
      1(A.wrongBare) count ! wrongPassphrase vault; 2 vault aa=A.wrong; 2(A.wrong) count = 3
      """),
    Scenario(
      "a code is tried on recovery slots alone, and a passphrase on passphrase slots alone",
      "1 drawsCode C; 1 vault aa=C bb=right/recovery; 1({C|right}) count ! wrongPassphrase vault"),
    Scenario(
      "a code that can't be shown adds nothing",
      "1 vault; 1 count = 3; 1 marks; 1 hidesCode ! promptDismissed; 1 same"),
  ]

  private static let (added, good) = ("added: 2026-11-21T08:30:00.125Z", "isDamaged: false")
  private static let unknown = "recipient: nil label: nil identityPath: nil command: nil isDamaged: false"
  private static let likeCode = "slot passphraseLikeCode"
  private static let sshRecipient =
    "ssh-ed25519_AAAAC3NzaC1lZDI1NTE5AAAAIHsKLqeplhpW+uObz5dvMgjz1OxfM/XXUB+VHtZ6isGN"

  static let recipients = [
    // The recipient is in the vault, but nowhere in plain text.
    Scenario(
      "a recipient's identity opens the vault without anybody being asked, and no other does",
      """
      1 vault; 1 key K; 1 addsRecipient K A @K.txt; 1 removes identity; 1 count = 3; 1 adds d
      1 mode state/slots/A = 600; 1 shows K = no; 1 key K; 1 count ! noSlotOpens vault; 1 removes @K.txt
      1 count ! noSlotOpens vault
      """),
    Scenario(
      "an identity that is named, or tried where it is there, opens the vault",
      """
      1 vault; 1 key K; 1 addsRecipient K A; 1 removes identity; 1:identity=@K.txt count = 3
      1:others=@none,@K.txt count = 3; 1:identity=@none count ! missing @none; 1 opens @K.txt
      1:others=@none,@K.txt count ! unsafeFile @K.txt mode 420
      """),
    Scenario(
      "a recipient that is there already is not added twice, but its identity is noted",
      """
      1 vault; 1 key K; 1 addsRecipient K A; 1 addsRecipient K B ! slot alreadyThere A; 1 saves vault v
      1 addsRecipient K B @K.txt = A; 1 is vault v; 1 removes identity; 1 count = 3
      """),
    Scenario(
      "an ssh key is the same whatever its comment, so that removing it removes every way in",
      "1 vault; 1 addsRecipient \(sshRecipient)_alice@home A; 1 addsRecipient \(sshRecipient){|_alice@work|__x} B ! slot alreadyThere A"
    ),
    Scenario(
      "what is no recipient, or a file without its identity, changes nothing",
      """
      1 vault; 1 key O; 1 key N; 1 count = 3; 1 marks
      1 addsRecipient {''|age1|AGE1QQQ|hello|\(String(repeating: "a", count: 5000))} A ! slot malformedRecipient
      1 addsRecipient N A @O.txt ! slot notItsIdentity @O.txt; 1 addsRecipient N A @none ! missing @none; 1 same
      """),
    // The passphrase is the output without a final line feed. Typed passphrases are not tried on it.
    Scenario(
      "what a program prints opens the vault, without anybody being asked",
      #"""
      1 vault; 1 addsCommand A printf %s\n from_$HOME; 1 removes identity; 1 count = 3; 1 decrypts A from_$HOME = yes; 1:programs=no count ! noSlotOpens vault
      1(from_$HOME):programs=no count ! noSlotOpens vault
      1 way A = SlotSummary A kind: command added: 2026-11-21T08:30:00.125Z recipient: nil label: nil identityPath: nil\#
       command: printf %s\\n from $HOME isDamaged: false
      """#),
    Scenario(
      "the same program is noted for the slot that another machine made",
      """
      1 vault; 1 addsCommand A echo word; 1 removes state/slots; 1 saves vault v; 1 addsCommand B printf word = A
      1 is vault v; 1 removes identity; 1 count = 3
      """),
    Scenario(
      "the identity file is put onto a machine, and taken from it",
      """
      1 vault aa=right; 1(right) addsIdentity; 1 mode identity = 600; 1 count = 3
      1 addsIdentity ! slot alreadyThere identity-file; 1 drops identity-file; 1 lacks identity; 1 count ! locked vault
      1(right) count = 3; 1(right) drops identity-file ! slot notFound identity-file
      """),
    Scenario(
      "another vault's identity file is neither overwritten nor removed, and further identities stay",
      """
      1 vault aa=right; 1 key O; 1 writes identity 1/@O.txt; 1(right) addsIdentity ! slot otherIdentityFile identity
      1(right) drops identity-file ! slot notFound identity-file; 1 is identity 1/@O.txt; 1 removes identity
      1(right) addsIdentity; 1 writes identity 1/@O.txt+1/identity; 1 drops identity-file
      1 begins identity 1/@O.txt; 1 count ! locked vault
      """),
  ]

  static let removals = [
    Scenario(
      "the last way in can't be removed", "1 vault; 1 drops identity-file ! slot lastWayIn identity-file"),
    Scenario(
      "a slot of an unknown kind doesn't count",
      """
      1 vault aa=right bb=x/tpm; 1(right) count = 3; 1 marks; 1(right) drops aa ! slot lastWayIn aa; 1 same
      1(right) drops cc ! slot notFound cc
      """),
    Scenario(
      "a damaged slot doesn't count either",
      "1 vault aa=right bb=#; 1(right) drops aa ! slot lastWayIn aa; 1(right) drops bb; 1 slots = aa"),
    // The last one that somebody knows can't be removed either.
    Scenario(
      "the identity file stays where nothing is here that opens the slots that remain",
      """
      1 vault; 1 key K; 1 addsRecipient K A; 1 marks; 1 drops identity-file ! slot nothingElseOpens; 1 same; 1 drops A
      1 addsRecipient K B @K.txt; 1 drops identity-file; 1 count = 3; 1 addsCode C; 1 removes @K.txt
      1(C) drops C ! slot nothingElseOpens
      """),
    Scenario(
      "a slot for the vault's own key is opened by the identity file alone",
      "1 vault; 1 ownKey K; 1 addsRecipient K A identity; 1 drops identity-file ! slot nothingElseOpens"),
    Scenario(
      "a recovery code, and the identity file of this machine, are ways in",
      """
      1 vault aa=right; 1(right) addsCode C; 1(right) drops aa; 1(C) count = 3; 1(C) drops C ! slot lastWayIn C
      1(C) addsIdentity; 1 drops C; 1 slots = ; 1 copies = ; 1 count = 3
      """),
    // Other changes keep it.
    Scenario(
      "what is removed is remembered, and what opened it here is forgotten",
      """
      1 vault; 1 key K; 1 addsRecipient K A @K.txt; 1 addsCommand B echo word; 1 lists state/slots = A B; 1 drops A
      1 lists state/slots = B; 1 copies = B; 1 drops B
      1 text "removed_slots":["A","B"] "slots": = "removed_slots":["A","B"]; 1 adds d
      1 text "removed_slots":["A","B"] = "removed_slots":["A","B"]
      """),
    // Another is removed and one added there, and another added here. An older copy doesn't restore the removed slot.
    Scenario(
      "of copies that went apart the ways in are joined, and what either removed stays removed",
      """
      1 vault aa=right bb=two; 1 saves vault before; 1(right) drops bb; 1 key T; 1(right) addsRecipient T A
      1 saves vault there; 1 writes vault before; 1 removes state/; 1 key M; 1(right) addsRecipient M B
      1 writes @copy.age there; 1(right) merges @copy.age; 1 copies = A B aa; 1(right) way A = SlotSummary A kind: recipient \(added) recipient: T label: nil …
      1 writes @copy.age before; 1(right) merges @copy.age; 1 copies = A B aa
      """),
    // It is wrapped again for those that it is for. Another way in is the end of both, and that is told.
    Scenario(
      "what was removed elsewhere and is the only way in here stays, with what is known of it",
      """
      \(waiting); 1 slots = aa A; 1(right) way A = SlotSummary A kind: recipient \(added) recipient: K …
      1(right) rotates aa=right; 1 slots = aa A; \(removalTold) = 0
      1(right) addsIdentity; 1 slots = ; \(removalTold) = 1; 1 isn't identity file
      """),
    Scenario(
      "it stays until another way in was seen to open the vault here, whatever is merged meanwhile",
      """
      \(waiting); 1 key N; 1(right) addsRecipient N B; 1 writes @copy.age there; 1(right) merges @copy.age
      1 slots = aa A B; 1(right) count = 3; 1(right) addsRecipient N B @N.txt; 1 slots = B; \(removalTold) = 1
      1 count = 3
      """),
    Scenario(
      "merging and changing the key remove what waits to be removed, if something else opens the vault by then",
      """
      \(waiting); 1 writes identity file; {1 merges @copy.age|1 rotates aa=right}; 1 slots = ; 1 count = 3
      \(removalTold) = 1
      """),
    Scenario(
      "where git merges, the identity file of this machine counts as a way in, too",
      """
      1 vault; 1 addsPassphrase gone A; 1 writes @base.age 1/vault; 1 writes @ours.age 1/vault; 1 drops A
      1 mergesFiles @base.age @ours.age vault; 1 slots @ours.age = 
      """),
    Scenario(
      "a copy of before a rotation gives its items, and none of its ways in",
      """
      1 vault; 1 adds d; 1 addsPassphrase word A; 1 writes @old.age 1/vault; 1 rotates -A; 1 deletes d
      1(word) merges @old.age; 1 slots = ; 1 count = 3
      """),
    Scenario(
      "copies of slots that were lost or altered are made again with the next change",
      """
      1 vault aa=right bb=two; 1(right) adds d; 1 copies = aa bb; 1 removes slots/aa.age; 1 writes slots/bb.age [1,2,3]
      1 writes slots/cc.age [1,2,3]; 1 writes slots/README [1,2,3]; 1(right) adds e; 1 copies = README aa bb
      """),
  ]

  /// The only two slots were removed elsewhere, where there is an identity file.
  private static let waiting = """
    1 vault aa=right; 1 key K; 1(right) addsRecipient K A; 1 saves vault before; 1(right) addsIdentity; 1 drops aa
    1 drops A; 1 saves identity file; 1 saves vault there; 1 removes state/; 1 removes slots vault newest; 1 folders
    1 removes generations; 1 writes vault before; 1 writes @copy.age there; 1(right) merges @copy.age
    """
  private static let removalTold = "told some slotsMerged added: removed: passphrase recipient"

  @Test("of which", arguments: passphrases + recipients + removals)
  func play(scenario: Scenario) throws { try scenario.run() }

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
    try slots.keychain().rotate(dropping: [], passphrase: { _, _ in nil }, announce: { _ in })
    try expect(slots.keychain().servers().count, is: 3)
    removeAll(path)
    expect(
      TestSupport.failure { try slots.keychain().servers() }, is: .noSlotOpens(path: slots.place.vault))
  }

  @Test("a program that fails, prints nothing or isn't there lets the next way open the vault")
  func failingCommand() throws {
    let slots = try SlotPlace {
      [try $0.slot("x", id: "aa", kind: "command"), try $0.slot("right", id: "bb")]
    }
    func note(_ text: String) throws { try put(Array(text.utf8), into: slots.localFolder + "/aa") }
    mkdir(slots.localFolder, 0o700)
    for command in [
      #"["false"]"#, #"["true"]"#, #"["/none"]"#, #"["sh","-c","echo x; exit 1"]"#, #"["echo","y"]"#,
    ] {
      try note(#"{"command":\#(command)}"#)
      try expect(slots.keychain("right").servers().count, is: 3, "\(command)")
    }
    try note(#"{"command":["false"]}"#)
    expect(failure { try slots.keychain().servers() }, is: .slot(.commandFailed(program: "false")))
    try note(#"{"command":["echo","y"]}"#)
    expect(failure { try slots.keychain().servers() }, is: .slot(.commandMismatch(id: "aa")))
    for text in ["", "{}", "[", #"{"command":[]}"#, #"{"command":["a\u0000b"]}"#, #"{"command":"rm"}"#] {
      try note(text)
      try expect(slots.keychain("right").servers().count, is: 3, "\(text)")
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
    let stanzas = try place.header.stanzas
    for stanza in [other, newer, further] { expect(stanzas.contains(stanza)) }
    let head = text(try #require(lines(try place.plaintext()).first))
    expect(head.contains(#"{"id":"tt","added":"2026-01-02T03:04:05.678Z","touch":true}"#))
    expect(head.contains(#""seal":[1,2]"#))
  }

  @Test("there are at most 32 slots that take long to try")
  func tooMany() throws {
    func vault(slots count: Int) throws -> Place {
      var vault = try HandMadeVault()
      let slot = try vault.slot("right", id: "aa")
      vault.stanzas =
        try [try vault.vaultStanza()]
        + (0..<count).map {
          try Stanza(type: slot.type, arguments: ["1", "s\($0)", "passphrase"], body: slot.body)
        }
      let place = Place()
      try vault.install(at: place)
      return place
    }
    let place = try vault(slots: 32)
    let keychain = EncryptedFileKeychain(at: place.location, openers: .withPrograms).withCheapPassphrases
    expect(failure { try keychain.addCommand(["echo", "x"]) }, is: .slot(.tooMany(limit: 32)))
    try place.keychain().addRecipient(X25519Identity().recipient.description, identity: nil)
    try place.keychain().removeSlot("s7")
    try keychain.addCommand(["echo", "x"])
    expect(failure { try keychain.addCommand(["echo", "y"]) }, is: .slot(.tooMany(limit: 32)))
    expect(failure { try vault(slots: 33).keychain().servers() }?.isDamage, is: true)
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
    try put(last.withEncodedBytes { Array($0) }, into: place.path + "/last.txt")
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
    try put(X25519Identity().withEncodedBytes { Array($0) + [0x0a] }, into: slots.place.path + "/key.txt")
    try put(Array(note.utf8), into: slots.localFolder + "/aa")
    try expect(slots.keychain("right").servers().count, is: 3)
    try expect(slots.keychain("right").slots()?.first?.isDamaged, is: true)
  }
}
