import Age
public import Keychain
import PrivateFiles

/// A description of a vault, as far as possible without opening it.
public struct VaultSummary: Hashable, Sendable {
  /// The vault's identifier for its whole life.
  public let uuid: String
  /// The version of the format.
  public let version: Int
  /// The file's size in bytes.
  public let size: Int
  /// The slots, and the identity file of this machine if it opens the vault.
  public let ways: [SlotSummary]
  /// The file of another key than that identity file, if it opens the vault without asking anybody.
  public let keyThatOpensUnasked: String?
  /// Whether one of the ways in is a passphrase.
  public var hasPassphrase: Bool { ways.contains { $0.kind == .passphrase } }
  /// Whether the plain identity file of this machine opens it.
  public var hasIdentityFile: Bool { ways.contains { $0.kind == .identityFile } }
  /// The first line's facts; `nil` if the vault is locked.
  public let contents: Contents?

  /// Facts that take an unlocked vault.
  public struct Contents: Hashable, Sendable {
    /// How many items there are.
    public let count: Int
    /// The number of writes.
    public let generation: Int64
    /// The date of the last write.
    public let written: Timestamp
  }

  init(
    _ file: borrowing OpenFile, _ unlocking: Unlocking, head: () throws(KeychainError) -> VaultHead?
  ) throws(KeychainError) {
    let (header, _) = try VaultSnapshot.readHeader(file)
    let stanzas = try VaultStanzas(header.stanzas, path: file.path)
    uuid = stanzas.uuid
    version = VaultStanzas.version
    size = file.status.size
    ways = try unlocking.ways(header, stanzas)
    keyThatOpensUnasked = unlocking.fileThatOpensUnasked(stanzas)
    do {
      contents = try head().map {
        Contents(count: $0.count - $0.retiredCount, generation: $0.generation, written: $0.written)
      }
    } catch .locked {
      contents = nil
    } catch .noSlotOpens, .slot {
      contents = nil
    }
  }

  static func stanzas(of file: borrowing OpenFile) throws(KeychainError) -> VaultStanzas {
    let (header, _) = try VaultSnapshot.readHeader(file)
    return try VaultStanzas(header.stanzas, path: file.path)
  }
}
