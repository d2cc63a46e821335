/// What printing, interpolating or dumping an object with a secret shows.
extension X25519Identity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Says what it is and nothing more.
  public var description: String { "X25519Identity(<redacted>)" }
  /// Says what it is and nothing more.
  public var debugDescription: String { description }
  /// Shows no children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension ScryptIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Says what it is and nothing more.
  public var description: String { "ScryptIdentity(<redacted>)" }
  /// Says what it is and nothing more.
  public var debugDescription: String { description }
  /// Shows no children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension ScryptRecipient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Says what it is and nothing more.
  public var description: String { "ScryptRecipient(<redacted>)" }
  /// Says what it is and nothing more.
  public var debugDescription: String { description }
  /// Shows no children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SSHEd25519Identity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Says what it is and nothing more.
  public var description: String { "SSHEd25519Identity(<redacted>)" }
  /// Says what it is and nothing more.
  public var debugDescription: String { description }
  /// Shows no children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PluginIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Says what it is and nothing more.
  public var description: String { "PluginIdentity(<redacted>)" }
  /// Says what it is and nothing more.
  public var debugDescription: String { description }
  /// Shows no children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
