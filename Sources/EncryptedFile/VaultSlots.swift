import Age
import Bytes
import Glibc
public import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// The ways into the vault: the identity file of this machine, where that opens it, and the slots in their order.
  /// `nil` if there is no vault.
  ///
  /// - Throws: as ``summary()`` does; a locked vault's can be told.
  public func slots() throws(KeychainError) -> [SlotSummary]? {
    guard let file = try vaultFile() else { return nil }
    let (header, _) = try VaultSnapshot.readHeader(file)
    let stanzas = try VaultStanzas(header.stanzas, path: file.path)
    var notes: SlotNotes?
    do throws(KeychainError) {
      if let snapshot = try newest() { notes = try SlotNotes(snapshot.first.head, path: file.path) }
    } catch {
      switch error {
      // Locked, in one way or another.
      case .locked, .noSlotOpens, .slot, .wrongIdentity, .missing, .promptDismissed, .wrongPassphrase: break
      default: throw error
      }
    }
    var ways = try unlocking.ways(header, stanzas)
    let noted = unlocking.readableNotes(stanzas)
    for index in ways.indices {
      let id = ways[index].id
      ways[index].added = notes?[id]?.added
      ways[index].recipient = notes?[id]?.recipient
      switch noted[id] {
      case .identity(let path): ways[index].identityPath = path
      case .command(let words): ways[index].command = words
      case nil: break
      }
    }
    return ways
  }

  /// The identifiers of the passphrase slots, as far as the header tells, which is not authenticated by this.
  ///
  /// - Throws: what is wrong with the file.
  public func passphraseSlots() throws(KeychainError) -> [String] {
    guard let file = try vaultFile() else { return [] }
    let (header, _) = try VaultSnapshot.readHeader(file)
    return try VaultStanzas(header.stanzas, path: file.path).slots
      .filter { $0.kind == VaultStanzas.Slot.passphrase }.map(\.id)
  }

  /// Unlocks the vault so that ways into it can be changed. Whatever keeps it unlocked doesn't suffice.
  ///
  /// - Throws: `KeychainError.missing` if there is no vault; as ``items(matching:)`` does.
  public func unlockForChangingSlots() throws(KeychainError) {
    _ = try slotChangeBasis()
  }

  // MARK: Adding

  /// Adds a passphrase.
  ///
  /// - Returns: the new slot's identifier.
  /// - Throws: `KeychainError.unusableAttribute` if it is empty; `KeychainError.slot` if it could be
  ///   taken for a recovery code, or there are too many slots; what unlocking and writing throw.
  @discardableResult
  public func addPassphrase(_ passphrase: borrowing Secret) throws(KeychainError) -> String {
    try SlotWork.refuseUnusable(passphrase)
    return try changingSlots { (change, identity) throws(KeychainError) in
      try change.addSlot(
        VaultStanzas.Slot.passphrase, for: try SlotWork.recipient(passphrase), identity, at: clock())
    }
  }

  /// Makes a passphrase the one that opens the vault in place of another. Older copies of the vault open with the
  /// former one still.
  ///
  /// - Parameters:
  ///   - id: the slot whose passphrase is to go; the only passphrase slot if `nil`.
  ///   - passphrase: the new one.
  /// - Returns: the new slot's identifier.
  /// - Throws: as ``addPassphrase(_:)`` does; `KeychainError.SlotFault.notFound`.
  @discardableResult
  public func replacePassphrase(
    of id: String, with passphrase: borrowing Secret
  ) throws(KeychainError) -> String {
    try SlotWork.refuseUnusable(passphrase)
    return try changingSlots { (change, identity) throws(KeychainError) in
      guard change.slots.contains(where: { $0.id == id && $0.kind == VaultStanzas.Slot.passphrase }) else {
        throw .slot(.notFound(id: id))
      }
      let recipient = try SlotWork.recipient(passphrase)
      try change.removeSlot(id)
      return try change.addSlot(VaultStanzas.Slot.passphrase, for: recipient, identity, at: clock())
    }
  }

  /// Adds a recovery code.
  ///
  /// - Parameter announce: is given the code before the slot is written, so that there is never a slot whose code nobody
  ///   has seen; if it throws, nothing has changed.
  /// - Returns: the new slot's identifier.
  /// - Throws: as ``addPassphrase(_:)`` does; what `announce` throws.
  @discardableResult
  public func addRecoveryCode(
    announce: (NewRecoveryCode) throws(KeychainError) -> Void
  ) throws(KeychainError) -> String {
    try changingSlots { (change, identity) throws(KeychainError) in
      let code = RecoveryCode()
      let id = try change.addSlot(
        VaultStanzas.Slot.recovery, for: try SlotWork.recipient(code), identity, at: clock())
      try announce(NewRecoveryCode(code, id: id))
      return id
    }
  }

  /// Adds a recipient of age or ssh, whose identity then opens the vault.
  ///
  /// Where there is one for this recipient already it stays, and the identity's file is noted for it.
  ///
  /// - Parameters:
  ///   - text: the recipient, as age takes it.
  ///   - path: the absolute path of the file with its identity, which is noted on this machine.
  /// - Returns: the slot's identifier.
  /// - Throws: `KeychainError.SlotFault.malformedRecipient`; `KeychainError.SlotFault.notItsIdentity` if
  ///   the file doesn't open the slot; `KeychainError.missing` if there is no such file; as
  ///   ``addPassphrase(_:)`` does.
  @discardableResult
  public func addRecipient(_ text: String, identity path: String?) throws(KeychainError) -> String {
    let recipient = try Self.recipient(text)
    let identities = try path.map { (path) throws(KeychainError) in
      guard let identities = try Unlocking.identities(inFile: path) else { throw .missing(path: path) }
      return identities
    }
    return try changingSlots { (change, identity) throws(KeychainError) in
      let notes = try change.notes()
      let id: String
      if let slot = change.slots.first(where: { notes[$0.id]?.recipient == text }) {
        if path == nil { throw .slot(.alreadyThere(id: slot.id)) }
        id = slot.id
      } else {
        id = try change.addSlot(
          VaultStanzas.Slot.recipient, for: recipient, identity, recipientText: text, at: clock())
      }
      if let path, let identities {
        guard let slot = change.slots.first(where: { $0.id == id }),
          try unlocking.open(slot, with: identities) != nil
        else { throw .slot(.notItsIdentity(path: path)) }
        change.localSlots.append((id, .identity(path: path)))
      }
      return id
    }
  }

  /// Whether a text is a recipient that a slot can be for.
  ///
  /// - Throws: `KeychainError.SlotFault.malformedRecipient`.
  public static func checkRecipient(_ text: String) throws(KeychainError) {
    _ = try recipient(text)
  }

  /// Adds the passphrase that a program prints, and notes on this machine how it is run.
  ///
  /// Where that passphrase opens a slot already for which nothing is noted here, the program is noted for it.
  ///
  /// - Parameter command: the program's name or path, and its arguments. No shell is involved.
  /// - Returns: the slot's identifier.
  /// - Throws: `KeychainError.SlotFault.commandFailed`; as ``addPassphrase(_:)`` does.
  @discardableResult
  public func addCommand(_ command: [String]) throws(KeychainError) -> String {
    guard !command.isEmpty, let passphrase = unlocking.openers.passphrase(of: command) else {
      throw .slot(.commandFailed(program: command.first ?? ""))
    }
    return try changingSlots { (change, identity) throws(KeychainError) in
      let noted = unlocking.readableNotes(change.stanzas)
      for slot in change.slots where slot.kind == VaultStanzas.Slot.command && noted[slot.id] == nil {
        if let opened = try? unlocking.open(slot, with: passphrase), opened.recipient == identity.recipient {
          change.localSlots.append((slot.id, .command(command)))
          return slot.id
        }
      }
      let id = try change.addSlot(
        VaultStanzas.Slot.command, for: try SlotWork.recipient(passphrase), identity, at: clock())
      change.localSlots.append((id, .command(command)))
      return id
    }
  }

  /// Puts the identity file onto this machine, so that nobody is asked here any more.
  ///
  /// - Throws: `KeychainError.SlotFault.alreadyThere`, `KeychainError.SlotFault.otherIdentityFile` if
  ///   the file that is there is of another vault; what unlocking and writing throw.
  public func addIdentityFile() throws(KeychainError) {
    let change = try beginSlotChange()
    guard let identity = change.key?.identity as? X25519Identity, let stanzas = change.stanzas else { return }
    let state = try Folder(creating: location.stateFolder)
    if let identities = try unlocking.identities(in: state, VaultLocation.identityName) {
      let isThere = identities.contains { $0.recipient == identity.recipient }
      throw .slot(
        isThere
          ? .alreadyThere(id: SlotSummary.identityFileID) : .otherIdentityFile(path: location.identityFile))
    }
    let text = IdentityText.of(identity, uuid: stanzas.uuid)
    try text.withUnsafeBytes { (text) throws(KeychainError) in
      try state.replace(VaultLocation.identityName, with: text)
    }
  }

  // MARK: Removing

  /// Removes a way into the vault. Older copies of the vault still have it.
  ///
  /// - Parameter id: a slot's identifier, or ``SlotSummary/identityFileID``.
  /// - Throws: `KeychainError.SlotFault.notFound`, `KeychainError.SlotFault.lastWayIn`; what unlocking
  ///   and writing throw.
  public func removeSlot(_ id: String) throws(KeychainError) {
    if id == SlotSummary.identityFileID { return try removeIdentityFile() }
    try changingSlots { (change, identity) throws(KeychainError) in
      guard change.slots.contains(where: { $0.id == id }) else { throw .slot(.notFound(id: id)) }
      try change.removeSlot(id)
      let hasIdentityFile = try unlocking.hasIdentityFile(of: identity)
      guard hasIdentityFile || change.slots.contains(where: { $0.isKnown && $0.isWellFormed }) else {
        throw .slot(.lastWayIn(id: id))
      }
    }
  }

  private func removeIdentityFile() throws(KeychainError) {
    let change = try beginSlotChange()
    let id = SlotSummary.identityFileID
    guard let identity = change.key?.identity as? X25519Identity,
      let state = try Folder(opening: location.stateFolder), try unlocking.hasIdentityFile(of: identity)
    else { throw .slot(.notFound(id: id)) }
    guard change.slots.contains(where: { $0.isKnown && $0.isWellFormed }) else {
      throw .slot(.lastWayIn(id: id))
    }
    for name in [VaultLocation.newIdentityName, VaultLocation.identityName] {
      guard let file = try state.file(name) else { continue }
      let text = IdentityText.replacing(
        identity, with: nil, in: try file.contents(limit: VaultBounds.identityFile))
      if IdentityText.isEmpty(text) {
        if unlinkat(state.descriptor, name, 0) != 0 {
          throw .system(operation: "remove", path: state.path(of: name), errno: errno)
        }
      } else {
        try text.withUnsafeBytes { (text) throws(KeychainError) in try state.replace(name, with: text) }
      }
    }
    try state.synchronize()
  }

  // MARK: Changing

  /// Runs a change of the slots under the vault's lock, and writes.
  private func changingSlots<Result>(
    _ body: (VaultChange, X25519Identity) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let change = try beginSlotChange()
    guard let identity = change.key?.identity as? X25519Identity else {
      throw .locked(path: location.vaultFile)
    }
    let result = try body(change, identity)
    try commitSlots(change)
    return result
  }

  /// Takes the lock, and unlocks the vault by its identity.
  func beginSlotChange() throws(KeychainError) -> VaultChange {
    _ = try slotChangeBasis()
    let change = try beginChange(needsIdentity: true)
    guard !change.isNew else { throw .missing(path: location.vaultFile) }
    // What was cut off may have left the only copy of the key under the name that a new one is about to get.
    if let key = change.key, let state = try Folder(opening: location.stateFolder) {
      try NewIdentityFile.complete(key, in: state)
    }
    return change
  }

  /// The vault as it is before the lock is taken, for nobody should wait for it until a person has answered.
  func slotChangeBasis() throws(KeychainError) -> VaultSnapshot {
    guard let snapshot = try newest(needsIdentity: true) else { throw .missing(path: location.vaultFile) }
    return snapshot
  }

  /// Writes a change of the slots, and keeps what is noted on this machine in step: what opens a slot is noted before
  /// there is the slot, and forgotten when it is gone.
  func commitSlots(_ change: VaultChange) throws(KeychainError) {
    if !change.localSlots.isEmpty {
      let folder = try Folder(creating: location.localSlotsFolder)
      folder.removeStaleTemporaries()
      for (id, slot) in change.localSlots { try slot.write(id, in: folder) }
    }
    try change.commit(at: clock())
    key = change.key
    snapshot = nil
    if let folder = try? Folder(opening: location.localSlotsFolder) {
      let ids = Set(change.slots.map(\.id))
      for name in (try? folder.names()) ?? [] where !ids.contains(name) && VaultStanzas.isSlotID(name) {
        LocalSlot.remove(name, in: folder)
      }
    }
  }

  private static func recipient(_ text: String) throws(KeychainError) -> any Recipient {
    guard text.utf8.count <= SlotKeys.recipientLimit else { throw .slot(.malformedRecipient) }
    do {
      return try SlotKeys.recipient(text)
    } catch {
      throw .slot(.malformedRecipient)
    }
  }
}

extension VaultChange {
  /// The slots as they are to be.
  var slots: [VaultStanzas.Slot] { stanzas?.slots ?? [] }

  /// What is noted about them.
  func notes() throws(KeychainError) -> SlotNotes { try SlotNotes(head, path: path) }

  /// Adds a slot.
  ///
  /// - Returns: its identifier.
  func addSlot(
    _ kind: String, for recipient: any Recipient, _ identity: X25519Identity, recipientText: String? = nil,
    at now: Timestamp
  ) throws(KeychainError) -> String {
    guard let stanzas else { throw .missing(path: path) }
    guard stanzas.slots.count < VaultBounds.slots else { throw .slot(.tooMany(limit: VaultBounds.slots)) }
    let id = randomHexadecimal(bytes: 8)
    do throws(AgeError) {
      let file = try identity.wrapped(for: recipient, uuid: stanzas.uuid)
      try replaceSlots(stanzas.slots + [VaultStanzas.Slot(id: id, kind: kind, file: file)])
    } catch {
      throw KeychainError(error, path: path)
    }
    var notes = try notes()
    notes.set(SlotNotes.Note(id: id, added: now, recipient: recipientText))
    notes.write(to: &head)
    return id
  }

  /// Removes a slot, and remembers that it was.
  func removeSlot(_ id: String) throws(KeychainError) {
    do throws(AgeError) {
      try replaceSlots(slots.filter { $0.id != id })
    } catch {
      throw KeychainError(error, path: path)
    }
    var notes = try notes()
    notes.remove(id)
    notes.write(to: &head)
  }

  func replaceSlots(_ slots: [VaultStanzas.Slot]) throws(AgeError) {
    stanzas = try stanzas?.replacingSlots(with: slots)
    isDirty = true
  }

  /// Notes of the slots of a new vault when they were added.
  func noteSlots(_ stanzas: VaultStanzas, at now: Timestamp) throws(KeychainError) {
    var notes = try notes()
    for slot in stanzas.slots { notes.set(SlotNotes.Note(id: slot.id, added: now)) }
    notes.write(to: &head)
  }

  /// Brings the copies of the slots beside the vault up to date, so that `age -d -i` can use them, and removes those
  /// of slots that are gone. The header's are the ones that count.
  func copySlots(of stanzas: VaultStanzas) throws(KeychainError) {
    let slotsFolder = locked.folder.path(of: VaultLocation.slotsName)
    if stanzas.slots.isEmpty {
      // A vault that never had slots has no folder for them either.
      if try notes().removed.isEmpty { return }
      guard let slots = try Folder(opening: slotsFolder) else { return }
      try Self.removeCopies(in: slots, except: [])
      return
    }
    let slots = try Folder(creating: slotsFolder)
    for slot in stanzas.slots {
      if let copy = try? slots.file(slot.fileName), copy.status.size == slot.file.count {
        let contents = try copy.contents(first: slot.file.count)
        if contents.withUnsafeBytes({ $0.elementsEqual(slot.file) }) { continue }
      }
      try slot.file.lendingBytes { (file) throws(KeychainError) in
        try slots.replace(slot.fileName, with: file)
      }
    }
    try Self.removeCopies(in: slots, except: Set(stanzas.slots.map(\.fileName)))
  }

  private static func removeCopies(in slots: borrowing Folder, except kept: Set<String>) throws(KeychainError)
  {
    slots.removeStaleTemporaries()
    for name in try slots.names() where name.hasSuffix(VaultStanzas.Slot.fileExtension) {
      let id = String(name.dropLast(VaultStanzas.Slot.fileExtension.count))
      if VaultStanzas.isSlotID(id), !kept.contains(name) { unlinkat(slots.descriptor, name, 0) }
    }
  }
}

extension Unlocking {
  /// The ways into a vault.
  func ways(_ header: Header, _ stanzas: VaultStanzas) throws(KeychainError) -> [SlotSummary] {
    var ways: [SlotSummary] = []
    if try hasIdentityFile(of: header, stanzas) {
      ways.append(SlotSummary(id: SlotSummary.identityFileID, kind: .identityFile))
    }
    for slot in stanzas.slots {
      var way = SlotSummary(id: slot.id, kind: SlotSummary.Kind(slot.kind))
      way.isDamaged = slot.isKnown && !slot.isWellFormed
      ways.append(way)
    }
    return ways
  }

  /// What is noted on this machine of the vault's slots, as far as it can be read.
  func readableNotes(_ stanzas: VaultStanzas?) -> [String: LocalSlot] {
    guard let folder = try? Folder(opening: location.localSlotsFolder) else { return [:] }
    var noted: [String: LocalSlot] = [:]
    for slot in stanzas?.slots ?? [] {
      if let local = try? LocalSlot.read(slot.id, in: folder) { noted[slot.id] = local }
    }
    return noted
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

  /// What is in the identity file, be it under the name that it has while its vault is being written.
  private func identitiesOfThisMachine() throws(KeychainError) -> [X25519Identity] {
    guard let folder = try Folder(opening: location.stateFolder) else { return [] }
    var all: [X25519Identity] = []
    for name in [VaultLocation.identityName, VaultLocation.newIdentityName] {
      if let identities = try identities(in: folder, name) { all += identities }
    }
    return all
  }
}
