import Age
import Expectations
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("Rotation", .timeLimit(.minutes(60)))
struct RotationTests {
  static let rotations = [
    Scenario(
      "a vault with an identity file gets a new one, and the old one opens nothing that is written now",
      """
      1 vault; 1 saves identity old; 1 uuid; 1 rotates; 1 isn't identity old; 1 count = 3; 1 uuid = same
      1 lacks identity.new; 1 number = 8; 2 vault; 1 writes identity {old|2/identity}; 1 count ! wrongIdentity identity
      """),
    Scenario(
      "a rotation that fails keeps the key that an earlier one, which was killed, has not put in its place",
      """
      1 vault; 1 saves identity former; 1 rotates; 1 moves identity identity.new; 1 writes identity former
      1 removes generations; 1 writes generations [0]; 1 rotates ! …; 1 count = 3; 1 removes generations; 1 rotates
      1 lacks identity.new
      """),
    // By the recipient, then by the program, then by what is typed.
    Scenario(
      "every kind of slot opens the vault afterwards, by what opened it before or by a new code",
      """
      1 vault aa=right bb=two; 1 key K; 1(right) addsRecipient K R @K.txt; 1(right) addsCommand C echo word
      1(right) addsCode D; 1 marksSlots; 1 rotates aa=wrong,right bb=two = D; 1 slots = aa bb R C D
      1 renewed = aa bb R C D; 1 copies = C D R aa bb; 1 count = 3; 1 removes @K.txt; 1 count = 3; 1 removes state/slots
      1({right|two|D}) count = 3; 1(D.old) count ! wrongPassphrase vault
      """),
    Scenario(
      "what can't be renewed is said before anything has changed, and can be dropped",
      """
      1 vault aa=right bb=two cc=x/tpm dd=y/command ee=z/recipient; 1(right) count = 3; 1 marks
      1 rotates aa=right ! slot notRenewable cc kind: tpm
      1 rotates -cc aa=right ! slot notRenewable dd kind: command
      1 rotates -cc -dd aa=right ! slot secretMissing bb
      1 rotates -cc -dd -bb aa=right ! slot notRenewable ee kind: recipient
      1 rotates -zz aa=right ! slot notFound zz; 1(right) rotates -aa -bb -cc -dd -ee ! slot lastWayIn aa
      1 rotates -bb -cc -dd -ee aa=two,wrong ! slot secretMismatch aa; 1 same
      1 rotates -bb -cc -dd -ee aa=right; 1 slots = aa; 1 copies = aa; 1(right) count = 3; 1(right) addsIdentity
      1 text "removed_slots":["bb","cc","dd","ee"] = "removed_slots":["bb","cc","dd","ee"]
      """),
    Scenario(
      "whoever has only the recovery code, or nothing but the identity file, gets out with a new key",
      """
      1 vault aa=forgotten; 1(forgotten) addsCode D; 1(D) rotates -aa = D; 1(D) count = 3
      1(forgotten) count ! wrongPassphrase vault; 1(D) addsIdentity; 1 rotates -D; 1 slots = ; 1 copies = ; 1 count = 3
      """),
    Scenario(
      "the slot that opened the vault can't be dropped where nothing here opens those that stay",
      """
      1 vault aa=right; 1 key K; 1(right) addsRecipient K A; 1 marks; 1(right) rotates -aa ! slot nothingElseOpens
      1 same; 1(right) addsRecipient K A @K.txt; 1 rotates -aa; 1 slots = A; 1 count = 3
      """),
    // Root may write everywhere, but can't replace a folder with a file.
    Scenario(
      "codes that can't be shown, and a file that can't be written, leave all as it was",
      """
      1 vault; 1 addsCode A; 1 marks; 1 rotatesUnshown ! promptDismissed; 1 same; 1 makes state/identity.txt.new
      1 rotates ! …; 1 removes state/identity.txt.new; 1 same
      """),
    Scenario(
      "earlier generations, which the old key opens, are removed",
      "1 vault; 1 adds d; 1 deletes d; 1 lists generations = 7-* 8-*; 1 rotates; 1 lists generations = "),
    Scenario(
      "what a rotation that was killed has left of the former key is told, and the next write removes it",
      """
      1 vault; 1 adds d; 1 deletes d; 2 folders; 1 brings 2; 1 rotates; 2 brings 1
      1 writes generations/unreadable-01234567.age [1]; 1' formerKeys = 8 7; 1' adds e; 1' formerKeys = 
      1' numbers = 10; 1 lists generations = 10-*; 1' adds f; 1' numbers = 11 10
      """),
    // First both were recorded, whether or not the vault is in its place.
    Scenario(
      "of the vault before and the one after, whichever a cut-off rotation leaves is the newest that was seen",
      """
      1 vault; 1 count = 3; 1 saves seen seenOld; 1 saves vault vaultOld; 1 saves identity old; 1 rotates
      1 writes seen seenOld+1/seen; 1 count = 3; 1 writes vault vaultOld; 1 writes identity old; 1 count = 3; 1 adds d
      1 count = 4; 1 noted = at vault
      """),
    // An interrupted rotation has left a key that opens nothing, and no write puts it in place of the vault's.
    Scenario(
      "a vault whose rotation was cut off after the vault was written opens, and the next write completes it",
      """
      1 vault; 1 saves identity old; 1 rotates; 1 saves identity new; 1 writes identity.new new; 1 writes identity old
      1 count = 3; 1 kinds = identityFile; 1 adds d; 1 is identity new; 1 lacks identity.new; 1 writes identity.new old
      1 adds e; 1 is identity new; 1 count = 5
      """),
    Scenario(
      "a rotation of a vault that was itself cut off goes on from the key that counts",
      """
      1 vault; 1 saves identity old; 1 rotates; 1 moves identity identity.new; 1 writes identity old; 1 rotates
      1 isn't identity old; 1 count = 3
      """),
    Scenario(
      "a keychain that was opened before a rotation elsewhere reads and writes on",
      """
      1 vault aa=right; 1'(right) count = 3; 1 rotates aa=right; 1'(right) adds d; 1'(right) count = 4; asked = 1 1
      """),
  ]

  @Test("of which", arguments: rotations) func play(scenario: Scenario) throws { try scenario.run() }

  @Test("where a version rotated that doesn't note it, what is left of the former key is told and stays")
  func formerKeysOfOlderVersion() throws {
    let slots = try SlotPlace()
    try slots.keychain().add(servers: ["d.example"])
    var vault = try HandMadeVault()
    vault.generation = 9
    try slots.place.overwriteVault(try vault.file())
    try put(vault.identityText(), into: slots.place.identityFile)
    let keychain = slots.keychain()
    try keychain.acceptRollback()
    try expect(keychain.generationsOfFormerKeys().map(\.number), is: [7])
    try keychain.add(servers: ["e.example"])
    try expect(keychain.generationsOfFormerKeys().map(\.number), is: [7])
    try keychain.compact()
    try expect(keychain.generationsOfFormerKeys(), is: [])
  }

  @Test("other identities and comments of the identity file stay")
  func furtherIdentities() throws {
    let slots = try SlotPlace()
    let other = X25519Identity()
    let mine = try slots.place.identity()
    let (first, second) = (mine.withEncodedBytes { Array($0) }, other.withEncodedBytes { Array($0) })
    try put(
      Array("# one\r\n".utf8) + second + Array("\n# public key: \(mine.recipient)\n".utf8) + first
        + Array("\n# two".utf8),
      into: slots.place.identityFile)
    try slots.keychain().rotate(dropping: [], passphrase: { _, _ in nil }, announce: { _ in })
    let text = text(try contents(of: slots.place.identityFile))
    expect(
      text.hasPrefix("# one\r\n" + String(decoding: second, as: UTF8.self) + "\n# public key: age1"))
    // Neither the comment nor the key of the former identity is left.
    expect(!text.contains("\(mine.recipient)"))
    expect(text.hasSuffix("\n# two") && !text.contains(String(decoding: first, as: UTF8.self)))
    try expect(slots.keychain().servers().count, is: 3)
  }

  @Test("stores and readers that come at the same time go on with the new key, and lose nothing")
  func concurrent() throws {
    let slots = try SlotPlace()
    let location = slots.place.location
    let failures = Collected<String>()
    concurrently(12) { number in
      do {
        let keychain = EncryptedFileKeychain(at: location)
        switch number % 3 {
        case 0:
          for _ in 0..<6 {
            do {
              try keychain.rotate(dropping: [], passphrase: { _, _ in nil }, announce: { _ in })
            } catch KeychainError.slot(.changedMeanwhile) {}
          }
        case 1:
          for count in 0..<6 { try keychain.add(servers: ["new\(number)-\(count).example"]) }
        default:
          for _ in 0..<40 {
            let count = try EncryptedFileKeychain(at: location).servers().count
            if count < 3 { failures.append("only \(count)") }
          }
        }
      } catch {
        failures.append("\(number): \(error)")
      }
    }
    expect(failures.all, is: [])
    try expect(slots.keychain().servers().count, is: 3 + 4 * 6)
    expect(!exists(slots.place.newIdentityFile))
  }
}
