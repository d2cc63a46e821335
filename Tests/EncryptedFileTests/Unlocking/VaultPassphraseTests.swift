import Age
import Expectations
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("Passphrases")
struct VaultPassphraseTests {
  static let passphrases = [
    Scenario(
      "beside another vault's identity file it is still what opens the vault, and is said to be",
      "1 vault right; 1 key O; 1 writes identity 1/@O.txt; 1 summary = locked passphrase; 1(right) count = 3"),
    Scenario(
      "nobody is asked twice by one keychain, not even when others have written",
      """
      1 vault right; 1'(right) count = 3; asked = 1; 1(right) adds d; asked = 1; 1'(right) adds e; 1'(right) count = 5
      asked = 
      """),
    Scenario(
      "a wrong one is said to be wrong, and changes nothing",
      """
      1 vault right; 1 marks; 1({wrong|''|Right|right_}) count ! wrongPassphrase vault
      1({wrong|''|Right|right_}) adds d ! wrongPassphrase vault; 1 same
      """),
    Scenario(
      "further attempts are made as long as somebody answers",
      "1 vault right; 1(wrong,'',right) count = 3; 1(wrong,nobody,right) count ! wrongPassphrase vault; asked = 1 2 3 1 2"
    ),
    Scenario(
      "where nobody can be asked the vault is locked, not empty and not missing",
      "1 vault right; 1 count ! locked vault; 1 adds d ! locked vault; 1 summary = locked passphrase"),
    Scenario(
      "each of several slots opens the vault",
      "1 vault aa=one bb=x/tpm cc=two; 1({one|two}) count = 3; 1(x) count ! wrongPassphrase vault"),
  ]

  @Test("of which", arguments: passphrases) func play(scenario: Scenario) throws { try scenario.run() }

  @Test("what the person who is asked says instead of a passphrase comes through")
  func dismissed() throws {
    let place = try SlotPlace { [try $0.slot("right")] }.place
    let keychain = EncryptedFileKeychain(
      at: place.location, passphrase: { _ throws(KeychainError) in throw .promptDismissed })
    expect(failure { try keychain.servers() }, is: .promptDismissed)
  }

  @Test("a work factor above the limit is refused before any work is done")
  func workFactor() throws {
    let place = try Self.expensiveVault(21)
    let error = failure { try place.keychain(passphrase: "right").servers() }
    guard case .damaged(place.vault, let detail) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    expect(detail, is: "its passphrase takes 2^21 steps, more than 2^20")
    let cheap = try SlotPlace { [try $0.slot("right", logN: 5)] }.place
    try expect(cheap.keychain(passphrase: "right", maximumWorkFactor: 5).servers().count, is: 3)
    expect(failure { try cheap.keychain(passphrase: "right", maximumWorkFactor: 4).servers() } != nil)
  }

  @Test("a work factor that no machine can do is refused", arguments: [23, 62, 63, 64, 100])
  func absurdWorkFactor(logN: Int) throws {
    let place = try Self.expensiveVault(logN)
    for limit in [20, 22] {
      expect(failure { try place.keychain(passphrase: "right", maximumWorkFactor: limit).servers() } != nil)
    }
  }

  /// A vault with a slot that nobody could have made.
  private static func expensiveVault(_ logN: Int) throws -> Place {
    let unpadded = { (count: Int) in
      HandMadeVault.base64([UInt8](repeating: 5, count: count)).filter { $0 != "=" }
    }
    let stanza = "-> scrypt \(unpadded(16)) \(logN)\n\(unpadded(32))\n"
    let slot = Array("age-encryption.org/v1\n\(stanza)--- \(unpadded(32))\n".utf8)
    return try SlotPlace { _ in
      [
        try Stanza(
          type: "llavero/slot", arguments: ["1", "aa", "passphrase"],
          body: slot + [UInt8](repeating: 0, count: 64))
      ]
    }.place
  }

  @Test("a slot that holds another vault's identity is not said to have a wrong passphrase")
  func foreignSlot() throws {
    let other = try HandMadeVault()
    let place = try SlotPlace { _ in [try other.slot("right")] }.place
    let error = failure { try place.keychain(passphrase: "right").servers() }
    expect(error != nil && error != .wrongPassphrase(path: place.vault))
  }

  @Test("a vault made with a passphrase has it as a slot in the header and beside", .timeLimit(.minutes(60)))
  func creation() throws {
    let place = Place()
    try EncryptedFileKeychain(at: place.location).create(.passphrase(Secret("right")))
    expect(!exists(place.identityFile) && !exists(place.newIdentityFile))
    let slot = try #require(try place.header.stanzas.first { $0.type == "llavero/slot" })
    let copy = place.slots + "/" + slot.arguments[1] + ".age"
    try expect(contents(of: copy), is: slot.body)
    try expect(FileFacts(copy).mode & 0o7777, is: 0o600)
    let inner = try slot.body.withUnsafeBytes { try Header(parsing: $0) }
    let logN = try #require(Int(inner.stanzas[0].arguments[1]))
    expect(ScryptWork.current.least...20 ~= logN)
    try expect(place.keychain(passphrase: "right").servers(), is: [])
    expect(
      failure { try place.keychain(passphrase: "wrong").servers() },
      is: .wrongPassphrase(path: place.vault))
  }

  @Test("the memory that a passphrase takes is known")
  func memory() throws {
    expect(ScryptMemory.needed(workFactor: 18), is: 256)
    expect(ScryptMemory.needed(workFactor: 20), is: 1024)
    let available = try #require(ScryptMemory.available)
    expect(available > 0)
    expect(
      failure { try ScryptMemory.check(workFactor: 40) }
        == .notEnoughMemory(needed: 1 << 30, available: available)
        || failure { try ScryptMemory.check(workFactor: 40) } != nil)
    expect(failure { try ScryptMemory.check(workFactor: 10) }, is: nil)
  }
}
