import Bytes
import CSodium

/// The names and the arithmetic of both sides of X25519 (C2SP age.md, "The X25519 recipient type").
enum X25519 {
  static let keySize = 32
  static let stanzaType = "X25519"
  static let identityPrefix: StaticString = "AGE-SECRET-KEY-"
  static let recipientPrefix: StaticString = "age"

  /// The size of an encrypted file key: 16 bytes and the tag. Bodies of any other size are never decrypted, so that
  /// nobody can make one body that opens under several keys.
  static let bodySize = FileKey.size + AEAD.tagSize

  /// Multiplies the base point (RFC 7748, section 6.1).
  static func publicKey(of secret: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
    precondition(secret.count == keySize && output.count == keySize)
    Sodium.start()
    // It can't fail: the clamped scalar isn't zero and the base point is of high order.
    _ = crypto_scalarmult_base(output.start, secret.start)
  }

  /// Multiplies the point `peer` by a secret (RFC 7748, section 5). False if that is all zero: `peer` has low order.
  static func multiply(
    _ secret: UnsafeRawBufferPointer, by peer: UnsafeRawBufferPointer,
    into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    precondition(secret.count == keySize && peer.count == keySize && output.count == keySize)
    Sodium.start()
    return crypto_scalarmult(output.start, secret.start, peer.start) == 0
      && sodium_is_zero(output.start, keySize) == 0
  }

  /// Derives the key that wraps a file key. Returns false if the shared secret is all zero: `peer` is of low order.
  static func deriveWrapKey(
    secret: UnsafeRawBufferPointer, peer: UnsafeRawBufferPointer,
    share: UnsafeRawBufferPointer, recipient: UnsafeRawBufferPointer,
    into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    precondition(secret.count == keySize && peer.count == keySize)
    precondition(share.count == keySize && recipient.count == keySize)
    return withSecretScratch(3 * keySize) { scratch in
      let shared = scratch.part(0, keySize)
      let salt = scratch.part(keySize, 2 * keySize)
      guard multiply(secret, by: peer, into: shared) else { return false }
      salt.part(0, keySize).copyMemory(from: share)
      salt.part(keySize, keySize).copyMemory(from: recipient)
      KeyDerivation.hkdfSHA256(
        inputKey: UnsafeRawBufferPointer(shared), salt: UnsafeRawBufferPointer(salt),
        info: "age-encryption.org/v1/X25519", into: output)
      return true
    }
  }

  /// Decodes the Bech32 text of one kind of key, 32 bytes, into `output`.
  static func decode(
    _ text: UnsafeRawBufferPointer, prefix: StaticString, into output: UnsafeMutableRawBufferPointer
  ) throws(AgeError) {
    // Room for the longest native key, so that text of another kind is reported as such and not by its length.
    let (prefixCount, count) = try withSecretScratch(2048) {
      (decoded: UnsafeMutableRawBufferPointer) throws(AgeError) -> (Int, Int) in
      let sizes = try Bech32.decode(text, into: decoded)
      if sizes.dataCount == keySize { output.copyBytes(from: decoded.part(0, keySize)) }
      return sizes
    }
    guard prefixCount == prefix.utf8CodeUnitCount, text.starts(with: prefix) else {
      throw .invalidKey(.unsupportedKind)
    }
    guard count == keySize else { throw .invalidKey(.length) }
  }
}

/// A public key to encrypt for, in text `age1…` (C2SP age.md, "The X25519 recipient type").
public struct X25519Recipient: Recipient, Hashable, CustomStringConvertible {
  /// The 32 bytes of the key (RFC 7748, section 5).
  public let publicKey: [UInt8]

  /// Takes the 32 bytes of a public key. Low order is detected only when something is encrypted for it.
  ///
  /// - Throws: ``AgeError/invalidKey(_:)`` with ``KeyFault/length`` for any other number of bytes.
  public init(publicKey: [UInt8]) throws(AgeError) {
    guard publicKey.count == X25519.keySize else { throw .invalidKey(.length) }
    self.publicKey = publicKey
  }

  /// Reads a recipient as text.
  ///
  /// - Parameter text: `age1…` in lower case, 62 characters, with nothing before or after.
  /// - Throws: ``AgeError/invalidKey(_:)``; ``KeyFault/unsupportedKind`` for a recipient of another kind.
  public init(parsing text: String) throws(AgeError) {
    var text = text
    self = try text.withUTF8 { text in
      Result { () throws(AgeError) in try X25519Recipient(parsing: UnsafeRawBufferPointer(text)) }
    }.get()
  }

  /// The same for the bytes of the text.
  ///
  /// - Throws: as the form with a `String` does.
  public init(parsing text: UnsafeRawBufferPointer) throws(AgeError) {
    publicKey = try withSecretScratch(X25519.keySize) {
      (key: UnsafeMutableRawBufferPointer) throws(AgeError) -> [UInt8] in
      try X25519.decode(text, prefix: X25519.recipientPrefix, into: key)
      return [UInt8](key)
    }
  }

  init(of secret: UnsafeRawBufferPointer) {
    publicKey = [UInt8](unsafeUninitializedCapacity: X25519.keySize) { memory, count in
      X25519.publicKey(of: secret, into: UnsafeMutableRawBufferPointer(memory))
      count = X25519.keySize
    }
  }

  /// The recipient as text, `age1…`.
  public var description: String {
    let count = Bech32.encodedSize(
      prefixCount: X25519.recipientPrefix.utf8CodeUnitCount, dataCount: X25519.keySize)
    return String(unsafeUninitializedCapacity: count) { text in
      publicKey.withUnsafeBytes {
        Bech32.encode(
          prefix: X25519.recipientPrefix, data: $0, uppercase: false,
          into: UnsafeMutableRawBufferPointer(text).part(0, count))
      }
      return count
    }
  }

  /// Wraps a file key with a fresh ephemeral key, in one stanza (C2SP age.md, "X25519 recipient stanza").
  ///
  /// - Throws: ``AgeError/invalidKey(_:)`` with ``KeyFault/lowOrder`` if nothing can be encrypted for this key.
  public func wrap(_ fileKey: borrowing FileKey) throws(AgeError) -> [Stanza] {
    let wrapped = try X25519WrappedKey(wrapping: fileKey, for: publicKey) { secret, peer, share, wrapKey in
      X25519.deriveWrapKey(secret: secret, peer: peer, share: share, recipient: peer, into: wrapKey)
    }
    return [Stanza(unchecked: X25519.stanzaType, arguments: [wrapped.encodedShare], body: wrapped.body)]
  }
}

/// A secret key, in text `AGE-SECRET-KEY-1…` (C2SP age.md, "The X25519 recipient type"). Its 32 bytes stay in memory
/// that is wiped with the last reference, and they are never printed.
public final class X25519Identity: Identity {
  private let secret: Secret

  /// Its public key, derived once, at creation.
  public let recipient: X25519Recipient

  /// Makes a new, random identity.
  public init() {
    secret = Secret(count: X25519.keySize) { Sodium.randomize($0) }
    recipient = secret.withUnsafeBytes { X25519Recipient(of: $0) }
  }

  /// Takes the 32 bytes of a secret key, which are copied; the caller wipes the original.
  ///
  /// - Throws: ``AgeError/invalidKey(_:)`` with ``KeyFault/length`` for any other number of bytes.
  public init(secretKey: UnsafeRawBufferPointer) throws(AgeError) {
    guard secretKey.count == X25519.keySize else { throw .invalidKey(.length) }
    secret = Secret(copying: secretKey)
    recipient = X25519Recipient(of: secretKey)
  }

  /// The same with a known public key, which needn't be derived. With a wrong one, no file opens.
  ///
  /// - Throws: as ``init(secretKey:)`` does.
  package init(secretKey: UnsafeRawBufferPointer, recipient: X25519Recipient) throws(AgeError) {
    guard secretKey.count == X25519.keySize else { throw .invalidKey(.length) }
    secret = Secret(copying: secretKey)
    self.recipient = recipient
  }

  /// Reads an identity as text.
  ///
  /// - Parameter text: `AGE-SECRET-KEY-1…` in upper case, 74 bytes, nothing before or after. The caller wipes them.
  /// - Throws: ``AgeError/invalidKey(_:)``; ``KeyFault/unsupportedKind`` for an identity of another kind, such as a
  ///   post-quantum one or a plugin's.
  public convenience init(parsing text: UnsafeRawBufferPointer) throws(AgeError) {
    try self.init(parsing: text, recipient: nil)
  }

  /// The same, perhaps with a known public key.
  init(parsing text: UnsafeRawBufferPointer, recipient: X25519Recipient?) throws(AgeError) {
    secret = try Secret(count: X25519.keySize) {
      (key: UnsafeMutableRawBufferPointer) throws(AgeError) in
      try X25519.decode(text, prefix: X25519.identityPrefix, into: key)
    }
    self.recipient = recipient ?? secret.withUnsafeBytes { X25519Recipient(of: $0) }
  }

  /// Lends the identity as text, 74 bytes of `AGE-SECRET-KEY-1…`; they are wiped afterwards.
  public func withEncodedBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    let count = Bech32.encodedSize(
      prefixCount: X25519.identityPrefix.utf8CodeUnitCount, dataCount: X25519.keySize)
    return try withSecretScratch(count) { (text: UnsafeMutableRawBufferPointer) throws(E) -> R in
      secret.withUnsafeBytes {
        Bech32.encode(prefix: X25519.identityPrefix, data: $0, uppercase: true, into: text)
      }
      return try body(UnsafeRawBufferPointer(text))
    }
  }

  /// Lends the 32 bytes of the secret key, for example to derive further keys.
  package func withSecretKey<R: ~Copyable, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try secret.withUnsafeBytes(body)
  }

  /// Unwraps the file key from the first X25519 stanza that this identity opens; nil if none is for it.
  ///
  /// - Parameter stanzas: all of a header's stanzas; each of type X25519 costs one scalar multiplication.
  /// - Throws: ``AgeError/header(_:)`` for an X25519 stanza that is malformed or whose share is of low order.
  public func unwrap(_ stanzas: [Stanza]) throws(AgeError) -> FileKey? {
    for stanza in stanzas where stanza.type == X25519.stanzaType {
      if let fileKey = try unwrap(stanza) { return fileKey }
    }
    return nil
  }

  private func unwrap(_ stanza: Stanza) throws(AgeError) -> FileKey? {
    let wrapped = try X25519WrappedKey(stanza)
    return try unwrap(wrapped)
  }

  /// Unwraps the file key of one stanza; nil if it isn't for this identity.
  ///
  /// - Throws: ``AgeError/header(_:)`` with ``HeaderFault/x25519LowOrder``.
  package func unwrap(_ wrapped: X25519WrappedKey) throws(AgeError) -> FileKey? {
    try wrapped.open(lowOrder: .x25519LowOrder) { share, wrapKey in
      secret.withUnsafeBytes { secret in
        recipient.publicKey.withUnsafeBytes {
          X25519.deriveWrapKey(secret: secret, peer: share, share: share, recipient: $0, into: wrapKey)
        }
      }
    }
  }
}
