import Age
import Bytes
import Keychain

/// The contents of a slot: a vault's identity as an age identity file.
enum IdentityText {
  /// `# llavero vault UUID`, `# public key: age1…` and the identity, each on a line.
  static func of(_ identity: X25519Identity, uuid: String) -> Secret {
    var text = Secret()
    text.append("# llavero vault ")
    text.append(contentsOf: ByteString(uuid))
    text.append("\n")
    append(identity.recipient, to: &text)
    identity.withEncodedBytes { text.append($0) }
    text.append("\n")
    return text
  }

  private static func append(_ recipient: X25519Recipient, to text: inout Secret) {
    text.append("# public key: ")
    text.append(contentsOf: ByteString(recipient.description))
    text.append("\n")
  }

  /// Replaces an identity in an identity file, or removes it. All else stays, except the comment with its public key.
  static func replacing(
    _ old: X25519Identity, with new: X25519Identity?, in text: borrowing Secret
  ) -> Secret {
    var result = Secret(capacity: text.count)
    var comment = Secret()
    append(old.recipient, to: &comment)
    old.withEncodedBytes { old in
      text.withUnsafeBytes { text in
        forEachLine(of: text) { line, content in
          let isComment = comment.withUnsafeBytes { content.elementsEqual($0.dropLast()) }
          if isComment { return }
          guard content.elementsEqual(old) else { return result.append(line) }
          guard let new else { return }
          append(new.recipient, to: &result)
          new.withEncodedBytes { result.append($0) }
          result.append("\n")
        }
      }
    }
    return result
  }

  static func isEmpty(_ text: borrowing Secret) -> Bool {
    var isEmpty = true
    text.withUnsafeBytes { text in
      forEachLine(of: text) { _, content in
        if let first = content.first, first != UInt8(ascii: "#") { isEmpty = false }
      }
    }
    return isEmpty
  }

  private static func forEachLine(
    of text: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer, Slice<UnsafeRawBufferPointer>) -> Void
  ) {
    var start = 0
    while start < text.count {
      let end = text[start...].firstIndex(of: 0x0a).map { $0 + 1 } ?? text.count
      let line = UnsafeRawBufferPointer(rebasing: text[start..<end])
      var content = line[...]
      while let last = content.last, last == 0x0a || last == 0x0d { content.removeLast() }
      body(line, content)
      start = end
    }
  }
}

extension X25519Identity {
  /// - Throws: what the recipient throws.
  func wrapped(for recipient: any Recipient, uuid: String) throws(AgeError) -> [UInt8] {
    let text = IdentityText.of(self, uuid: uuid)
    return try text.withUnsafeBytes { (text) throws(AgeError) in try AgeFile.encrypt(text, to: [recipient]) }
  }
}

/// The recipients that a slot can be for, and the identities that open it. No other place knows their kinds.
enum SlotKeys {
  /// The longest text of a recipient in bytes. A plugin's may be long.
  static let recipientLimit = 4096

  /// A recipient of age or of one of its plugins, or an ssh key. A plugin's questions are not answered.
  ///
  /// - Throws: ``AgeError/invalidKey(_:)``.
  static func recipient(_ text: String) throws(AgeError) -> any Recipient {
    try RecipientsFile.parseRecipient(text, plugins: PluginSettings())
  }

  /// The identities of an age identity file, or an ssh key.
  ///
  /// - Throws: for a faulty file.
  static func identities(_ text: UnsafeRawBufferPointer) throws(AgeError) -> [any Identity] {
    try IdentityFile.parse(text, plugins: PluginSettings())
  }
}

/// Turns new passphrases and recovery codes into recipients of slots.
enum SlotWork {
  /// - Throws: ``KeychainError/unusableAttribute(name:_:)`` if the passphrase is empty;
  ///   ``KeychainError/SlotFault/passphraseLikeCode`` if it would be tried on other slots than its own.
  static func refuseUnusable(_ passphrase: borrowing Secret) throws(KeychainError) {
    if passphrase.isEmpty { throw .unusableAttribute(name: "passphrase", .empty) }
    if RecoveryCode.isLike(passphrase) { throw .slot(.passphraseLikeCode) }
  }

  static func recipient(_ code: borrowing RecoveryCode) throws(KeychainError) -> ScryptRecipient {
    try recipient(code.text, workFactor: ScryptWork.current.recoveryCode)
  }

  /// - Throws: ``KeychainError/unusableAttribute(name:_:)`` for an empty passphrase.
  fileprivate static func recipient(
    _ passphrase: borrowing Secret, workFactor: Int
  ) throws(KeychainError) -> ScryptRecipient {
    do {
      return try passphrase.withUnsafeBytes { (bytes) throws(AgeError) in
        try ScryptRecipient(passphrase: bytes, logN: workFactor)
      }
    } catch {
      throw .unusableAttribute(name: "passphrase", .empty)
    }
  }
}

extension Unlocking {
  /// A recipient for a new passphrase.
  ///
  /// - Throws: ``KeychainError/notEnoughMemory(needed:available:)``; ``KeychainError/unusableAttribute(name:_:)``
  ///   for an empty passphrase.
  func recipient(_ passphrase: borrowing Secret) throws(KeychainError) -> ScryptRecipient {
    if let newPassphraseWork { return try SlotWork.recipient(passphrase, workFactor: newPassphraseWork) }
    return try SlotWork.recipient(passphrase, workFactor: try ScryptWork.current.factor())
  }
}
