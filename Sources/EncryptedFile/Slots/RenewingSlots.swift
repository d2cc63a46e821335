import Age
import Keychain

/// A slot wrapped again for another key of its vault.
struct RenewedSlot {
  let former: VaultStanzas.Slot
  let recipient: any Recipient
  let slot: VaultStanzas.Slot
}

/// The recipients for wrapping a vault's slots again, all asked for and tried before the vault is locked.
struct SlotRenewal {
  /// The slots that stay, each with its recipient; `nil` if the vault's notes name it.
  private var slots: [(slot: VaultStanzas.Slot, recipient: (any Recipient)?)] = []
  private(set) var codes: [NewRecoveryCode] = []

  /// - Parameter opened: called with each identity opened by a slot's secret.
  init(
    _ stanzas: VaultStanzas, dropping dropped: Set<String>, _ location: VaultLocation, _ unlocking: Unlocking,
    opened: (VaultStanzas.Slot, X25519Identity) throws(KeychainError) -> Void,
    passphrase: SlotPassphraseSource
  ) throws(KeychainError) {
    for id in dropped.sorted() where !stanzas.slots.contains(where: { $0.id == id }) {
      throw .slot(.notFound(id: id))
    }
    let noted = unlocking.readableNotes(stanzas)
    let kept = stanzas.slots.filter { !dropped.contains($0.id) }
    // Impossible renewals are reported before anybody is asked.
    for slot in kept {
      let hasProgram = if case .command = noted[slot.id] { true } else { false }
      if !slot.kind.isRenewable || slot.kind.isOpenedByProgram && !hasProgram {
        throw .slot(.notRenewable(id: slot.id, kind: slot.kind.name))
      }
    }
    for slot in kept {
      switch slot.kind {
      case .passphrase:
        let secret = try Self.ask(slot, unlocking, opened, passphrase)
        slots.append((slot, try unlocking.recipient(secret)))
      case .command:
        guard case .command(let command) = noted[slot.id],
          let secret = unlocking.openers.passphrase(of: command)
        else { throw .slot(.notRenewable(id: slot.id, kind: slot.kind.name)) }
        guard let identity = try unlocking.open(slot, with: secret) else {
          throw .slot(.commandMismatch(id: slot.id))
        }
        try opened(slot, identity)
        slots.append((slot, try unlocking.recipient(secret)))
      case .recovery:
        let code = RecoveryCode()
        slots.append((slot, try SlotWork.recipient(code)))
        codes.append(NewRecoveryCode(code, id: slot.id))
      case .recipient: slots.append((slot, nil))
      // Neither is a slot that can be renewed.
      case .identityFile, .other: throw .slot(.notRenewable(id: slot.id, kind: slot.kind.name))
      }
    }
  }

  /// The passphrase of a slot, checked by opening it: a mistyped one would lock its owner out.
  private static func ask(
    _ slot: VaultStanzas.Slot, _ unlocking: Unlocking,
    _ opened: (VaultStanzas.Slot, X25519Identity) throws(KeychainError) -> Void,
    _ passphrase: SlotPassphraseSource
  ) throws(KeychainError) -> Secret {
    var attempt = 1
    while let typed = try passphrase(slot.id, attempt) {
      if let identity = try unlocking.open(slot, with: typed) {
        try opened(slot, identity)
        return typed
      }
      attempt += 1
    }
    throw .slot(attempt == 1 ? .secretMissing(id: slot.id) : .secretMismatch(id: slot.id))
  }

  /// All slots that stay, with their recipients.
  ///
  /// - Throws: ``KeychainError/SlotFault/notRenewable(id:kind:)`` if the vault doesn't name the recipient of one.
  func recipients(
    _ notes: SlotNotes, except dropped: Set<String>
  ) throws(KeychainError) -> [(slot: VaultStanzas.Slot, recipient: any Recipient)] {
    var all: [(slot: VaultStanzas.Slot, recipient: any Recipient)] = []
    for (slot, known) in slots where !dropped.contains(slot.id) {
      if let known {
        all.append((slot, known))
        continue
      }
      guard let text = notes[slot.id]?.recipient, let recipient = try? SlotKeys.recipient(text) else {
        throw .slot(.notRenewable(id: slot.id, kind: slot.kind.name))
      }
      all.append((slot, recipient))
    }
    return all
  }
}
