import Age
import Expectations
import Keychain
import Testing
import TestSupport

@testable import EncryptedFile

@Suite("Passphrases")
struct VaultPassphraseTests {
  /// A vault that only a passphrase opens.
  private func place(_ slots: (HandMadeVault) throws -> [Stanza]) throws -> Place {
    let place = Place()
    place.makeFolders()
    var vault = try HandMadeVault()
    vault.stanzas = [try vault.vaultStanza()] + (try slots(vault))
    try put(try vault.file(), into: place.vault)
    return place
  }

  private func ask(_ place: Place, _ passphrases: [String?]) -> EncryptedFileKeychain {
    EncryptedFileKeychain(
      at: place.location,
      passphrase: { attempt in
        attempt <= passphrases.count ? passphrases[attempt - 1].map { Secret($0) } : nil
      }, patience: 0)
  }

  @Test("the right one opens the vault, for reading and for writing")
  func right() throws {
    let place = try place { [try $0.slot("right")] }
    let keychain = ask(place, ["right"])
    try expect(keychain.servers().count, is: 3)
    try ask(place, ["right"]).add(servers: ["d.example"])
    try expect(ask(place, ["right"]).servers().count, is: 4)
    expect(!exists(place.identityFile))
  }

  @Test("beside another vault's identity file it is still what opens the vault, and is said to be")
  func besideAnIdentity() throws {
    let place = try place { [try $0.slot("right")] }
    let other = X25519Identity().withEncodedBytes { Array($0) }
    try put(other + [0x0a], into: place.identityFile)
    try expect(ask(place, []).summary()?.hasPassphrase, is: true)
    try expect(ask(place, ["right"]).servers().count, is: 3)
  }

  @Test("nobody is asked twice by one keychain, not even when others have written")
  func askedOnce() throws {
    let place = try place { [try $0.slot("right")] }
    let asked = Collected<Int>()
    let keychain = EncryptedFileKeychain(
      at: place.location,
      passphrase: {
        asked.append($0)
        return Secret("right")
      })
    try expect(keychain.servers().count, is: 3)
    try ask(place, ["right"]).add(servers: ["d.example"])
    try keychain.add(servers: ["e.example"])
    try expect(keychain.servers().count, is: 5)
    expect(asked.all, is: [1])
  }

  @Test("a wrong one is said to be wrong, and changes nothing")
  func wrong() throws {
    let place = try place { [try $0.slot("right")] }
    let before = try place.everything()
    for wrong in ["wrong", "", "Right", "right ", "right\n"] {
      expect(failure { try ask(place, [wrong]).servers() }, is: .wrongPassphrase(path: place.vault))
      expect(
        failure { try ask(place, [wrong]).add(servers: ["d.example"]) },
        is: .wrongPassphrase(path: place.vault)
      )
    }
    try expect(place.everything(), is: before)
  }

  @Test("further attempts are made as long as somebody answers")
  func attempts() throws {
    let place = try place { [try $0.slot("right")] }
    try expect(ask(place, ["wrong", "", "right"]).servers().count, is: 3)
    expect(
      failure { try ask(place, ["wrong", nil, "right"]).servers() }, is: .wrongPassphrase(path: place.vault))
  }

  @Test("where nobody can be asked the vault is locked, not empty and not missing")
  func locked() throws {
    let place = try place { [try $0.slot("right")] }
    expect(failure { try ask(place, [nil]).servers() }, is: .locked(path: place.vault))
    expect(failure { try ask(place, [nil]).add(servers: ["d"]) }, is: .locked(path: place.vault))
    let summary = try #require(try ask(place, [nil]).summary())
    expect(summary.contents == nil && summary.hasPassphrase)
  }

  @Test("what the person who is asked says instead of a passphrase comes through")
  func dismissed() throws {
    let place = try place { [try $0.slot("right")] }
    let keychain = EncryptedFileKeychain(
      at: place.location, passphrase: { _ throws(KeychainError) in throw .promptDismissed })
    expect(failure { try keychain.servers() }, is: .promptDismissed)
  }

  @Test("each of several slots opens the vault")
  func severalSlots() throws {
    let place = try place {
      [try $0.slot("one", id: "aa"), try $0.slot("x", id: "bb", kind: "tpm"), try $0.slot("two", id: "cc")]
    }
    try expect(ask(place, ["one"]).servers().count, is: 3)
    try expect(ask(place, ["two"]).servers().count, is: 3)
    expect(failure { try ask(place, ["x"]).servers() }, is: .wrongPassphrase(path: place.vault))
  }

  @Test("a slot that can't be used doesn't keep the others from opening the vault")
  func oneBadSlot() throws {
    let place = try place {
      [
        try Stanza(type: "llavero/slot", arguments: ["1", "aa", "passphrase"], body: [1, 2, 3]),
        try $0.slot("two", id: "cc"),
      ]
    }
    try expect(ask(place, ["two"]).servers().count, is: 3)
  }

  @Test("a work factor above the limit is refused before any work is done")
  func workFactor() throws {
    let slot = Self.expensiveSlot(21)
    let place = try place { _ in
      [try Stanza(type: "llavero/slot", arguments: ["1", "aa", "passphrase"], body: slot)]
    }
    let error = failure { try ask(place, ["right"]).servers() }
    guard case .damaged(place.vault, let detail) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    expect(detail, is: "its passphrase takes 2^21 steps, more than 2^20")
    let cheap = try self.place { [try $0.slot("right", logN: 5)] }
    try expect(cheap.keychain(passphrase: "right", maximumWorkFactor: 5).servers().count, is: 3)
    expect(failure { try cheap.keychain(passphrase: "right", maximumWorkFactor: 4).servers() } != nil)
  }

  @Test("a work factor that no machine can do is refused", arguments: [23, 62, 63, 64, 100])
  func absurdWorkFactor(logN: Int) throws {
    let slot = Self.expensiveSlot(logN)
    let place = try place { _ in
      [try Stanza(type: "llavero/slot", arguments: ["1", "aa", "passphrase"], body: slot)]
    }
    for limit in [20, 22] {
      expect(failure { try place.keychain(passphrase: "right", maximumWorkFactor: limit).servers() } != nil)
    }
  }

  /// A slot that nobody could have made.
  private static func expensiveSlot(_ logN: Int) -> [UInt8] {
    let unpadded = { (count: Int) in
      HandMadeVault.base64([UInt8](repeating: 5, count: count)).filter { $0 != "=" }
    }
    return Array(
      "age-encryption.org/v1\n-> scrypt \(unpadded(16)) \(logN)\n\(unpadded(32))\n--- \(unpadded(32))\n".utf8)
      + [UInt8](repeating: 0, count: 64)
  }

  @Test("a slot that holds another vault's identity is not said to have a wrong passphrase")
  func foreignSlot() throws {
    let other = try HandMadeVault()
    let place = try place { _ in [try other.slot("right")] }
    let error = failure { try ask(place, ["right"]).servers() }
    expect(error != nil && error != .wrongPassphrase(path: place.vault))
  }

  @Test("a vault made with a passphrase has it as a slot in the header and beside", .timeLimit(.minutes(60)))
  func creation() throws {
    let place = Place()
    try ask(place, []).create(.passphrase(Secret("right")))
    expect(!exists(place.identityFile) && !exists(place.newIdentityFile))
    let header = try contents(of: place.vault).withUnsafeBytes { try Header(parsing: $0) }
    let slot = try #require(header.stanzas.first { $0.type == "llavero/slot" })
    let copy = place.slots + "/" + slot.arguments[1] + ".age"
    try expect(contents(of: copy), is: slot.body)
    try expect(FileFacts(copy).mode & 0o7777, is: 0o600)
    let inner = try slot.body.withUnsafeBytes { try Header(parsing: $0) }
    let logN = try #require(Int(inner.stanzas[0].arguments[1]))
    expect(ScryptWork.current.least...20 ~= logN)
    try expect(ask(place, ["right"]).servers(), is: [])
    expect(failure { try ask(place, ["wrong"]).servers() }, is: .wrongPassphrase(path: place.vault))
  }

  @Test("an empty passphrase makes no vault")
  func emptyCreation() throws {
    let place = Place()
    let error = failure { try ask(place, []).create(.passphrase(Secret())) }
    // There is no passphrase yet, so it can't be the wrong one.
    expect(error != nil && error != .wrongPassphrase(path: place.vault))
    expect(!exists(place.vault) && !exists(place.slots))
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
