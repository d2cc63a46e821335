public import Keychain

/// A way into a vault, as far as it can be told without opening it.
public struct SlotSummary: Hashable, Sendable {
  /// What the way is.
  public enum Kind: Hashable, Sendable {
    /// The plain identity file of this machine, which is no slot of the vault.
    case identityFile
    /// A passphrase that a person knows.
    case passphrase
    /// A recovery code.
    case recovery
    /// A key of age or ssh.
    case recipient
    /// A passphrase that a program prints.
    case command
    /// One that a newer version made.
    case other(String)

    /// Its name in the header, and for people.
    public var name: String {
      switch self {
      case .identityFile: "identity-file"
      case .passphrase: VaultStanzas.Slot.passphrase
      case .recovery: VaultStanzas.Slot.recovery
      case .recipient: VaultStanzas.Slot.recipient
      case .command: VaultStanzas.Slot.command
      case .other(let name): name
      }
    }

    init(_ name: String) {
      switch name {
      case VaultStanzas.Slot.passphrase: self = .passphrase
      case VaultStanzas.Slot.recovery: self = .recovery
      case VaultStanzas.Slot.recipient: self = .recipient
      case VaultStanzas.Slot.command: self = .command
      default: self = .other(name)
      }
    }
  }

  /// What names it: the slot's identifier, or `identity-file`.
  public let id: String
  /// What it is.
  public let kind: Kind
  /// When it was added; `nil` if that isn't known, or the vault is locked.
  public var added: Timestamp?
  /// Whom it is for, where that is a key and the vault is unlocked.
  public var recipient: String?
  /// The file that opens it on this machine, where one is noted.
  public var identityPath: String?
  /// The program whose output opens it on this machine, with its arguments, where one is noted.
  public var command: [String]?
  /// Whether it can't be used, for it is no age file.
  public var isDamaged = false

  init(id: String, kind: Kind) {
    self.id = id
    self.kind = kind
  }

  /// What ``id`` is for the identity file.
  public static let identityFileID = "identity-file"
}
