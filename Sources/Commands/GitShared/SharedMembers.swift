import Bytes
import EncryptedFile
import Keychain

/// The members of a shared keychain: everybody with a key to one of its slots.
extension SharedKeychainSync {
  /// Adds a member, and tells the repository.
  ///
  /// - Parameters:
  ///   - recipient: in age's notation, or a line of an ssh public key.
  ///   - label: the member's name for people.
  /// - Returns: the slot's identifier.
  /// - Throws: ``SharingFault``, with `KeychainError.SlotFault.alreadyThere` for a present member.
  func add(
    member recipient: String, label: String?
  ) throws(SharingFault) -> (id: String, Outcome) {
    // If you aren't a member, you find out before anything is changed.
    var outcome = try sync()
    for _ in 0..<Self.maximumAdditions {
      let id = try SharingFault.ofKeychain { () throws(KeychainError) in
        try keychain.addRecipient(recipient, identity: nil, label: label)
      }
      outcome = outcome.followed(by: try sync())
      // It is gone if somebody else has made a new key meanwhile.
      if try SharingFault.ofKeychain(members).contains(where: { $0.id == id }) {
        outcome.withFormerKey.removeAll { $0.hasPart(recipient) }
        return (id, outcome)
      }
    }
    throw .contended(attempts: Self.maximumAdditions)
  }

  /// How often to add a member whose slot others have dropped by making a new key.
  private static let maximumAdditions = 5

  /// From the copy on this machine.
  func members() throws(KeychainError) -> [SlotSummary] { try keychain.slots() ?? [] }

  /// The identifier of the slot that this machine's identity opens; `nil` if it opens none.
  func ownSlot() throws(KeychainError) -> String? {
    guard let identity else { return nil }
    return try keychain.noteIdentity(identity)
  }

  /// The consequences of removing a member.
  struct Removal: Sendable {
    /// The items that the member could read since the slot was added, those in use first.
    var known: [KnownItem] = []
    var outcome = Outcome()
    /// Why the repository doesn't have it yet; `nil` if it was asked.
    var fault: SharingFault?
  }

  /// Removes a member: the keychain gets another key, without a slot for the member.
  ///
  /// - Parameter id: the slot's identifier.
  /// - Throws: ``SharingFault``; `KeychainError.SlotFault.notFound` if there is no such slot. Nobody was removed then.
  func remove(member id: String) throws(SharingFault) -> Removal {
    var removal = Removal(outcome: try sync())
    removal.known = try SharingFault.ofKeychain { () throws(KeychainError) in
      guard let slot = try members().first(where: { $0.id == id }) else { throw .slot(.notFound(id: id)) }
      let known = try keychain.knownItems(since: slot.added)
      try keychain.rotate(dropping: [id], passphrase: { _, _ in nil }, announce: { _ in })
      return known
    }
    do throws(SharingFault) {
      removal.outcome = removal.outcome.followed(by: try sync())
    } catch {
      removal.fault = error
    }
    return removal
  }
}
