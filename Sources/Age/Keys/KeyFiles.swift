import Bytes

/// A file of identities as `age-keygen` writes it: one on each line, comments that begin with `#`, empty lines.
public enum IdentityFile {
  /// The largest size of such a file in bytes, 1 MiB.
  public static let maximumSize = 1 << 20

  /// Reads all identities of a file.
  ///
  /// - Parameter bytes: the file, with LF or CRLF; the caller wipes it. No white space may surround an identity.
  /// - Returns: at least one identity, in the file's order.
  /// - Throws: ``AgeError/invalidKeyLine(line:fault:)`` for the first invalid line, with ``KeyFault/unsupportedKind``
  ///   for an identity of another kind; ``AgeError/noKeys``; ``AgeError/keyFileTooLarge(limit:)``.
  public static func parse(_ bytes: UnsafeRawBufferPointer) throws(AgeError) -> [X25519Identity] {
    try parseKeys(bytes, limit: maximumSize) { (line: UnsafeRawBufferPointer) throws(AgeError) in
      try X25519Identity(parsing: line)
    }
  }

  /// Reads all identities of a file, believing comments: after `# public key: age1…`, as `age-keygen` writes it, the
  /// public key of an identity is not derived.
  ///
  /// With a wrong comment an identity opens no file, because the recipient goes into a stanza's wrap key (C2SP age.md,
  /// "X25519 recipient stanza"). If nothing opens, try ``parse(_:)``.
  package static func parseBelievingComments(
    _ bytes: UnsafeRawBufferPointer
  ) throws(AgeError) -> [X25519Identity] {
    let prefix: StaticString = "# public key: "
    var named: X25519Recipient?
    return try parseKeys(
      bytes, limit: maximumSize,
      comment: { comment in
        let length = prefix.utf8CodeUnitCount
        guard comment.starts(with: prefix) else { return }
        named = try? X25519Recipient(parsing: comment.part(length, comment.count - length))
      }
    ) { (line: UnsafeRawBufferPointer) throws(AgeError) in
      defer { named = nil }
      return try X25519Identity(parsing: line, recipient: named)
    }
  }
}

/// A file of recipients as `age -R` reads it: one on each line, comments that begin with `#`, empty lines.
public enum RecipientsFile {
  /// The largest size of such a file in bytes, 1 MiB.
  public static let maximumSize = 1 << 20

  /// Reads all recipients of a file.
  ///
  /// - Parameter bytes: the file, with LF or CRLF. No white space may surround a recipient.
  /// - Returns: at least one recipient, in the file's order.
  /// - Throws: ``AgeError/invalidKeyLine(line:fault:)`` for the first invalid line, with ``KeyFault/unsupportedKind``
  ///   for a recipient of another kind; ``AgeError/noKeys``; ``AgeError/keyFileTooLarge(limit:)``.
  public static func parse(_ bytes: UnsafeRawBufferPointer) throws(AgeError) -> [X25519Recipient] {
    try parseKeys(bytes, limit: maximumSize) { (line: UnsafeRawBufferPointer) throws(AgeError) in
      try X25519Recipient(parsing: line)
    }
  }
}

func parseKeys<Key>(
  _ bytes: UnsafeRawBufferPointer, limit: Int, comment: (UnsafeRawBufferPointer) -> Void = { _ in },
  _ parse: (UnsafeRawBufferPointer) throws(AgeError) -> Key
) throws(AgeError) -> [Key] {
  guard bytes.count <= limit else { throw .keyFileTooLarge(limit: limit) }
  var lines = Lines(bytes)
  var number = 0
  var keys: [Key] = []
  while let line = lines.next() {
    number += 1
    if line.isEmpty { continue }
    if line.first == UInt8(ascii: "#") {
      comment(line)
      continue
    }
    do {
      keys.append(try parse(line))
    } catch .invalidKey(let fault) {
      throw .invalidKeyLine(line: number, fault: fault)
    }
  }
  guard !keys.isEmpty else { throw .noKeys }
  return keys
}
