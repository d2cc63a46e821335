import Bytes

/// A plugin's recipient, in text `age1NAME1…` (C2SP age-plugin.md, "Mapping recipients and identities to plugin
/// binaries"). Each encryption runs `age-plugin-NAME`.
public struct PluginRecipient: Recipient, CustomStringConvertible {
  /// The recipient as text, `age1NAME1…`.
  public let description: String

  private let plugin: Plugin

  /// The plugin's name: `age-plugin-NAME` is run.
  public var name: String { plugin.name }

  /// Reads a recipient as the bytes of its text. Whether the plugin exists and knows the recipient shows only in use.
  ///
  /// - Parameters:
  ///   - text: `age1NAME1…` in lower case, at most 64 KiB, with nothing before or after.
  ///   - settings: where the plugin is found, and what it may do.
  /// - Throws: ``AgeError/invalidKey(_:)``; ``KeyFault/unsupportedKind`` for a recipient of another kind,
  ///   ``KeyFault/pluginName`` for a name that isn't allowed.
  public init(parsing text: UnsafeRawBufferPointer, settings: PluginSettings) throws(AgeError) {
    plugin = Plugin(name: try PluginText.name(inRecipient: text), settings: settings)
    description = String(decoding: text, as: UTF8.self)
  }

  /// Lets the plugin, which receives the file key, wrap it.
  ///
  /// - Returns: the plugin's stanzas, at least one.
  /// - Throws: ``AgeError/plugin(name:fault:)``.
  public func wrap(_ fileKey: borrowing FileKey) throws(AgeError) -> [Stanza] {
    try wrapWithLabels(fileKey).stanzas
  }

  /// The same, with the plugin's labels, if it has any (the command `labels`, which age 1.2 added).
  ///
  /// - Throws: ``AgeError/plugin(name:fault:)``.
  public func wrapWithLabels(_ fileKey: borrowing FileKey) throws(AgeError) -> WrappedFileKey {
    var text = description
    return try text.withUTF8 { text in
      Result { () throws(AgeError) in
        try plugin.wrap(fileKey, .recipient, key: UnsafeRawBufferPointer(text))
      }
    }.get()
  }
}
