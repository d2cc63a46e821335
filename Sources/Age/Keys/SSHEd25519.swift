import Bytes
import CSodium

/// The names and the arithmetic of both sides of ssh-ed25519. The specification doesn't cover SSH keys; age's own
/// package `agessh` defines them, and rage follows it.
enum SSHEd25519 {
  static let stanzaType = "ssh-ed25519"
  static let keyType: StaticString = "ssh-ed25519"
  static let label: StaticString = "age-encryption.org/v1/ssh-ed25519"
  static let keySize = 32
  static let tagSize = 4

  /// The size of a public key in SSH's encoding: the strings of type and key (RFC 8709, section 4).
  static let encodedKeySize = 4 + 11 + 4 + keySize

  /// Whether text begins like an SSH public key of any type, such as `ssh-rsa` and `ecdsa-sha2-nistp256`.
  static func isPublicKey(_ text: UnsafeRawBufferPointer) -> Bool {
    text.starts(with: "ssh-") || text.starts(with: "ecdsa-sha2-") || text.starts(with: "sk-")
  }

  /// Throws ``AgeError/invalidKey(_:)``: ``KeyFault/unsupportedKind`` for a key of another type.
  static func parse(encodedKey: UnsafeRawBufferPointer) throws(AgeError) -> [UInt8] {
    var fields = WireReader(encodedKey)
    guard try fields.takeString().elementsEqual(keyType.bytes) else { throw .invalidKey(.unsupportedKind) }
    let key = try fields.takeString()
    guard key.count == keySize else { throw .invalidKey(.length) }
    guard fields.isAtEnd else { throw .invalidKey(.structure) }
    return [UInt8](key)
  }

  static func encode(key: [UInt8]) -> [UInt8] {
    var encoded: [UInt8] = []
    encoded.append(wireString: keyType)
    encoded.append(wireString: key)
    return encoded
  }

  /// Derives the key that wraps a file key: X25519 as for native keys, then a second multiplication by a number
  /// derived from the SSH key. Returns false if a shared secret is all zero.
  static func deriveWrapKey(
    secret: UnsafeRawBufferPointer, peer: UnsafeRawBufferPointer,
    share: UnsafeRawBufferPointer, recipient: SSHEd25519Recipient,
    into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    withSecretScratch(5 * keySize) { scratch in
      let shared = scratch.part(0, keySize)
      let tweak = scratch.part(keySize, keySize)
      let tweaked = scratch.part(2 * keySize, keySize)
      let salt = scratch.part(3 * keySize, 2 * keySize)
      guard X25519.multiply(secret, by: peer, into: shared) else { return false }
      // As in age, the key is the salt and the input is empty, not the other way round.
      recipient.encodedKey.withUnsafeBytes {
        KeyDerivation.hkdfSHA256(
          inputKey: UnsafeRawBufferPointer(start: nil, count: 0), salt: $0, info: label, into: tweak)
      }
      guard
        X25519.multiply(
          UnsafeRawBufferPointer(tweak), by: UnsafeRawBufferPointer(shared), into: tweaked)
      else { return false }
      salt.part(0, keySize).copyMemory(from: share)
      salt.part(keySize, keySize).copyBytes(from: recipient.montgomeryKey)
      KeyDerivation.hkdfSHA256(
        inputKey: UnsafeRawBufferPointer(tweaked), salt: UnsafeRawBufferPointer(salt), info: label,
        into: output)
      return true
    }
  }
}

/// An SSH public key to encrypt for, in text `ssh-ed25519 AAAA…` (age's `agessh`).
///
/// Use it only for people who have nothing but an SSH key; a native key is better. The stanza carries a tag of the
/// key, so anybody who knows the key can tell which files are meant for it.
public struct SSHEd25519Recipient: Recipient, Hashable, CustomStringConvertible {
  /// The 32 bytes of the key (RFC 8032, section 5.1.5).
  public let publicKey: [UInt8]

  let encodedKey: [UInt8]
  let montgomeryKey: [UInt8]
  let tag: String

  /// Takes a public key of 32 bytes.
  ///
  /// - Throws: ``AgeError/invalidKey(_:)`` with ``KeyFault/length`` for any other number of bytes, with
  ///   ``KeyFault/point`` if it isn't a point of the curve's main subgroup.
  public init(publicKey: [UInt8]) throws(AgeError) {
    guard publicKey.count == SSHEd25519.keySize else { throw .invalidKey(.length) }
    Sodium.start()
    var montgomeryKey = [UInt8](repeating: 0, count: SSHEd25519.keySize)
    guard crypto_sign_ed25519_pk_to_curve25519(&montgomeryKey, publicKey) == 0 else {
      throw .invalidKey(.point)
    }
    self.publicKey = publicKey
    self.montgomeryKey = montgomeryKey
    encodedKey = SSHEd25519.encode(key: publicKey)
    var hash = [UInt8](repeating: 0, count: KeyDerivation.hashSize)
    _ = crypto_hash_sha256(&hash, encodedKey, UInt64(encodedKey.count))
    tag = hash.withUnsafeBytes { Base64.encode($0.part(0, SSHEd25519.tagSize)) }
  }

  /// Reads a line of an `authorized_keys` or `.pub` file (sshd(8), "AUTHORIZED_KEYS FILE FORMAT").
  ///
  /// - Parameter line: `ssh-ed25519`, one space, the key, and perhaps a space and a comment without control
  ///   characters. No options, nothing before, no line end.
  /// - Throws: ``AgeError/invalidKey(_:)``: ``KeyFault/unsupportedKind`` if it begins otherwise,
  ///   ``KeyFault/base64``, ``KeyFault/structure``, ``KeyFault/length``, ``KeyFault/point``, or ``KeyFault/character``
  ///   in the comment.
  public init(parsing line: UnsafeRawBufferPointer) throws(AgeError) {
    guard line.starts(with: "ssh-ed25519 ") else { throw .invalidKey(.unsupportedKind) }
    let start = SSHEd25519.keyType.utf8CodeUnitCount + 1
    let end = line[start...].firstIndex(of: UInt8(ascii: " ")) ?? line.count
    for character in line[end...] where character < 0x20 || character == 0x7F {
      throw .invalidKey(.character)
    }
    let text = line.part(start, end - start)
    guard text.count <= 2 * SSHEd25519.encodedKeySize else { throw .invalidKey(.length) }
    let key = try withDecodedBase64(text) { (key) throws(AgeError) in
      try SSHEd25519.parse(encodedKey: key)
    }
    try self.init(publicKey: key)
  }

  /// The same for a `String`.
  ///
  /// - Throws: as the form with a buffer does.
  public init(parsing line: String) throws(AgeError) {
    var line = line
    self = try line.withUTF8 { line in
      Result { () throws(AgeError) in try SSHEd25519Recipient(parsing: UnsafeRawBufferPointer(line)) }
    }.get()
  }

  /// The recipient as text, `ssh-ed25519 AAAA…`, without a comment.
  public var description: String {
    var text = Array("ssh-ed25519 ".utf8)
    encodedKey.withUnsafeBytes { Base64.encode($0, padded: true, appendingTo: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Wraps a file key with a fresh ephemeral key, in one stanza `ssh-ed25519 TAG SHARE`.
  ///
  /// - Throws: ``AgeError/invalidKey(_:)`` with ``KeyFault/lowOrder``, which no key of the main subgroup causes.
  public func wrap(_ fileKey: borrowing FileKey) throws(AgeError) -> [Stanza] {
    let wrapped = try X25519WrappedKey(wrapping: fileKey, for: montgomeryKey) {
      secret, peer, share, wrapKey in
      SSHEd25519.deriveWrapKey(secret: secret, peer: peer, share: share, recipient: self, into: wrapKey)
    }
    return [
      Stanza(
        unchecked: SSHEd25519.stanzaType, arguments: [tag, wrapped.encodedShare], body: wrapped.body)
    ]
  }
}

/// An SSH private key, from a file as `ssh-keygen -t ed25519` writes it (age's `agessh`; OpenSSH's PROTOCOL.key). Its
/// secret stays in memory that is wiped with the last reference, and is never printed.
public final class SSHEd25519Identity: Identity {
  private let secret: Secret

  /// Its public key.
  public let recipient: SSHEd25519Recipient

  /// Reads a private key file without a passphrase.
  ///
  /// - Parameter file: the file, from `-----BEGIN OPENSSH PRIVATE KEY-----` on, with LF or CRLF, at most
  ///   ``IdentityFile/maximumSize`` bytes. The caller wipes them.
  /// - Throws: ``AgeError/invalidKey(_:)``: ``KeyFault/passphraseProtected`` for a key with a passphrase, which
  ///   would need OpenSSH's bcrypt; ``KeyFault/unsupportedKind`` for an RSA, ECDSA or security key;
  ///   ``KeyFault/separator`` for a BEGIN or END line that is missing or altered; ``KeyFault/base64``;
  ///   ``KeyFault/structure``; ``KeyFault/length``; ``KeyFault/point``. ``AgeError/keyFileTooLarge(limit:)``.
  public init(parsing file: UnsafeRawBufferPointer) throws(AgeError) {
    var recipient: SSHEd25519Recipient?
    secret = try Secret(count: X25519.keySize) {
      (output: UnsafeMutableRawBufferPointer) throws(AgeError) in
      try OpenSSHPrivateKey.withKey(in: file) { (secretKey, publicKey) throws(AgeError) in
        recipient = try SSHEd25519Recipient(publicKey: publicKey)
        _ = crypto_sign_ed25519_sk_to_curve25519(output.start, secretKey.start)
      }
    }
    guard let recipient else { throw .invalidKey(.structure) }
    self.recipient = recipient
  }

  /// Unwraps the file key from the first ssh-ed25519 stanza with this key's tag that opens; nil if there is none.
  ///
  /// - Parameter stanzas: all of a header's stanzas; each with the tag costs two scalar multiplications.
  /// - Throws: ``AgeError/header(_:)`` for an ssh-ed25519 stanza that is malformed, or one with this key's tag whose
  ///   share is of low order.
  public func unwrap(_ stanzas: [Stanza]) throws(AgeError) -> FileKey? {
    for stanza in stanzas where stanza.type == SSHEd25519.stanzaType {
      if let fileKey = try unwrap(stanza) { return fileKey }
    }
    return nil
  }

  private func unwrap(_ stanza: Stanza) throws(AgeError) -> FileKey? {
    var tag = [UInt8](repeating: 0, count: SSHEd25519.tagSize)
    guard stanza.arguments.count == 2,
      tag.withUnsafeMutableBytes({ Base64.decode(stanza.arguments[0], filling: $0) }),
      let wrapped = X25519WrappedKey(encodedShare: stanza.arguments[1], body: stanza.body)
    else { throw .header(.sshEd25519Stanza) }
    guard stanza.arguments[0] == recipient.tag else { return nil }
    return try wrapped.open(lowOrder: .sshEd25519LowOrder) { share, wrapKey in
      secret.withUnsafeBytes {
        SSHEd25519.deriveWrapKey(secret: $0, peer: share, share: share, recipient: recipient, into: wrapKey)
      }
    }
  }
}
