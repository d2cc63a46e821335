/// The sizes of a payload in bytes: a nonce, then chunks of 64 KiB with a tag each (C2SP age.md, "Payload"). A payload
/// is everything after the header, including the nonce.
public enum PayloadLayout {
  /// The plaintext in every chunk but the last, which has 1 byte to as many, or none in an empty payload.
  public static let chunkSize = 65536
  /// The number of bytes that encryption adds to every chunk.
  public static let tagSize = 16
  /// The size of the nonce at the payload's beginning.
  public static let nonceSize = 16
  /// The size of a full encrypted chunk.
  public static let encryptedChunkSize = chunkSize + tagSize

  /// The number of chunks for this much plaintext. An empty one also has one chunk.
  public static func chunkCount(ofPlaintext size: Int) -> Int {
    precondition(size >= 0, "a size is not negative")
    return max(1, size / chunkSize + (size % chunkSize == 0 ? 0 : 1))
  }

  /// The size of the payload for this much plaintext. Traps if that exceeds `Int.max`.
  public static func encryptedSize(ofPlaintext size: Int) -> Int {
    nonceSize + size + chunkCount(ofPlaintext: size) * tagSize
  }

  /// The size of the plaintext in a payload of this size. It isn't authentic until the last chunk has been opened.
  ///
  /// - Parameter size: the bytes after the header.
  /// - Throws: ``AgeError/header(_:)`` with ``HeaderFault/nonceTruncated`` or ``AgeError/payload(_:)`` for other
  ///   sizes.
  public static func plaintextSize(ofEncrypted size: Int) throws(AgeError) -> Int {
    guard size >= nonceSize else { throw .header(.nonceTruncated) }
    let chunks = size - nonceSize
    let (full, rest) = chunks.quotientAndRemainder(dividingBy: encryptedChunkSize)
    guard rest == 0 ? full > 0 : rest >= tagSize else { throw .payload(.truncated) }
    guard full == 0 || rest != tagSize else { throw .payload(.emptyFinalChunk) }
    return chunks - (full + (rest == 0 ? 0 : 1)) * tagSize
  }
}
