import Bytes

/// Somebody whom a plugin encrypts for, in text `age1NAME1…` (C2SP age-plugin.md, "Mapping recipients and identities
/// to plugin binaries").
///
/// Each file that is encrypted runs `age-plugin-NAME`.
public struct PluginRecipient: Recipient, CustomStringConvertible {
  /// The recipient as text, `age1NAME1…`.
  public let description: String

  private let plugin: Plugin

  /// The plugin's name: `age-plugin-NAME` is run.
  public var name: String { plugin.name }

  /// Reads a recipient as the bytes of its text. Whether the plugin exists and knows the recipient comes out when
  /// something is encrypted for it.
  ///
  /// - Parameters:
  ///   - text: `age1NAME1…` in lower case, at most 64 KiB, with nothing before or after.
  ///   - settings: where the plugin is, and what it may do.
  /// - Throws: ``AgeError/invalidKey(_:)``; ``KeyFault/unsupportedKind`` for a recipient of another kind,
  ///   ``KeyFault/pluginName`` for a name that isn't allowed.
  public init(parsing text: UnsafeRawBufferPointer, settings: PluginSettings) throws(AgeError) {
    plugin = Plugin(name: try PluginText.name(inRecipient: text), settings: settings)
    description = String(decoding: text, as: UTF8.self)
  }

  /// Lets the plugin wrap a file key, which it gets to know.
  ///
  /// - Parameter fileKey: the key to wrap.
  /// - Returns: what the plugin made, at least one stanza.
  /// - Throws: ``AgeError/plugin(name:fault:)``.
  public func wrap(_ fileKey: borrowing FileKey) throws(AgeError) -> [Stanza] {
    try wrapWithLabels(fileKey).stanzas
  }

  /// Does the same and gives the labels too, from a plugin that has them (the command `labels`, which age 1.2 added).
  ///
  /// - Parameter fileKey: the key to wrap.
  /// - Returns: what the plugin made.
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
