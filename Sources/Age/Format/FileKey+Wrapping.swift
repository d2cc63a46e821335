import Bytes

/// Every native recipient wraps a file key with its wrap key like this: ChaCha20-Poly1305 with a zero nonce, which is
/// sound because no wrap key is ever used twice (C2SP age.md, "X25519 recipient stanza").
extension FileKey {
  /// The body of a stanza: this key, encrypted; 32 bytes.
  borrowing func sealed(with wrapKey: UnsafeRawBufferPointer) -> [UInt8] {
    withUnsafeBytes { plaintext in
      [UInt8](unsafeUninitializedCapacity: plaintext.count + AEAD.tagSize) { memory, count in
        let output = UnsafeMutableRawBufferPointer(memory)
        AEAD.seal(plaintext, key: wrapKey, nonce: AEAD.zeroNonce, into: output)
        count = plaintext.count + AEAD.tagSize
      }
    }
  }

  /// Opens the body of a stanza; nil if it was encrypted with another key. The body must have 32 bytes.
  init?(opening body: [UInt8], with wrapKey: UnsafeRawBufferPointer) {
    precondition(body.count == FileKey.size + AEAD.tagSize)
    var isOpen = false
    let bytes = Secret(count: FileKey.size) { plaintext in
      isOpen = body.withUnsafeBytes {
        AEAD.open($0, key: wrapKey, nonce: AEAD.zeroNonce, into: plaintext)
      }
    }
    guard isOpen else { return nil }
    self.init(adopting: bytes)
  }
}
