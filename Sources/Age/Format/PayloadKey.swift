import Bytes

/// The key of one payload, which opens and seals its chunks (C2SP age.md, "Payload"). It is kept in memory that is
/// wiped, and can be neither copied nor printed.
public struct PayloadKey: ~Copyable, Sendable {
  private let key: Secret

  /// Derives the key of a payload.
  ///
  /// - Parameters:
  ///   - fileKey: the file's key.
  ///   - nonce: the first 16 bytes of the payload; random and new whenever a payload is written.
  /// - Throws: ``AgeError/header(_:)`` with ``HeaderFault/nonceTruncated`` for any other number of bytes.
  public init(fileKey: borrowing FileKey, nonce: UnsafeRawBufferPointer) throws(AgeError) {
    guard nonce.count == PayloadLayout.nonceSize else { throw .header(.nonceTruncated) }
    key = Secret(count: AEAD.keySize) { key in
      fileKey.withUnsafeBytes {
        KeyDerivation.hkdfSHA256(inputKey: $0, salt: nonce, info: "payload", into: key)
      }
    }
  }

  /// The same for a nonce in an array.
  ///
  /// - Throws: ``AgeError/header(_:)`` with ``HeaderFault/nonceTruncated`` for any other number of bytes than 16.
  public init(fileKey: borrowing FileKey, nonce: [UInt8]) throws(AgeError) {
    self = try withSecretScratch(nonce.count) {
      (copy: UnsafeMutableRawBufferPointer) throws(AgeError) -> PayloadKey in
      copy.copyBytes(from: nonce)
      return try PayloadKey(fileKey: fileKey, nonce: UnsafeRawBufferPointer(copy))
    }
  }

  /// Decrypts one chunk. Without an error, the plaintext is the one written in this place.
  ///
  /// - Parameters:
  ///   - index: the chunk's place, from 0.
  ///   - isLast: whether it should be the final chunk.
  ///   - ciphertext: the whole encrypted chunk, 16 to 65,552 bytes; exactly 65,552 if it isn't the last.
  ///   - plaintext: at least `ciphertext.count - 16` bytes, apart from the ciphertext. No plaintext after an error.
  /// - Throws: ``AgeError/payload(_:)``: ``PayloadFault/chunk(_:)`` for an inauthentic chunk, others for its size.
  public borrowing func open(
    chunk index: Int, isLast: Bool, from ciphertext: UnsafeRawBufferPointer,
    into plaintext: UnsafeMutableRawBufferPointer
  ) throws(AgeError) {
    let size = ciphertext.count - PayloadLayout.tagSize
    guard size >= 0, size == PayloadLayout.chunkSize || isLast && size < PayloadLayout.chunkSize else {
      throw .payload(.chunkSize)
    }
    guard size > 0 || index == 0 else { throw .payload(.emptyFinalChunk) }
    precondition(plaintext.count >= size, "no room for the plaintext")
    let isAuthentic = key.withUnsafeBytes {
      AEAD.open(
        ciphertext, key: $0, nonce: PayloadKey.nonce(chunk: index, isLast: isLast), into: plaintext)
    }
    guard isAuthentic else { throw .payload(.chunk(index)) }
  }

  /// Encrypts one chunk. No index may be used twice with one key.
  ///
  /// - Parameters:
  ///   - index: the chunk's place, from 0.
  ///   - isLast: whether it is the final chunk.
  ///   - plaintext: 65,536 bytes; fewer only in the last chunk, none only if it is also the first one.
  ///   - ciphertext: at least `plaintext.count + 16` bytes, not overlapping the plaintext.
  public borrowing func seal(
    chunk index: Int, isLast: Bool, from plaintext: UnsafeRawBufferPointer,
    into ciphertext: UnsafeMutableRawBufferPointer
  ) {
    precondition(
      plaintext.count == PayloadLayout.chunkSize || isLast && plaintext.count < PayloadLayout.chunkSize,
      "only the last chunk may be shorter")
    precondition(!plaintext.isEmpty || index == 0, "only the chunk of an empty payload is empty")
    key.withUnsafeBytes {
      AEAD.seal(
        plaintext, key: $0, nonce: PayloadKey.nonce(chunk: index, isLast: isLast), into: ciphertext)
    }
  }

  /// Eleven bytes of counter, most significant first, and a byte that is 1 in the final chunk.
  private static func nonce(chunk index: Int, isLast: Bool) -> AEAD.Nonce {
    precondition(index >= 0, "chunks count from 0")
    let counter = UInt64(index)
    return (
      UInt32(counter >> 56).bigEndian,
      UInt32(truncatingIfNeeded: counter >> 24).bigEndian,
      (UInt32(counter & 0xFF_FFFF) << 8 | (isLast ? 1 : 0)).bigEndian
    )
  }
}
