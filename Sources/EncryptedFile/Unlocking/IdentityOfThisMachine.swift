import Age
import Bytes
import Glibc
import Keychain
import PrivateFiles

extension Unlocking {
  /// The readable notes on this machine about the vault's slots.
  func readableNotes(_ stanzas: VaultStanzas?) -> [String: LocalSlot] {
    guard let folder = try? Folder(opening: location.localSlotsFolder) else { return [:] }
    var noted: [String: LocalSlot] = [:]
    for slot in stanzas?.slots ?? [] {
      if let local = try? LocalSlot.read(slot.id, in: folder) { noted[slot.id] = local }
    }
    return noted
  }

  /// Whether a key of this machine opens a vault, without any program that might ask somebody.
  func opensByKeyOfThisMachine(_ header: Header, _ stanzas: VaultStanzas) throws(KeychainError) -> Bool {
    if stanzas.slots.isEmpty { return true }
    // An unreadable one opens nothing.
    if (try? hasIdentityFile(of: header, stanzas)) ?? false { return true }
    var withoutPrograms = self
    withoutPrograms.openers.mayRunPrograms = false
    var fault: KeychainError?
    switch try withoutPrograms.openWithoutAsking(header, stanzas, &fault) {
    case .some: return true
    case .none: return false
    }
  }

  func hasIdentityFile(of identity: X25519Identity) throws(KeychainError) -> Bool {
    try hasIdentityFile(of: identity.recipient)
  }

  func hasIdentityFile(of key: VaultKey) throws(KeychainError) -> Bool {
    try hasIdentityFile(of: key.recipient)
  }

  private func hasIdentityFile(of recipient: X25519Recipient) throws(KeychainError) -> Bool {
    try identitiesOfThisMachine().contains { $0.recipient == recipient }
  }

  func hasIdentityFile(of header: Header, _ stanzas: VaultStanzas) throws(KeychainError) -> Bool {
    for identity in try identitiesOfThisMachine() {
      if try open(header, stanzas, with: identity) != nil { return true }
    }
    return false
  }

  /// The identities in the identity file, also under its name while the vault is being written.
  func identitiesOfThisMachine() throws(KeychainError) -> [X25519Identity] {
    guard let folder = try Folder(opening: identityFolder ?? location.stateFolder) else { return [] }
    var all: [X25519Identity] = []
    for name in [VaultLocation.identityName, VaultLocation.newIdentityName] {
      if let identities = try identities(in: folder, name) { all += identities }
    }
    return all
  }
}
