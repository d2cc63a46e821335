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

  /// The kind of slots with this name; `nil` if this version knows none.
  package static func known(_ name: String) -> SlotKind? {
    let kind = SlotKind(name)
    return kind == .other(name) ? nil : kind
  }

  private struct Traits {
    var isTyped = false
    var isOpenedByKey = false
    var isOpenedByProgram = false
    var takesLong = false
    var isRenewable = false
  }

  @inline(__always)
  private var traits: Traits {
    switch self {
    case .identityFile: Traits()
    case .passphrase, .recovery: Traits(isTyped: true, takesLong: true, isRenewable: true)
    case .recipient: Traits(isOpenedByKey: true, isRenewable: true)
    case .command: Traits(isOpenedByProgram: true, takesLong: true, isRenewable: true)
    case .other: Traits(takesLong: true)
    }
  }

  /// Whether a person types what opens it.
  package var isTyped: Bool { traits.isTyped }

  /// Whether a slot is encrypted for a key, which an identity opens.
  var isOpenedByKey: Bool { traits.isOpenedByKey }

  /// Whether a program prints what opens it.
  var isOpenedByProgram: Bool { traits.isOpenedByProgram }

  /// Whether something on this machine may open it, so that nobody is asked.
  package var mayOpenUnasked: Bool { isOpenedByKey || isOpenedByProgram }

  /// Whether trying a slot takes long.
  var takesLong: Bool { traits.takesLong }

  /// Whether a slot can be made anew for another key of the vault, as far as its kind is concerned.
  var isRenewable: Bool { traits.isRenewable }
}
