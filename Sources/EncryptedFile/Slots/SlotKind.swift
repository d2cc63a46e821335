/// What a way into a vault is.
public enum SlotKind: Hashable, Sendable {
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
    case .passphrase: "passphrase"
    case .recovery: "recovery"
    case .recipient: "recipient"
    case .command: "command"
    case .other(let name): name
    }
  }

  /// What a slot's stanza says that it is. There an identity file would be something else, of a newer version.
  init(_ name: String) {
    switch name {
    case "passphrase": self = .passphrase
    case "recovery": self = .recovery
    case "recipient": self = .recipient
    case "command": self = .command
    default: self = .other(name)
    }
  }
}
