/// The kind of a way into a vault.
public enum SlotKind: Hashable, Sendable {
  /// The plain identity file of this machine, which is no slot of the vault.
  case identityFile
  /// A passphrase that a person knows.
  case passphrase
  /// A recovery code.
  case recovery
  /// An age or ssh key.
  case recipient
  /// A passphrase that a program prints.
  case command
  /// A kind from a newer version.
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

  /// The kind named in a slot's stanza. An identity file there would be something else, from a newer version.
  init(_ name: String) {
    switch name {
    case "passphrase": self = .passphrase
    case "recovery": self = .recovery
    case "recipient": self = .recipient
    case "command": self = .command
    default: self = .other(name)
    }
  }

  /// Whether a person types what opens it.
  package var isTyped: Bool {
    switch self {
    case .passphrase, .recovery: true
    case .identityFile, .recipient, .command, .other: false
    }
  }

  /// Whether a slot is encrypted for a key, which an identity opens.
  var isOpenedByKey: Bool {
    switch self {
    case .recipient: true
    case .identityFile, .passphrase, .recovery, .command, .other: false
    }
  }

  /// Whether a program prints what opens it.
  var isOpenedByProgram: Bool {
    switch self {
    case .command: true
    case .identityFile, .passphrase, .recovery, .recipient, .other: false
    }
  }

  /// Whether something on this machine may open it, so that nobody is asked.
  package var mayOpenUnasked: Bool { isOpenedByKey || isOpenedByProgram }

  /// Whether trying a slot takes long.
  var takesLong: Bool {
    switch self {
    case .passphrase, .recovery, .command, .other: true
    case .identityFile, .recipient: false
    }
  }

  /// Whether a slot can be made anew for another key of the vault, as far as its kind is concerned.
  var isRenewable: Bool {
    switch self {
    case .passphrase, .recovery, .recipient, .command: true
    case .identityFile, .other: false
    }
  }
}
