import Age
import Bytes
import Glibc
import Keychain
import PrivateFiles

extension Unlocking {
  /// The ways into a vault.
  func ways(_ header: Header, _ stanzas: VaultStanzas) throws(KeychainError) -> [SlotSummary] {
    var ways: [SlotSummary] = []
    if try hasIdentityFile(of: header, stanzas) {
      ways.append(SlotSummary(id: SlotSummary.identityFileID, kind: .identityFile))
    }
    for slot in stanzas.slots {
      var way = SlotSummary(id: slot.id, kind: slot.kind)
      way.isDamaged = slot.isKnown && !slot.isWellFormed
      ways.append(way)
    }
    return ways
  }

  /// The notes on this machine about the vault's slots, as far as they can be read.
  func readableNotes(_ stanzas: VaultStanzas?) -> [String: LocalSlot] {
    guard let folder = try? Folder(opening: location.localSlotsFolder) else { return [:] }
    var noted: [String: LocalSlot] = [:]
    for slot in stanzas?.slots ?? [] {
      if let local = try? LocalSlot.read(slot.id, in: folder) { noted[slot.id] = local }
    }
    return noted
  }

  /// Whether a key of this machine opens a vault. No program is run that might ask somebody.
  func opensByKeyOfThisMachine(_ header: Header, _ stanzas: VaultStanzas) throws(KeychainError) -> Bool {
    if stanzas.slots.isEmpty { return true }
    // One that can't be read opens nothing.
    if (try? hasIdentityFile(of: header, stanzas)) ?? false { return true }
    var withoutPrograms = self
    withoutPrograms.openers.mayRunPrograms = false
    var fault: KeychainError?
    switch try withoutPrograms.openWithoutAsking(header, stanzas, &fault) {
    case .some: return true
    case .none: return false
    }
  }

  /// Whether the identity file of this machine holds an identity.
  func hasIdentityFile(of identity: X25519Identity) throws(KeychainError) -> Bool {
    try hasIdentityFile(of: identity.recipient)
  }

  /// Whether the identity file of this machine holds the identity of a vault's key.
  func hasIdentityFile(of key: VaultKey) throws(KeychainError) -> Bool {
    try hasIdentityFile(of: key.recipient)
  }

  private func hasIdentityFile(of recipient: X25519Recipient) throws(KeychainError) -> Bool {
    try identitiesOfThisMachine().contains { $0.recipient == recipient }
  }

  /// Whether the identity file of this machine opens a vault.
  private func hasIdentityFile(of header: Header, _ stanzas: VaultStanzas) throws(KeychainError) -> Bool {
    for identity in try identitiesOfThisMachine() {
      if try open(header, stanzas, with: identity) != nil { return true }
    }
    return false
  }

  /// The identities in the identity file, also under the name that it has while its vault is being written.
  func identitiesOfThisMachine() throws(KeychainError) -> [X25519Identity] {
    guard let folder = try Folder(opening: identityFolder ?? location.stateFolder) else { return [] }
    var all: [X25519Identity] = []
    for name in [VaultLocation.identityName, VaultLocation.newIdentityName] {
      if let identities = try identities(in: folder, name) { all += identities }
    }
    return all
  }
}
