import Expectations
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("A vault of copies")
struct CopiesTests {
  private let place = Place()

  private func keychain() -> EncryptedFileKeychain {
    let keychain = place.keychain(patience: 0)
    keychain.isOfCopies = true
    return keychain
  }

  private static func item(_ service: ByteString) -> Item {
    Item(.genericPassword(GenericPassword(service: service)))
  }

  private func add(_ service: ByteString, to keychain: EncryptedFileKeychain) throws -> Item {
    try keychain.add(Self.item(service), Credential(password: "secret of \(service)"))
  }

  private func services(_ keychain: EncryptedFileKeychain) throws -> [String] {
    try keychain.items(matching: .all).map { $0.key.name }.sorted()
  }

  @Test("keeps nothing of what was deleted or replaced, and notes nothing beside it")
  func keepsNoPast() throws {
    let keychain = keychain()
    let gone = try add("gone", to: keychain)
    let item = try add("kept", to: keychain)
    try keychain.update(item, Credential(password: "replaced"))
    try keychain.update(item, Credential(password: "new"))
    try keychain.delete([gone])
    expect(try services(self.keychain()), is: ["kept"])
    expect(try keychain.retiredItems(matching: .all).count, is: 0)
    expect(names(in: place.location.vaultFolder), is: ["lock", "vault.age"])
    expect(names(in: place.location.stateFolder), is: ["identity.txt"])
  }

  @Test("ends with its last item, and begins anew")
  func endsWithTheLastItem() throws {
    let keychain = keychain()
    let item = try add("only", to: keychain)
    try keychain.delete([item])
    expect(names(in: place.location.vaultFolder), is: ["lock"])
    expect(names(in: place.location.stateFolder), is: [])
    expect(try services(keychain), is: [])
    _ = try add("next", to: keychain)
    expect(try services(self.keychain()), is: ["next"])
  }

  @Test("takes any state of it for the newest")
  func hasNoNewestState() throws {
    let keychain = keychain()
    _ = try add("first", to: keychain)
    let former = try contents(of: place.vault)
    _ = try add("second", to: keychain)
    try put(former, into: place.vault)
    expect(try services(self.keychain()), is: ["first"])
    _ = try add("third", to: self.keychain())
    expect(try services(keychain), is: ["first", "third"])
  }

  @Test("takes nothing from what another program puts beside it")
  func hasNoOthers() throws {
    let keychain = keychain()
    let gone = try add("gone", to: keychain)
    try put(
      try contents(of: place.vault),
      into: place.location.vaultFolder + "/vault.sync-conflict-20261121-083000-ABCDEFG.age")
    _ = try add("kept", to: keychain)
    try keychain.delete([gone])
    _ = try add("next", to: self.keychain())
    expect(try services(self.keychain()), is: ["kept", "next"])
  }

  @Test("is discarded whole, also a damaged one, and nobody changes it meanwhile")
  func isDiscarded() throws {
    let keychain = keychain()
    _ = try add("first", to: keychain)
    try put([1, 2, 3], into: place.vault)
    try put([4], into: place.location.stateFolder + "/" + VaultLocation.newIdentityName)
    #expect(throws: KeychainError.self) { try add("second", to: keychain) }
    var services: [String]?
    try keychain.whileLocked {
      keychain.discard()
      services = try? self.services(self.keychain())
      #expect(throws: KeychainError.self) { try add("second", to: self.keychain()) }
    }
    expect(services, is: [])
    expect(names(in: place.location.stateFolder), is: [])
    _ = try add("third", to: keychain)
    expect(try self.services(self.keychain()), is: ["third"])
  }
}
