import Age
import Bytes
import Glibc
public import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// Adds a passphrase, and returns the new slot's identifier.
  ///
  /// - Throws: `KeychainError.unusableAttribute` if it is empty; `KeychainError.slot` if it could be taken for a
  ///   recovery code, or there are too many slots; what unlocking and writing throw.
  @discardableResult
  public func addPassphrase(_ passphrase: borrowing Secret) throws(KeychainError) -> String {
    try SlotWork.refuseUnusable(passphrase)
    return try changingSlots { (change, identity) throws(KeychainError) in
      try change.addSlot(
        .passphrase, for: try unlocking.recipient(passphrase), identity, at: clock())
    }
  }

  /// Replaces a passphrase that opens the vault, and returns the new slot's identifier. Older copies of the vault
  /// still open with the former one.
  ///
  /// - Parameters:
  ///   - id: the slot whose passphrase is replaced.
  ///   - passphrase: the new one.
  /// - Throws: as ``addPassphrase(_:)`` does; `KeychainError.SlotFault.notFound`.
  @discardableResult
  public func replacePassphrase(
    of id: String, with passphrase: borrowing Secret
  ) throws(KeychainError) -> String {
    try SlotWork.refuseUnusable(passphrase)
    return try changingSlots { (change, identity) throws(KeychainError) in
      guard change.slots.contains(where: { $0.id == id && $0.kind == .passphrase }) else {
        throw .slot(.notFound(id: id))
      }
      let recipient = try unlocking.recipient(passphrase)
      try change.removeSlot(id)
      return try change.addSlot(.passphrase, for: recipient, identity, at: clock())
    }
  }

  /// Adds a recovery code, and returns the new slot's identifier.
  ///
  /// - Parameter announce: receives the code before the slot is written, so that there is never a slot with a code
  ///   that nobody has seen. If it throws, nothing has changed.
  /// - Throws: as ``addPassphrase(_:)`` does; what `announce` throws.
  @discardableResult
  public func addRecoveryCode(
    announce: (NewRecoveryCode) throws(KeychainError) -> Void
  ) throws(KeychainError) -> String {
    try changingSlots { (change, identity) throws(KeychainError) in
      let code = RecoveryCode()
      let id = try change.addSlot(
        .recovery, for: try SlotWork.recipient(code), identity, at: clock())
      try announce(NewRecoveryCode(code, id: id))
      return id
    }
  }

  /// Adds an age or ssh recipient, whose identity then opens the vault, and returns the slot's identifier. An existing
  /// slot for this recipient stays as it is, and the identity's file is noted for it.
  ///
  /// - Parameters:
  ///   - text: the recipient in age's notation.
  ///   - path: the absolute path of the file with its identity, which is noted on this machine.
  ///   - label: its name for people, at most ``SlotSummary/labelLimit`` bytes without control characters.
  /// - Throws: `KeychainError.unusableAttribute` for another label; `KeychainError.SlotFault.malformedRecipient`;
  ///   `KeychainError.SlotFault.notItsIdentity` if the file doesn't open the slot; `KeychainError.missing` if there is
  ///   no such file; as ``addPassphrase(_:)`` does.
  @discardableResult
  public func addRecipient(
    _ text: String, identity path: String?, label: String? = nil
  ) throws(KeychainError) -> String {
    try label.map(SlotNotes.refuseUnusable(label:))
    let recipient = try Self.recipient(text)
    let identities = try path.map { (path) throws(KeychainError) in
      guard let identities = try Unlocking.identities(inFile: path) else { throw .missing(path: path) }
      return identities
    }
    return try changingSlots { (change, identity) throws(KeychainError) in
      let notes = try change.notes()
      let id: String
      let key = Self.withoutComment(text)
      let isKey = { (slot: VaultStanzas.Slot) in
        notes[slot.id]?.recipient.map { Self.withoutComment($0) == key } ?? false
      }
      if let slot = change.slots.first(where: isKey) {
        if path == nil { throw .slot(.alreadyThere(id: slot.id)) }
        id = slot.id
      } else {
        id = try change.addSlot(
          .recipient, for: recipient, identity, recipientText: text, label: label, at: clock())
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

  /// Checks whether a slot can be for this recipient.
  ///
  /// - Throws: `KeychainError.SlotFault.malformedRecipient`.
  public static func checkRecipient(_ text: String) throws(KeychainError) {
    _ = try recipient(text)
  }

  /// Adds the passphrase that a program prints, notes on this machine how to run it, and returns the slot's
  /// identifier. If the passphrase already opens a slot without a note here, the program is noted for that slot.
  ///
  /// - Parameter command: the program's name or path, and its arguments. No shell is involved.
  /// - Throws: `KeychainError.SlotFault.commandFailed`; as ``addPassphrase(_:)`` does.
  @discardableResult
  public func addCommand(_ command: [String]) throws(KeychainError) -> String {
    guard !command.isEmpty, let passphrase = unlocking.openers.passphrase(of: command) else {
      throw .slot(.commandFailed(program: command.first ?? ""))
    }
    return try changingSlots { (change, identity) throws(KeychainError) in
      let noted = unlocking.readableNotes(change.stanzas)
      for slot in change.slots where slot.kind == .command && noted[slot.id] == nil {
        if let opened = try? unlocking.open(slot, with: passphrase), opened.recipient == identity.recipient {
          change.localSlots.append((slot.id, .command(command)))
          return slot.id
        }
      }
      let id = try change.addSlot(
        .command, for: try unlocking.recipient(passphrase), identity, at: clock())
      change.localSlots.append((id, .command(command)))
      return id
    }
  }

  /// Writes the identity file to this machine, so that nobody is asked here any more. Removes slots whose removal has
  /// waited for another way in.
  ///
  /// - Throws: `KeychainError.SlotFault.alreadyThere`, `KeychainError.SlotFault.otherIdentityFile` if there is
  ///   another vault's file; what unlocking and writing throw.
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
    let durability = try text.withUnsafeBytes { (text) throws(KeychainError) in
      try state.replace(VaultLocation.identityName, with: text)
    }
    tell(durability)
    // Waiting slots are removed once this file is sure to stay.
    guard durability == .lasting, try change.removeSlotsThatWait() else { return }
    try commitSlots(change)
    try change.removeCopiesOfFormerSlots()
  }

  static func recipient(_ text: String) throws(KeychainError) -> any Recipient {
    guard text.utf8.count <= SlotKeys.recipientLimit else { throw .slot(.malformedRecipient) }
    do {
      return try SlotKeys.recipient(text)
    } catch {
      throw .slot(.malformedRecipient)
    }
  }
}

extension EncryptedFileKeychain {
  /// A recipient's words that say which key it is. In an ssh key's line, a comment follows.
  private static func withoutComment(_ recipient: String) -> [Substring] {
    Array(recipient.split(separator: " ").prefix(2))
  }
}
