import Age
import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

/// The damage to a vault that is restored.
enum Loss: CaseIterable {
  /// A byte of the contents is changed.
  case payload
  /// The file is gone, with this machine's copy of it.
  case file
  /// The header's MAC is changed.
  case headerMAC
  /// The bytes of the slots in the header are changed.
  case headerSlots
  /// The header's first stanza, which wraps the file key, is changed.
  case headerKey
  /// The file is cut within the header.
  case cut

  func befall(_ place: Place) throws {
    var bytes = try contents(of: place.vault)
    let header = try bytes.withUnsafeBytes { try Header(parsing: $0) }
    func change(_ position: Int) { bytes[position] = bytes[position] == 0x41 ? 0x42 : 0x41 }
    switch self {
    case .payload: bytes[bytes.count - 1] ^= 1
    case .file:
      place.loseVault()
      return
    case .headerMAC: change(header.encodedSize - 20)
    case .headerSlots:
      // The first byte of each slot's file key, not the part that makes it an age file.
      let slots = header.stanzas.filter { $0.type == "llavero/slot" }
      var text = Array(text(bytes[..<header.encodedSize]).utf8)
      for slot in slots {
        let mark = Array("-> llavero/slot 1 \(slot.arguments[1]) ".utf8)
        let start = try #require(text.indices.first { text[$0...].starts(with: mark) })
        let body = try #require(text[start...].firstIndex(of: 0x0a)) + 1
        // In the middle of its body, where its own header wraps its file key.
        text[body + 150] = text[body + 150] == 0x41 ? 0x42 : 0x41
      }
      bytes.replaceSubrange(..<header.encodedSize, with: text)
    case .headerKey: change(40)
    case .cut: bytes.removeLast(bytes.count - 100)
    }
    try place.overwriteVault(bytes)
  }
}

@Suite("Putting a vault back", .timeLimit(.minutes(60)))
struct PuttingBackTests {
  /// A vault that was opened by the passphrase `former`, and is now opened by `new`, with an earlier state from before
  /// the change.
  private static let changed = "1 vault aa=former; 1(former) adds d; 1(former) replacesCheaply aa new B"
  private static let header = "1 suffers {headerMAC|headerSlots|headerKey|cut}"

  private static func byNewPassphrase(_ verb: String, _ loss: String, doubt: String?) -> Scenario {
    let confirmed =
      doubt.map {
        """
        1(new) \(verb) ! slot unconfirmed; questions = \($0) B; 1 same; 1(new) \(verb) surely; questions = \($0) B
        """
      } ?? "1(new) \(verb); questions = "
    return Scenario(
      "the new passphrase puts the vault back, the former one doesn't: \(verb), \(doubt ?? "no doubt")",
      """
      \(changed); {1(new) adds e|}; \(loss); 1 marks; 1(former) \(verb) surely ! wrongPassphrase vault; 1 same; questions
      \(confirmed); 1(new) finds a = 1; 1(former) count ! wrongPassphrase vault; 1 slots = B; 1 copies = B
      1(new) agrees
      """)
  }

  static let changes =
    ["salvages", "restores first"].flatMap { verb in
      [
        byNewPassphrase(verb, "1 suffers payload", doubt: nil),
        byNewPassphrase(verb, "1 suffers file", doubt: "fileMissing"),
        byNewPassphrase(verb, header, doubt: "headerUnreadable"),
      ]
    } + [
      Scenario(
        "the new passphrase restores a vault that is in order, the former one doesn't",
        """
        \(changed); 1(new) adds e; 1 marks; 1(former) restores last ! wrongPassphrase vault; 1 same
        1(new) restores last; 1(new) count = 3; 1(former) count ! wrongPassphrase vault
        """),
      Scenario(
        "a passphrase that a descriptor gives once is enough",
        """
        \(changed); 1(new) adds e; 1 suffers {payload|file|headerMAC|headerSlots|headerKey|cut}; asked
        1(new) salvages surely; asked = 1
        """),
      Scenario(
        "without the copies of the slots an earlier state's open it again, if somebody says so",
        """
        \(changed); 1 suffers file; 1 removes slots; 1(former) salvages ! slot unconfirmed; questions = fileMissing aa
        1(former) salvages surely; 1(former) count = 4
        """),
      // The items missing from that state are in an earlier one.
      Scenario(
        "of a vault whose name alone is gone, this machine's last write is all there, without a question",
        """
        \(changed); 1(new) adds e; 1 removes vault; 1(former) salvages surely ! wrongPassphrase vault
        {1(new) salvages = count: 5 …|1(new) restores first = count: 4 …; 1(new) restores first = count: 5 …}
        1(new) count = 5; 1(former) count ! wrongPassphrase vault
        """),
      Scenario(
        "what another process puts there while somebody is asked is not replaced",
        """
        \(changed); 1(new) adds e; 1 saves vault good; 1 suffers file
        1(new) salvages putting=good ! slot changedMeanwhile; 1 is vault good
        """),
    ]

  private static let removed = """
    1 vault; 1 key G; 1 key P; 1 addsCode C; 1 addsRecipient G R; 1 adds d; 1 drops R; 1 drops C
    1 addsRecipient P S @P.txt
    """
  private static let staysRemoved = """
    1 slots = S; 1 agrees; 1 removes identity; 1 count = 4; 1 removes state/slots; 1(C):identity=@G.txt count ! …
    1:identity=@P.txt agrees = C R
    """

  static let ways = [
    Scenario(
      "a way in that was removed stays removed, and one that was added stays",
      "\(removed); 1 suffers payload; 1 salvages surely; questions = ; \(staysRemoved)"),
    Scenario(
      "also where the file is gone",
      "\(removed); 1 suffers file; 1 salvages surely; questions = fileMissing identity-file S; \(staysRemoved)"
    ),
    Scenario(
      "also where the header can't be read",
      "\(removed); \(header); 1 salvages surely; questions = headerUnreadable identity-file S; \(staysRemoved)"
    ),
    // An earlier state doesn't know a slot that was added after it; later states and the last write do.
    Scenario(
      "whom a slot is for stays known, so that the key can be changed",
      """
      1 vault; 1 key K; 1 addsRecipient K A; 1 adds d
      {1 removes vault|1 suffers payload|1 suffers file|1 suffers headerMAC|1 suffers headerSlots|1 suffers headerKey\
      |1 suffers cut}
      1 restores last surely; 1 way A = SlotSummary A kind: recipient added: 2026-11-21T08:30:00.125Z recipient: K …
      1 rotates
      """),
    Scenario(
      "also if nothing was written since",
      """
      1 vault; 1 key K; 1 addsRecipient K A; {1 removes vault|1 suffers headerMAC|1 suffers headerSlots}
      1 restores last surely; 1 way A = SlotSummary A kind: recipient added: 2026-11-21T08:30:00.125Z recipient: K …
      1 rotates
      """),
    // The damage takes the copy along; if the contents can't be decrypted, their records are lost.
    Scenario(
      "but not if the contents are lost, too",
      """
      1 vault; 1 key K; 1 addsRecipient K A; 1 suffers {payload|file|headerKey|cut}; 1 restores last surely
      1 way A = SlotSummary A kind: recipient added: nil recipient: nil …
      """),
    Scenario(
      "where all slots were removed none comes back",
      """
      1 vault; 1 addsPassphrase gone A; 1 adds d; 1 drops A; 1 suffers {payload|file|headerMAC|headerKey|cut}
      1 salvages surely; 1 slots = ; 1 copies = ; 1 count = 4
      """),
    Scenario(
      "a vault without slots is put back without a question",
      "1 stores a b; 1 suffers {payload|file|headerMAC|headerKey|cut}; 1 salvages; 1 finds a = 1"),
    Scenario(
      "where the header is damaged, what opens one of several slots is no wrong passphrase",
      """
      1 vault aa=one bb=two; 1(two) adds d; 1 suffers {headerMAC|headerKey}; 1(one) count ! damaged vault …
      1(two) count ! damaged vault …; 1(three) count ! wrongPassphrase vault; 1(two) salvages surely; 1(two) finds a = 1
      1(two) finds b = 1; 1(two) finds c = 1
      """),
    Scenario(
      "an older file, damaged, in the vault's place brings back what opens it only if somebody says so",
      """
      1 vault; 1 addsPassphrase gone A; 1 saves vault older; 1 drops A; 1 overwrites older; 1 suffers payload
      1 salvages ! slot unconfirmed; questions = notTheOneSeen identity-file A
      """),
  ]

  /// The key was changed on another machine, and the vault arrived from there with the copies of its slots; the earlier
  /// states here have the former key.
  private static let rotated = """
    1 vault aa=right; 1(right) stores d e; 1(right) ownKey F; 2 folders; 2 writes vault 1/vault; 2(right) rotates aa=right
    1 writes vault 2/vault; 1 writes slots/aa.age 2/slots/aa.age; 1(right) accepts; 1(right) ownKey P
    1(right) hasKey F = no
    """

  static let elsewhere = [
    Scenario(
      "a damaged vault keeps the key that it had last, though the earlier states have the former one",
      "\(rotated); 1 suffers payload; 1(right) {salvages|restores first}; 1(right) hasKey P = yes; 1(right) count = 4"
    ),
    Scenario(
      "of a vault that is gone the copies of the slots lead to the key that it had last",
      "\(rotated); 1 suffers file; 1(right) salvages surely; 1(right) hasKey P = yes; 1(right) count = 4"),
    Scenario(
      "restoring in a vault that is in order takes a state of the former key, and keeps the present one",
      "\(rotated); 1(right) restores first; 1(right) hasKey F = no; 1(right) count = 4"),
    // The last write of this machine may stay in the folder as a copy.
    Scenario(
      "a file that was rotated elsewhere and can't be opened here is not replaced in silence",
      """
      1 stores a b; 2 follows; 2 rotates; {1 removes newest|}; 1 writes vault 2/vault; 1 marks
      1 restores first ! slot unconfirmed; questions = headerUnreadable former key identity-file; 1 salvages ! slot unconfirmed; 1 same; 1 restores 1 surely
      1 has a
      """),
  ]

  @Test("of which", arguments: changes + ways + elsewhere)
  func play(scenario: Scenario) throws { try scenario.run() }
}

@Suite("Putting a vault back in whose header the UUID is damaged")
struct PuttingBackUUIDTests {
  private let place = Place()

  /// What is left to tell the UUID of a vault in whose header it is damaged.
  enum Source: CaseIterable {
    case all, firstLine, seen
  }

  @Test("a damaged UUID in the header makes no other vault of what is salvaged", arguments: Source.allCases)
  func damagedUUID(source: Source) throws {
    let first = place.keychain()
    try first.exclusively { () throws(KeychainError) in
      for number in 0..<10 {
        try first.add(item("\(number).example"), Credential(password: String(repeating: "a", count: 40_000)))
      }
    }
    let uuid = try #require(try first.summary()?.uuid)
    let other = Place()
    other.makeFolders()
    var bytes = try contents(of: place.vault)
    try put(bytes, into: other.vault)
    try put(try contents(of: place.identityFile), into: other.identityFile)
    try expect(other.keychain().servers().count, is: 10)
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: Array(uuid.utf8)) })
    bytes[start + 20] = bytes[start + 20] == 0x30 ? 0x31 : 0x30
    // The first chunk has the first line.
    if source == .seen { bytes[start + 300] ^= 1 }
    if source == .firstLine { unlink(other.location.stateFolder + "/" + uuid + ".seen") }
    try other.overwriteVault(bytes)
    let salvage = try other.keychain().salvage()
    expect(salvage.recovered == salvage.count && salvage.count >= (source == .seen ? 7 : 10))
    try expect(other.keychain().summary()?.uuid, is: uuid)
    _ = try first.merge(copyAt: other.vault)
    _ = try other.keychain().merge(copyAt: place.vault)
    try expect(other.keychain().servers().count, is: 10)
  }
}
