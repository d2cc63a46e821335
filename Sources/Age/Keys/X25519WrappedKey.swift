import Bytes

/// A file key in an X25519 or ssh-ed25519 stanza, decoded. Nothing in it is secret.
package struct X25519WrappedKey {
  package static let stanzaType = X25519.stanzaType
  package static let shareSize = X25519.keySize
  package static let bodySize = X25519.bodySize

  /// The public key of the ephemeral pair, 32 bytes.
  package let share: [UInt8]
  /// The encrypted file key and its tag, 32 bytes.
  package let body: [UInt8]

  /// Takes the parts; `nil` for any other number of bytes.
  package init?(share: [UInt8], body: [UInt8]) {
    guard share.count == X25519.keySize, body.count == X25519.bodySize else { return nil }
    self.share = share
    self.body = body
  }

  /// - Throws: ``AgeError/header(_:)`` with ``HeaderFault/x25519Stanza`` if it is malformed.
  package init(_ stanza: Stanza) throws(AgeError) {
    guard stanza.arguments.count == 1,
      let wrapped = X25519WrappedKey(encodedShare: stanza.arguments[0], body: stanza.body)
    else { throw .header(.x25519Stanza) }
    self = wrapped
  }

  init?(encodedShare: String, body: [UInt8]) {
    var share = [UInt8](repeating: 0, count: X25519.keySize)
    guard body.count == X25519.bodySize,
      share.withUnsafeMutableBytes({ Base64.decode(encodedShare, filling: $0) })
    else { return nil }
    self.share = share
    self.body = body
  }

  var encodedShare: String { share.withUnsafeBytes { Base64.encode($0) } }
}

extension X25519WrappedKey {
  /// Wraps a file key with a fresh ephemeral pair (C2SP age.md, "X25519 recipient stanza").
  ///
  /// - Parameters:
  ///   - peer: the public key to wrap for, 32 bytes.
  ///   - derive: derives the wrap key, 32 bytes, from the secret half of the pair, the peer and the public half.
  ///     Returns false if a shared secret is all zero.
  /// - Throws: ``AgeError/invalidKey(_:)`` with ``KeyFault/lowOrder`` if `derive` returns false.
  init(
    wrapping fileKey: borrowing FileKey, for peer: [UInt8],
    derivingWith derive: (
      _ secret: UnsafeRawBufferPointer, _ peer: UnsafeRawBufferPointer, _ share: UnsafeRawBufferPointer,
      _ output: UnsafeMutableRawBufferPointer
    ) -> Bool
  ) throws(AgeError) {
    let wrapped: X25519WrappedKey? = withSecretScratch(2 * X25519.keySize + AEAD.keySize) { scratch in
      let secret = scratch.part(0, X25519.keySize)
      let share = scratch.part(X25519.keySize, X25519.keySize)
      let wrapKey = scratch.part(2 * X25519.keySize, AEAD.keySize)
      Sodium.randomize(secret)
      X25519.publicKey(of: UnsafeRawBufferPointer(secret), into: share)
      let isDerived = peer.withUnsafeBytes {
        derive(UnsafeRawBufferPointer(secret), $0, UnsafeRawBufferPointer(share), wrapKey)
      }
      guard isDerived else { return nil }
      return X25519WrappedKey(
        share: [UInt8](share), body: fileKey.sealed(with: UnsafeRawBufferPointer(wrapKey)))
    }
    guard let wrapped else { throw .invalidKey(.lowOrder) }
    self = wrapped
  }

  /// Unwraps the file key; `nil` if it was wrapped with another key.
  ///
  /// - Parameters:
  ///   - fault: the header's fault if `derive` returns false.
  ///   - derive: derives the wrap key, 32 bytes, from the share. Returns false if a shared secret is all zero.
  /// - Throws: ``AgeError/header(_:)`` with `fault`.
  func open(
    lowOrder fault: HeaderFault,
    derivingWith derive: (
      _ share: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer
    ) -> Bool
  ) throws(AgeError) -> FileKey? {
    try withSecretScratch(AEAD.keySize) {
      (wrapKey: UnsafeMutableRawBufferPointer) throws(AgeError) -> FileKey? in
      guard share.withUnsafeBytes({ derive($0, wrapKey) }) else { throw .header(fault) }
      return FileKey(opening: body, with: UnsafeRawBufferPointer(wrapKey))
    }
  }
}
