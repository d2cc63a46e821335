import Age
import EncryptedFile
import Keychain
import TestSupport

extension Machine {
  /// Changes the slots of the vault; its contents stay the same.
  func changeSlots(_ kind: Step.Kind, _ choices: inout Choices) throws {
    guard generation > 0, let slots = try keychain.slots() else { return }
    let before = state
    switch kind {
    case .rotate:
      let unknown = slots.filter(\.isOfUnknown).map(\.id)
      if let id = unknown.first {
        guard passphrases.ofUnknown.isSuperset(of: unknown) else {
          throw Finding("whom slot \(id) is for is no longer known")
        }
        do {
          try rotate(dropping: [])
          throw Finding("a slot of an unknown recipient is renewed")
        } catch KeychainError.slot(.notRenewable) {
          try settle(before, mayWriteAnyway: true)
        }
      }
      try rotate(dropping: Set(unknown))
      keyNumber = Int.random(in: 1...Int.max, using: &choices.generator)
      earlier = [:]
    case .addRecipient:
      if slots.count > 6 { return }
      try keychain.addRecipient(X25519Identity().recipient.description, identity: nil)
    case .removeSlot:
      let others = slots.filter { $0.kind != .identityFile }
      if others.isEmpty { return }
      try keychain.removeSlot(others[choices.index(others.count)].id)
    case .changePassphrase:
      let new = "passphrase \(choices.index(1000))"
      if let id = try keychain.passphraseSlots().first {
        passphrases.known[try keychain.replacePassphrase(of: id, with: Secret(new))] = new
      } else {
        passphrases.known[try keychain.addPassphrase(Secret(new))] = new
      }
    default: return
    }
    try settle(before, mayWriteAnyway: true)
  }

  private func rotate(dropping dropped: Set<String>) throws {
    try keychain.rotate(dropping: dropped) { id, attempt in
      attempt == 1 ? self.passphrases.known[id].map { Secret($0) } : nil
    } announce: { _ in
    }
  }
}

extension SlotSummary {
  var isOfUnknown: Bool { kind == .recipient && recipient == nil }
}
