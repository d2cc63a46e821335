import Bytes

extension IdentityFile {
  /// Reads all identities of a file, of every supported kind: an age identity file with lines `AGE-SECRET-KEY-1…` and
  /// `AGE-PLUGIN-NAME-1…`, or an OpenSSH private key.
  ///
  /// - Parameters:
  ///   - bytes: the file, with LF or CRLF; the caller wipes it. No white space may surround an identity.
  ///   - plugins: where plugins are found, and what they may do. None is run yet.
  /// - Returns: at least one identity, in the file's order.
  /// - Throws: ``AgeError/invalidKey(_:)`` for an SSH key, see ``SSHEd25519Identity/init(parsing:)``, and with
  ///   ``KeyFault/passphraseProtected`` for a file that is itself an age file;
  ///   ``AgeError/invalidKeyLine(line:fault:)`` for the first invalid line of another file; ``AgeError/noKeys``;
  ///   ``AgeError/keyFileTooLarge(limit:)``.
  public static func parse(
    _ bytes: UnsafeRawBufferPointer, plugins: PluginSettings
  ) throws(AgeError) -> [any Identity] {
    guard bytes.count <= maximumSize else { throw .keyFileTooLarge(limit: maximumSize) }
    if OpenSSHPrivateKey.isOne(bytes) { return [try SSHEd25519Identity(parsing: bytes)] }
    if bytes.starts(with: "age-encryption.org/") || Armor.isArmored(bytes) {
      throw .invalidKey(.passphraseProtected)
    }
    if bytes.starts(with: "-----BEGIN ") { throw .invalidKey(.unsupportedKind) }
    return try parseKeys(bytes, limit: maximumSize) {
      (line: UnsafeRawBufferPointer) throws(AgeError) -> any Identity in
      if line.starts(with: PluginText.identityPrefix) {
        return try PluginIdentity(parsing: line, settings: plugins)
      }
      return try X25519Identity(parsing: line)
    }
  }
}

extension RecipientsFile {
  /// Reads one recipient of any kind: `age1…`, `age1NAME1…` or `ssh-ed25519 …`.
  ///
  /// - Parameters:
  ///   - text: the recipient, with nothing before or after but an SSH key's comment.
  ///   - plugins: where plugins are found, and what they may do. None is run yet.
  /// - Returns: an ``X25519Recipient``, a ``PluginRecipient`` or an ``SSHEd25519Recipient``.
  /// - Throws: ``AgeError/invalidKey(_:)``; ``KeyFault/unsupportedKind`` for a recipient of another kind.
  public static func parseRecipient(
    _ text: UnsafeRawBufferPointer, plugins: PluginSettings
  ) throws(AgeError) -> any Recipient {
    if SSHEd25519.isPublicKey(text) { return try SSHEd25519Recipient(parsing: text) }
    // A native recipient has only one separator, and `1` is not a data character of Bech32.
    if text.starts(with: PluginText.recipientPrefix), text[4...].contains(UInt8(ascii: "1")) {
      return try PluginRecipient(parsing: text, settings: plugins)
    }
    return try X25519Recipient(parsing: text)
  }

  /// The same for a `String`.
  ///
  /// - Throws: as the form with a buffer does.
  public static func parseRecipient(
    _ text: String, plugins: PluginSettings
  ) throws(AgeError) -> any Recipient {
    var text = text
    return try text.withUTF8 { text in
      Result { () throws(AgeError) in try parseRecipient(UnsafeRawBufferPointer(text), plugins: plugins) }
    }.get()
  }

  /// Reads all recipients of a file, of every supported kind. A `.pub` file of OpenSSH is such a file, too.
  ///
  /// - Parameters:
  ///   - bytes: the file, with LF or CRLF. No white space may surround a recipient.
  ///   - plugins: where plugins are found, and what they may do. None is run yet.
  /// - Returns: at least one recipient, in the file's order.
  /// - Throws: ``AgeError/invalidKeyLine(line:fault:)`` for the first invalid line; ``AgeError/noKeys``;
  ///   ``AgeError/keyFileTooLarge(limit:)``.
  public static func parse(
    _ bytes: UnsafeRawBufferPointer, plugins: PluginSettings
  ) throws(AgeError) -> [any Recipient] {
    try parseKeys(bytes, limit: maximumSize) { (line: UnsafeRawBufferPointer) throws(AgeError) in
      try parseRecipient(line, plugins: plugins)
    }
  }
}
