import Bytes

/// Whole files in memory: the simple way to encrypt and decrypt.
public enum AgeFile {
  /// Encrypts a file.
  ///
  /// - Parameters:
  ///   - plaintext: the contents, which the caller owns and wipes.
  ///   - recipients: those who can decrypt it. A passphrase must be alone.
  ///   - extraStanzas: further stanzas, written after the recipients' and authenticated with them. Readers that
  ///     don't know their type ignore them. Not possible with a passphrase.
  ///   - armored: whether to write the file as text.
  /// - Returns: the file.
  /// - Throws: ``AgeError/noRecipients``; ``AgeError/incompatibleRecipients``; ``AgeError/header(_:)`` with
  ///   ``HeaderFault/scryptNotAlone``, ``HeaderFault/tooManyStanzas`` or ``HeaderFault/tooLarge``; what a recipient
  ///   throws.
  public static func encrypt(
    _ plaintext: UnsafeRawBufferPointer, to recipients: [any Recipient], extraStanzas: [Stanza] = [],
    armored: Bool = false
  ) throws(AgeError) -> [UInt8] {
    guard !recipients.isEmpty else { throw .noRecipients }
    if recipients.contains(where: { $0 is ScryptRecipient }) {
      // Checked before the passphrase takes its second.
      guard recipients.count == 1, extraStanzas.isEmpty else { throw .header(.scryptNotAlone) }
    }
    let fileKey = FileKey()
    var stanzas: [Stanza] = []
    var labels: Set<String>?
    for recipient in recipients {
      let wrapped = try recipient.wrapWithLabels(fileKey)
      guard labels == nil || labels == wrapped.labels else { throw .incompatibleRecipients }
      labels = wrapped.labels
      stanzas += wrapped.stanzas
    }
    let header = try Header.encode(stanzas: stanzas + extraStanzas, fileKey: fileKey)
    let nonce = [UInt8](unsafeUninitializedCapacity: PayloadLayout.nonceSize) { memory, count in
      count = PayloadLayout.nonceSize
      Sodium.randomize(UnsafeMutableRawBufferPointer(memory).part(0, count))
    }
    let key = try PayloadKey(fileKey: fileKey, nonce: nonce)
    let size = header.count + PayloadLayout.encryptedSize(ofPlaintext: plaintext.count)
    let file = [UInt8](unsafeUninitializedCapacity: size) { memory, count in
      let output = UnsafeMutableRawBufferPointer(memory).part(0, size)
      output.copyBytes(from: header)
      output.part(header.count, nonce.count).copyBytes(from: nonce)
      let offset = header.count + nonce.count
      key.seal(all: plaintext, into: output.part(offset, size - offset))
      count = size
    }
    return armored ? file.withUnsafeBytes { Armor.encode($0) } : file
  }

  /// The same for a file in an array, which nothing wipes.
  ///
  /// - Throws: as the form with a buffer does.
  public static func encrypt(
    _ plaintext: [UInt8], to recipients: [any Recipient], extraStanzas: [Stanza] = [],
    armored: Bool = false
  ) throws(AgeError) -> [UInt8] {
    try plaintext.withUnsafeBytes { plaintext in
      Result { () throws(AgeError) in
        try encrypt(plaintext, to: recipients, extraStanzas: extraStanzas, armored: armored)
      }
    }.get()
  }

  /// Decrypts a file and hands out its contents in order, chunk by chunk.
  ///
  /// Each piece is authentic in its place when it is released, but only a return without an error means that the
  /// pieces are the whole file.
  ///
  /// - Parameters:
  ///   - file: the whole file.
  ///   - encoding: its form; nil, the default, detects it from the file's beginning.
  ///   - identities: tried in this order.
  ///   - release: takes up to 64 KiB of plaintext, in memory that is wiped afterwards.
  /// - Throws: what ``Header/init(parsing:)``, ``Header/fileKey(with:)`` and ``Armor/decode(_:)`` throw, before
  ///   anything is released; also ``AgeError/plugin(name:fault:)`` with ``PluginFault/wrongKey``;
  ///   ``AgeError/payload(_:)`` then or later.
  public static func decrypt(
    _ file: UnsafeRawBufferPointer, encoding: FileEncoding? = nil, with identities: [any Identity],
    release: (UnsafeRawBufferPointer) -> Void
  ) throws(AgeError) {
    switch encoding ?? FileEncoding.detect(file) ?? .binary {
    case .binary:
      try decrypt(binary: file, with: identities, release: release)
    case .armored:
      let binary = try Armor.decode(file)
      try binary.withUnsafeBytes { binary in
        Result { () throws(AgeError) in
          try decrypt(binary: binary, with: identities, release: release)
        }
      }.get()
    }
  }

  /// The same from an array into another, which nothing wipes.
  ///
  /// - Throws: as the form with a buffer does.
  public static func decrypt(
    _ file: [UInt8], encoding: FileEncoding? = nil, with identities: [any Identity]
  ) throws(AgeError) -> [UInt8] {
    var plaintext: [UInt8] = []
    // The array never grows, so no copy of the contents stays in the allocator.
    plaintext.reserveCapacity(file.count)
    try file.withUnsafeBytes { file in
      Result { () throws(AgeError) in
        try decrypt(file, encoding: encoding, with: identities) { plaintext.append(contentsOf: $0) }
      }
    }.get()
    return plaintext
  }

  private static func decrypt(
    binary file: UnsafeRawBufferPointer, with identities: [any Identity],
    release: (UnsafeRawBufferPointer) -> Void
  ) throws(AgeError) {
    let header = try Header(parsing: file)
    let payload = file.part(header.encodedSize, file.count - header.encodedSize)
    let fileKey = try header.fileKey(with: identities) { key in
      (try? open(payload, with: key) { _ in }) != nil
    }
    try open(payload, with: fileKey, release: release)
  }

  private static func open(
    _ payload: UnsafeRawBufferPointer, with fileKey: borrowing FileKey,
    release: (UnsafeRawBufferPointer) -> Void
  ) throws(AgeError) {
    let nonceSize = PayloadLayout.nonceSize
    guard payload.count >= nonceSize else { throw .header(.nonceTruncated) }
    let key = try PayloadKey(fileKey: fileKey, nonce: payload.part(0, nonceSize))
    try key.open(all: payload.part(nonceSize, payload.count - nonceSize), release: release)
  }
}
