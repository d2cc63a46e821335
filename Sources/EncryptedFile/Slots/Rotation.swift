import Age
public import Keychain
import PrivateFiles

/// Asks for the passphrase of one slot. `attempt` counts from 1. Returns `nil` if nobody can be asked, or no longer.
public typealias SlotPassphraseSource =
  (_ id: String, _ attempt: Int) throws(KeychainError) -> Secret?

extension EncryptedFileKeychain {
  /// Gives the vault another identity, and wraps it again for every slot: former keys open nothing that is written
  /// from now on. The vault's UUID, its items and the slots' identifiers stay.
  ///
  /// Before anything changes, something has to open the vault with its new identity. A plugin's wrapping is tried.
  ///
  /// - Parameters:
  ///   - dropped: the slots to remove instead, without opening them.
  ///   - passphrase: asks for a slot's passphrase, which stays the same.
  ///   - announce: receives the recovery slots' new codes before the vault is written. An error changes nothing.
  /// - Throws: `KeychainError.slot` if a slot to be dropped doesn't exist, another slot can't be renewed, or no way
  ///   in would be left that was seen to open the vault; `KeychainError.unavailable` for a shared vault whose present
  ///   key was not shared yet; what unlocking and writing throw.
  public func rotate(
    dropping dropped: Set<String>, passphrase: SlotPassphraseSource,
    announce: ([NewRecoveryCode]) throws(KeychainError) -> Void
  ) throws(KeychainError) {
    guard let file = try vaultFile() else { throw .missing(path: location.vaultFile) }
    let (header, _) = try VaultSnapshot.readHeader(file)
    let stanzas = try VaultStanzas(header.stanzas, path: file.path)
    let renewal = try SlotRenewal(stanzas, dropping: dropped, location, unlocking) {
      (slot, identity) throws(KeychainError) in
      // A slot's typed passphrase opens the vault, so nobody is asked for it twice.
      let candidate = VaultKey(identity, uuid: stanzas.uuid)
      guard try unlocking.open(header, with: candidate) != nil else {
        throw .damaged(
          path: location.vaultFile, detail: "its \(slot.kind.name) opens a key that is not its own")
      }
      if !(key?.identity is X25519Identity) { key = candidate }
    } passphrase: {
      (id, attempt) throws(KeychainError) in
      try passphrase(id, attempt)
    }
    // Merges come first: from here on the present generation is noted as seen, even if this fails.
    _ = try current()
    let change = try beginSlotChange()
    try change.refuseUnmerged(alsoUnfinished: true)
    guard let former = change.key?.identity as? X25519Identity, let current = change.stanzas else { return }
    guard current.slots.elementsEqual(stanzas.slots, by: { $0.id == $1.id && $0.file == $1.file }) else {
      throw .slot(.changedMeanwhile)
    }
    if current.hasForeignSlots {
      throw .newerFormat(path: location.vaultFile, version: VaultStanzas.version + 1)
    }

    let identity = X25519Identity()
    let waiting = try change.slotsThatWait().subtracting(dropped)
    change.tellOfRemoval(of: waiting)
    let dropped = dropped.union(waiting)
    var notes = try change.notes()
    for id in dropped.sorted() { notes.remove(id) }
    var renewed: [RenewedSlot] = []
    let recipients = try renewal.recipients(notes, except: dropped)
    do throws(AgeError) {
      for (slot, recipient) in recipients {
        let file = try identity.wrapped(for: recipient, uuid: stanzas.uuid)
        renewed.append(
          RenewedSlot(
            former: slot, recipient: recipient,
            slot: VaultStanzas.Slot(id: slot.id, kind: slot.kind, file: file)))
      }
      try change.replaceSlots(renewed.map(\.slot))
    } catch {
      throw KeychainError(error, path: location.vaultFile)
    }
    notes.write(to: &change.head)
    change.head.keyedSince = change.head.generation
    let next = VaultKey(identity, uuid: stanzas.uuid)
    if let key = change.key { try change.head.noteNewKey(next, after: key, uuid: stanzas.uuid) }
    change.key = next
    change.newIdentityFile = try identityFile(replacing: former, with: identity)
    if change.newIdentityFile == nil, change.slots.isEmpty {
      throw .slot(.lastWayIn(id: stanzas.slots.first?.id ?? SlotSummary.identityFileID))
    }
    try tryRenewed(renewed, of: change, instead: former.recipient, header)
    let codes = renewal.codes.filter { !dropped.contains($0.id) }
    if !codes.isEmpty { try announce(codes) }
    try commitSlots(change)
    // Any key still kept unlocked is the former one.
    unlocking.cache?.forget(stanzas.uuid)
    // The former identity opens the earlier generations.
    tell(try change.purgeGenerations())
  }

  /// This machine's identity file with the new identity in place of the former one; `nil` if the file lacks that.
  private func identityFile(
    replacing former: X25519Identity, with identity: X25519Identity
  ) throws(KeychainError) -> NewIdentityFile? {
    guard try unlocking.hasIdentityFile(of: former), let state = try Folder(opening: location.stateFolder)
    else { return nil }
    // After a writer was killed, the newer file is the valid one.
    for name in [VaultLocation.identityName, VaultLocation.newIdentityName] {
      guard let identities = try unlocking.identities(in: state, name),
        identities.contains(where: { $0.recipient == former.recipient }), let file = try state.file(name)
      else { continue }
      return NewIdentityFile(
        IdentityText.replacing(
          former, with: identity, in: try file.contents(limit: VaultBounds.identityFile)))
    }
    return nil
  }
}
