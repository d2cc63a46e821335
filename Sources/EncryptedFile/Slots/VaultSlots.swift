import Age
import Bytes
import Glibc
public import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// The ways into the vault: the identity file of this machine if it opens the vault, and the slots in their order.
  /// `nil` if there is no vault.
  ///
  /// - Throws: as ``summary()`` does. A locked vault can be listed, too.
  public func slots() throws(KeychainError) -> [SlotSummary]? {
    guard let file = try vaultFile() else { return nil }
    let (header, _) = try VaultSnapshot.readHeader(file)
    let stanzas = try VaultStanzas(header.stanzas, path: file.path)
    var notes: SlotNotes?
    do throws(KeychainError) {
      if let snapshot = try newest() { notes = try SlotNotes(snapshot.first.head, path: file.path) }
    } catch {
      switch error {
      // The vault is locked, in one way or another.
      case .locked, .noSlotOpens, .slot, .wrongIdentity, .missing, .promptDismissed, .wrongPassphrase: break
      default: throw error
      }
    }
    var ways = try unlocking.ways(header, stanzas)
    for index in ways.indices { ways[index].describe(by: notes?[ways[index].id]) }
    return ways
  }

  /// Whether there is such a way into the vault, by the header, which is not authenticated here. Opens nothing.
  ///
  /// - Parameter id: a slot's identifier, or ``SlotSummary/identityFileID``.
  /// - Throws: `KeychainError` for a faulty file.
  public func hasSlot(_ id: String) throws(KeychainError) -> Bool {
    try waysByHeader().contains { $0.id == id }
  }

  /// The identifiers of the ways into the vault that are of a kind, by the header, which is not authenticated here.
  /// Opens nothing.
  ///
  /// - Throws: `KeychainError` for a faulty file.
  public func slots(of kind: SlotKind) throws(KeychainError) -> [String] {
    try waysByHeader().filter { $0.kind == kind }.map(\.id)
  }

  /// The ways into the vault by the header, which is not authenticated here; none without a vault. Opens nothing.
  package func waysByHeader() throws(KeychainError) -> [SlotSummary] {
    guard let file = try vaultFile() else { return [] }
    let (header, _) = try VaultSnapshot.readHeader(file)
    return try unlocking.ways(header, VaultStanzas(header.stanzas, path: file.path))
  }

  /// The missing files of those noted here for the slots. Opens nothing, and doesn't authenticate the header.
  package var missingIdentities: [String] {
    guard let file = (try? openVault()) ?? nil, let (header, _) = try? VaultSnapshot.readHeader(file),
      let stanzas = try? VaultStanzas(header.stanzas, path: file.path)
    else { return [] }
    let noted = unlocking.readableNotes(stanzas)
    return stanzas.slots.compactMap { slot in
      if case .identity(let path)? = noted[slot.id], !FileStatus.isThere(path) { path } else { nil }
    }
  }

  /// The identifier of a former slot, and the path of its copy that is still beside the vault; `nil` if there is none.
  /// Opens nothing, and doesn't authenticate the header.
  package var copyOfRemovedSlot: (id: String, path: String)? {
    guard let file = (try? openVault()) ?? nil, let (header, _) = try? VaultSnapshot.readHeader(file),
      let stanzas = try? VaultStanzas(header.stanzas, path: file.path),
      let copies = try? SlotCopies(at: location, known: stanzas.slots),
      let copy = copies.slots.first(where: { copy in !stanzas.slots.contains { $0.id == copy.id } })
    else { return nil }
    let folder = location.vaultFolder + "/" + VaultLocation.slotsName
    return (copy.id, "\(folder)/\(copy.id)\(VaultStanzas.Slot.fileExtension)")
  }

  /// The identifiers of the passphrase slots by the header, which is not authenticated here.
  ///
  /// - Throws: `KeychainError` for a faulty file.
  public func passphraseSlots() throws(KeychainError) -> [String] {
    guard let file = try vaultFile() else { return [] }
    let (header, _) = try VaultSnapshot.readHeader(file)
    return try VaultStanzas(header.stanzas, path: file.path).slots
      .filter { $0.kind == .passphrase }.map(\.id)
  }

  /// Unlocks the vault to change the ways into it. A key kept unlocked doesn't suffice.
  ///
  /// - Throws: `KeychainError.missing` if there is no vault; as ``items(matching:)`` does.
  public func unlockForChangingSlots() throws(KeychainError) {
    _ = try slotChangeBasis()
  }
}

extension Unlocking {
  /// The ways into a vault by its header, with what this machine notes of them. Opens nothing but the identity file.
  func ways(_ header: Header, _ stanzas: VaultStanzas) throws(KeychainError) -> [SlotSummary] {
    var ways: [SlotSummary] = []
    if try hasIdentityFile(of: header, stanzas) {
      ways.append(SlotSummary(id: SlotSummary.identityFileID, kind: .identityFile))
    }
    let noted = readableNotes(stanzas)
    for slot in stanzas.slots {
      var way = SlotSummary(id: slot.id, kind: slot.kind)
      way.isDamaged = slot.isKnown && !slot.isWellFormed
      switch noted[slot.id] {
      case .identity(let path): way.identityPath = path
      case .command(let words): way.command = words
      case nil: break
      }
      ways.append(way)
    }
    return ways
  }
}
