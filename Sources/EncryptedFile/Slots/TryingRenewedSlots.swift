import Age
import Keychain

extension EncryptedFileKeychain {
  /// Makes sure that something opens a vault with its new key before the ways to the former one go.
  ///
  /// llavero's own wrapping needs no trial. A plugin's new wrapping has to open if its former one opens.
  ///
  /// - Parameters:
  ///   - change: has the new key.
  ///   - former: the vault's key before.
  ///   - header: the vault's header, which is not opened.
  /// - Throws: ``KeychainError/SlotFault/renewalOpensNothing(id:plugin:)``;
  ///   ``KeychainError/SlotFault/pluginFailed(name:_:)`` or ``KeychainError/SlotFault/nothingElseOpens`` if nothing
  ///   that stays was seen to open the vault, and nobody shares it.
  func tryRenewed(
    _ renewed: [RenewedSlot], of change: VaultChange, instead former: X25519Recipient, _ header: Header
  ) throws(KeychainError) {
    guard let key = change.key?.recipient, let uuid = change.stanzas?.uuid else { return }
    var isOpened = change.newIdentityFile != nil || renewed.contains { !$0.slot.kind.isOpenedByKey }
    var fault: KeychainError?
    var untried: [String] = []
    for each in renewed {
      guard let plugin = each.recipient as? PluginRecipient else { continue }
      if try unlocking.finds(key, in: [each.slot], header, uuid: uuid, &fault) {
        isOpened = true
        continue
      }
      // Its identity may be elsewhere, or its device not plugged in.
      var formerFault: KeychainError?
      if try unlocking.finds(former, in: [each.former], header, uuid: uuid, &formerFault) {
        throw .slot(.renewalOpensNothing(id: each.slot.id, plugin: plugin.name))
      }
      untried.append(each.slot.id)
    }
    if !isOpened {
      let others = renewed.filter { !($0.recipient is PluginRecipient) }.map(\.slot)
      var otherFault: KeychainError?
      isOpened = try unlocking.finds(key, in: others, header, uuid: uuid, &otherFault)
    }
    if !isOpened {
      if let fault, case .slot(.pluginFailed) = fault { throw fault }
      // A person who leaves a shared vault leaves it to the others.
      if change.head.keyNumber == nil { throw .slot(.nothingElseOpens) }
    }
    if !untried.isEmpty { change.onCommit { [onNotice, untried] in onNotice(.slotsNotTried(untried)) } }
  }
}

extension Unlocking {
  /// Whether a key or a program of this machine opens one of these slots, and finds a certain key in it. Nobody is
  /// asked, but a plugin may want its device to be touched.
  ///
  /// - Parameters:
  ///   - header: any header. The key is recognized without opening it.
  ///   - fault: the first thing that went wrong.
  /// - Throws: for a faulty identity file given by the caller.
  func finds(
    _ key: X25519Recipient, in slots: [VaultStanzas.Slot], _ header: Header, uuid: String,
    _ fault: inout KeychainError?
  ) throws(KeychainError) -> Bool {
    var trial = self
    trial.recognizes = { (found) throws(KeychainError) in found.recipient == key }
    return try trial.openWithoutAsking(header, VaultStanzas(uuid: uuid, slots: slots), &fault) != nil
  }
}
