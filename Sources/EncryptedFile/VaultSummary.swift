import Age
public import Keychain
import PrivateFiles

/// What can be said of a vault, as far as possible without opening it.
public struct VaultSummary: Hashable, Sendable {
  /// The vault's name for its whole life.
  public let uuid: String
  /// The version of the format.
  public let version: Int
  /// The file's size in bytes.
  public let size: Int
  /// Whether a passphrase opens it; else the plain identity file of this machine does.
  public let hasPassphrase: Bool
  /// What the first line says; `nil` if the vault is locked.
  public let contents: Contents?

  /// What only an unlocked vault tells.
  public struct Contents: Hashable, Sendable {
    /// How many items there are.
    public let count: Int
    /// How many times it was written.
    public let generation: Int64
    /// When it was written last.
    public let written: Timestamp
  }

  init(
    _ file: borrowing OpenFile, head: () throws(KeychainError) -> VaultHead?
  ) throws(KeychainError) {
    let stanzas = try Self.stanzas(of: file)
    uuid = stanzas.uuid
    version = VaultStanzas.version
    size = file.status.size
    hasPassphrase = stanzas.slots.contains { $0.kind == VaultStanzas.Slot.passphrase }
    do {
      contents = try head().map {
        Contents(count: $0.count - $0.retiredCount, generation: $0.generation, written: $0.written)
      }
    } catch .locked {
      contents = nil
    }
  }

  /// What the header of a vault says.
  static func stanzas(of file: borrowing OpenFile) throws(KeychainError) -> VaultStanzas {
    let (header, _) = try VaultSnapshot.readHeader(file)
    return try VaultStanzas(header.stanzas, path: file.path)
  }
}
