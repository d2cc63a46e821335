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
      .filter { $0.kind == .passphrase }.map(\.id)
  }

  /// Unlocks the vault so that ways into it can be changed. Whatever keeps it unlocked doesn't suffice.
  ///
  /// - Throws: `KeychainError.missing` if there is no vault; as ``items(matching:)`` does.
  public func unlockForChangingSlots() throws(KeychainError) {
    _ = try slotChangeBasis()
  }
}
