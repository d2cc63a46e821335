/// Printing, interpolating or dumping an object with a secret shows its type alone.
extension X25519Identity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Names the type and nothing more.
  public var description: String { "X25519Identity(<redacted>)" }
  /// Names the type and nothing more.
  public var debugDescription: String { description }
  /// Shows no children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension ScryptIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Names the type and nothing more.
  public var description: String { "ScryptIdentity(<redacted>)" }
  /// Names the type and nothing more.
  public var debugDescription: String { description }
  /// Shows no children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension ScryptRecipient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Names the type and nothing more.
  public var description: String { "ScryptRecipient(<redacted>)" }
  /// Names the type and nothing more.
  public var debugDescription: String { description }
  /// Shows no children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SSHEd25519Identity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Names the type and nothing more.
  public var description: String { "SSHEd25519Identity(<redacted>)" }
  /// Names the type and nothing more.
  public var debugDescription: String { description }
  /// Shows no children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PluginIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Names the type and nothing more.
  public var description: String { "PluginIdentity(<redacted>)" }
  /// Names the type and nothing more.
  public var debugDescription: String { description }
  /// Shows no children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
