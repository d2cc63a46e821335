import Bytes

/// A plugin's identity, in text `AGE-PLUGIN-NAME-1…` (C2SP age-plugin.md, "Mapping recipients and identities to plugin
/// binaries").
///
/// Each decryption runs `age-plugin-NAME`, which receives all stanzas of the header. The text may contain a secret or
/// only say where one is; it stays in memory that is wiped with the last reference. The identity is a recipient, too:
/// the plugin then encrypts for its owner (the command `add-identity` of "Wrapping with recipient-v1").
public final class PluginIdentity: Identity, Recipient {
  private let text: Secret
  private let plugin: Plugin

  /// The plugin's name: `age-plugin-NAME` is run.
  public var name: String { plugin.name }

  /// Reads an identity as the bytes of its text. Whether the plugin exists and knows the identity shows only in use.
  ///
  /// - Parameters:
  ///   - text: `AGE-PLUGIN-NAME-1…` in upper case, at most 64 KiB, nothing before or after. The caller wipes them.
  ///   - settings: where the plugin is found, and what it may do.
  /// - Throws: ``AgeError/invalidKey(_:)``; ``KeyFault/unsupportedKind`` for an identity of another kind,
  ///   ``KeyFault/pluginName`` for a name that isn't allowed.
  public init(parsing text: UnsafeRawBufferPointer, settings: PluginSettings) throws(AgeError) {
    plugin = Plugin(name: try PluginText.name(inIdentity: text), settings: settings)
    self.text = Secret(copying: text)
  }

  /// Lends the identity as text, `AGE-PLUGIN-NAME-1…`.
  public func withEncodedBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try text.withUnsafeBytes(body)
  }

  /// Lets the plugin unwrap the file key; nil if the plugin says that no stanza is for this identity.
  ///
  /// - Throws: ``AgeError/plugin(name:fault:)``, also for an error that the plugin reports. As in age, it ends the
  ///   attempt, whatever other identities there are: a key that isn't plugged in is not the same as a key that doesn't
  ///   match.
  public func unwrap(_ stanzas: [Stanza]) throws(AgeError) -> FileKey? {
    try text.withUnsafeBytes { (text) throws(AgeError) in try plugin.unwrap(stanzas, identity: text) }
  }

  /// Lets the plugin, which receives the file key, wrap it for this identity.
  ///
  /// - Returns: the plugin's stanzas, at least one.
  /// - Throws: ``AgeError/plugin(name:fault:)``.
  public func wrap(_ fileKey: borrowing FileKey) throws(AgeError) -> [Stanza] {
    try wrapWithLabels(fileKey).stanzas
  }

  /// The same, with the plugin's labels.
  ///
  /// - Throws: ``AgeError/plugin(name:fault:)``.
  public func wrapWithLabels(_ fileKey: borrowing FileKey) throws(AgeError) -> WrappedFileKey {
    try text.withUnsafeBytes { (text) throws(AgeError) in
      try plugin.wrap(fileKey, .identity, key: text)
    }
  }
}
