/// The sizes of a payload: a nonce, then chunks of 64 KiB with a tag each (C2SP age.md, "Payload").
///
/// A payload is everything after the header, the nonce included; all sizes are in bytes.
public enum PayloadLayout {
  /// Bytes of plaintext in every chunk but the last, which has 1 to as many, or none in an empty payload.
  public static let chunkSize = 65536
  /// Bytes that encryption adds to every chunk.
  public static let tagSize = 16
  /// Bytes of nonce at the payload's beginning.
  public static let nonceSize = 16
  /// Bytes of an encrypted chunk that is full.
  public static let encryptedChunkSize = chunkSize + tagSize

  /// The number of chunks for this much plaintext; an empty one has one chunk, too.
  public static func chunkCount(ofPlaintext size: Int) -> Int {
    precondition(size >= 0, "a size is not negative")
    return max(1, size / chunkSize + (size % chunkSize == 0 ? 0 : 1))
  }

  /// The size of the payload for this much plaintext. Traps where that exceeds `Int.max`.
  public static func encryptedSize(ofPlaintext size: Int) -> Int {
    nonceSize + size + chunkCount(ofPlaintext: size) * tagSize
  }

  /// The size of the plaintext in a payload of this size. It isn't authentic: that takes opening the last chunk.
  ///
  /// - Parameter size: the bytes after the header.
  /// - Returns: the bytes of plaintext.
  /// - Throws: for a size that no payload has: ``AgeError/header(_:)`` with ``HeaderFault/nonceTruncated``,
  ///   or ``AgeError/payload(_:)``.
  public static func plaintextSize(ofEncrypted size: Int) throws(AgeError) -> Int {
    guard size >= nonceSize else { throw .header(.nonceTruncated) }
    let chunks = size - nonceSize
    let (full, rest) = chunks.quotientAndRemainder(dividingBy: encryptedChunkSize)
    guard rest == 0 ? full > 0 : rest >= tagSize else { throw .payload(.truncated) }
    guard full == 0 || rest != tagSize else { throw .payload(.emptyFinalChunk) }
    return chunks - (full + (rest == 0 ? 0 : 1)) * tagSize
  }
}
