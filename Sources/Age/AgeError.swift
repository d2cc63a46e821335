/// An error of this library, with one case for each situation that a caller may handle differently.
///
/// No case carries key material, a passphrase or a piece of the input. Only ``plugin(name:fault:)`` contains foreign
/// text, a plugin's report; see ``PluginFault/reported(_:message:)``.
public enum AgeError: Error, Hashable, Sendable {
  /// The header is malformed, or the format forbids using it.
  case header(HeaderFault)
  /// An identity unwrapped a file key, but the header's MAC does not verify with it: the header was altered.
  case headerMAC
  /// The header is well formed, but none of the identities opens it. A wrong passphrase ends here, too.
  case noMatch
  /// The encrypted contents are damaged, cut short or extended.
  case payload(PayloadFault)
  /// The ASCII armor is not in the one accepted form.
  case armor(ArmorFault)
  /// A passphrase stanza asks for more work than the caller allows. Nothing was derived. `logN` is the binary
  /// logarithm of scrypt's cost, `Int.max` if the number doesn't fit.
  case workFactorTooHigh(logN: Int, limit: Int)
  /// The requested work factor is below the minimum of scrypt.
  case workFactorTooLow(logN: Int, limit: Int)
  /// scrypt could not get the memory that its work factor needs, about `bytes` bytes.
  case outOfMemory(bytes: Int)
  /// A text or some bytes that are not a key of the expected kind.
  case invalidKey(KeyFault)
  /// A line of an identity or recipients file that is not a key; lines count from 1.
  case invalidKeyLine(line: Int, fault: KeyFault)
  /// An identity or recipients file without a single key.
  case noKeys
  /// An identity or recipients file of more than `limit` bytes.
  case keyFileTooLarge(limit: Int)
  /// A passphrase of zero bytes.
  case emptyPassphrase
  /// There is no recipient to encrypt the file for.
  case noRecipients
  /// Recipients that can't be combined: their labels differ, see ``Recipient/wrapWithLabels(_:)``.
  case incompatibleRecipients
  /// The plugin `age-plugin-NAME` is missing, failed or didn't keep to its protocol.
  case plugin(name: String, fault: PluginFault)
  /// The process that kept the identity for this one no longer does, so nothing is known of the file.
  case identityGone
  /// The caller's function for random access failed with this `errno`.
  case read(errno: Int32)
}

/// What is wrong with a header (C2SP age.md, "Header").
public enum HeaderFault: Hashable, Sendable {
  /// The bytes end inside the header. At the end of a file it is cut short; otherwise more bytes may complete it.
  case truncated
  /// The bytes don't begin as an age file does.
  case notAge
  /// An age file of a version other than v1.
  case unsupportedVersion
  /// The header has more than ``Header/maximumSize`` bytes.
  case tooLarge
  /// The header has more than ``Header/maximumStanzas`` stanzas.
  case tooManyStanzas
  /// The header has no stanza.
  case noStanza
  /// A line that begins neither a stanza nor the MAC, or an argument that is empty or not printable ASCII.
  case stanzaArguments
  /// A stanza's body is not canonical, unpadded base64 in lines of 64 columns and a shorter last one.
  case stanzaBody
  /// The line with the MAC is not `--- ` and 43 columns of canonical base64.
  case macLine
  /// A passphrase stanza is not the only stanza (C2SP age.md, "scrypt recipient stanza").
  case scryptNotAlone
  /// An X25519 stanza has the wrong number of arguments, or a share or body of the wrong form.
  case x25519Stanza
  /// The share of an X25519 stanza is a point of low order; the shared secret would be all zero.
  case x25519LowOrder
  /// An ssh-ed25519 stanza has the wrong number of arguments, or a tag, share or body of the wrong form.
  case sshEd25519Stanza
  /// The share of an ssh-ed25519 stanza that is meant for the identity is a point of low order.
  case sshEd25519LowOrder
  /// An scrypt stanza has the wrong number of arguments, or a salt, work factor or body of the wrong form.
  case scryptStanza
  /// The file ends before the 16 bytes of the payload's nonce.
  case nonceTruncated
}

/// What is wrong with a payload (C2SP age.md, "Payload").
public enum PayloadFault: Hashable, Sendable {
  /// The chunk of this index, from 0, is not the one that was encrypted in that place.
  case chunk(Int)
  /// The payload ends before its final chunk.
  case truncated
  /// Bytes follow the final chunk.
  case trailingData
  /// The final chunk is empty although others precede it.
  case emptyFinalChunk
  /// A chunk is shorter than its tag or longer than a chunk can be, or a chunk before the final one isn't full.
  case chunkSize
}

/// What is wrong with an ASCII armor (C2SP age.md, "ASCII armor"; RFC 7468, section 3).
public enum ArmorFault: Hashable, Sendable {
  /// The first line that isn't blank is not the BEGIN line.
  case beginLine
  /// The END line is missing or altered.
  case endLine
  /// A line before the last one doesn't have 64 columns, or the last one has none or more than 64.
  case lineLength
  /// A line is not canonical, padded base64.
  case base64
  /// Something other than white space follows the END line.
  case trailingData
  /// More than ``Armor/maximumWhitespace`` bytes of white space before or after the armor.
  case tooMuchWhitespace
}

/// Why something is not a key (C2SP age.md, "The X25519 recipient type"; BIP 173; OpenSSH's PROTOCOL.key).
public enum KeyFault: Hashable, Sendable {
  /// A character that Bech32 doesn't allow in that place.
  case character
  /// Upper and lower case are mixed.
  case mixedCase
  /// The separator `1`, the part before it or the checksum is missing.
  case separator
  /// The checksum doesn't match: most likely a typing error.
  case checksum
  /// The last character carries bits that should be zero.
  case padding
  /// The key has the wrong length for its kind.
  case length
  /// Well-formed text of another kind: another prefix, or the prefix in the wrong case.
  case unsupportedKind
  /// A public key of low order: nothing can be encrypted for it (RFC 7748, section 6.1).
  case lowOrder
  /// An Ed25519 public key that is not a point of the curve's main subgroup (RFC 8032, section 5.1.3).
  case point
  /// Base64 that no canonical encoder writes (RFC 4648, section 3.5).
  case base64
  /// An SSH key with fields that are cut short, contradict each other or are followed by others.
  case structure
  /// A key that has to be decrypted with a passphrase first: an OpenSSH key with one, or an identity file that is
  /// itself an age file. `ssh-keygen -p` removes the passphrase of the former, `age -d` that of the latter.
  case passphraseProtected
  /// A plugin's name that is empty or has a character other than `A-Z a-z 0-9 + . _ -` (CVE-2024-56327).
  case pluginName
}
