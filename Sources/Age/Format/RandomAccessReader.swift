import Bytes

/// Reads parts of a payload without decrypting the parts before them (C2SP age.md, "Payload").
///
/// The final chunk is opened first. So the size is authentic, and a payload that was cut or extended is refused before
/// anything is read.
public struct RandomAccessReader: ~Copyable {
  /// The size of the plaintext in bytes; authentic.
  public let plaintextSize: Int
  /// The number of chunks, at least 1. Each has ``PayloadLayout/chunkSize`` bytes; the last may have fewer.
  public let chunkCount: Int

  private let key: PayloadKey
  private let fetch: (_ offset: Int, _ into: UnsafeMutableRawBufferPointer) throws(AgeError) -> Void
  private let ciphertext: Secret
  private var cache: Secret
  private var cachedChunk: Int?

  /// Opens a payload: reads its nonce and its final chunk.
  ///
  /// - Parameters:
  ///   - payloadSize: the bytes after the header, including the nonce.
  ///   - fileKey: the file's key.
  ///   - read: fills the whole buffer with the payload's bytes from an offset, 0 being the first byte after the
  ///     header. It throws ``AgeError/read(errno:)`` if it can't, for example with `EIO` for a shortened file.
  /// - Throws: ``AgeError/payload(_:)`` if the final chunk isn't authentic as such or the size is impossible,
  ///   ``AgeError/header(_:)`` with ``HeaderFault/nonceTruncated``, and whatever `read` throws.
  public init(
    payloadSize: Int, fileKey: borrowing FileKey,
    read: @escaping (_ offsetInPayload: Int, _ into: UnsafeMutableRawBufferPointer) throws(AgeError) -> Void
  ) throws(AgeError) {
    let plaintextSize = try PayloadLayout.plaintextSize(ofEncrypted: payloadSize)
    let key = try withSecretScratch(PayloadLayout.nonceSize) {
      (nonce: UnsafeMutableRawBufferPointer) throws(AgeError) -> PayloadKey in
      try read(0, nonce)
      return try PayloadKey(fileKey: fileKey, nonce: UnsafeRawBufferPointer(nonce))
    }
    let size = min(plaintextSize, PayloadLayout.chunkSize)
    let last = PayloadLayout.chunkCount(ofPlaintext: plaintextSize) - 1
    let ciphertext = Secret(uninitialized: size + PayloadLayout.tagSize)
    // No larger than needed: a payload may be laid out to end in a short chunk, which then touches no other memory.
    let cache = Secret(uninitialized: plaintextSize - last * PayloadLayout.chunkSize)
    try Self.open(
      last, isLast: true, key: key, fetch: read, through: ciphertext.unsafeMemory, into: cache.unsafeMemory)
    self.init(
      plaintextSize: plaintextSize, key: key, fetch: read, ciphertext: ciphertext, cache: cache,
      cachedChunk: last)
  }

  private init(
    plaintextSize: Int, key: consuming PayloadKey,
    fetch: @escaping (Int, UnsafeMutableRawBufferPointer) throws(AgeError) -> Void,
    ciphertext: consuming Secret, cache: consuming Secret, cachedChunk: Int
  ) {
    self.plaintextSize = plaintextSize
    chunkCount = PayloadLayout.chunkCount(ofPlaintext: plaintextSize)
    self.key = key
    self.fetch = fetch
    self.ciphertext = ciphertext
    self.cache = cache
    self.cachedChunk = cachedChunk
  }

  /// The bytes of plaintext in one chunk. Traps for an index out of bounds.
  public func size(ofChunk index: Int) -> Int {
    precondition((0..<chunkCount).contains(index), "no such chunk")
    return min(PayloadLayout.chunkSize, plaintextSize - index * PayloadLayout.chunkSize)
  }

  /// Decrypts one chunk.
  ///
  /// - Parameters:
  ///   - index: 0 to ``chunkCount`` - 1; traps otherwise.
  ///   - output: at least ``size(ofChunk:)`` bytes. After an error they hold no plaintext of this chunk.
  /// - Returns: the bytes of plaintext in that chunk.
  /// - Throws: ``AgeError/payload(_:)`` if the chunk isn't authentic, and whatever the caller's `read` throws.
  public mutating func readChunk(
    _ index: Int, into output: UnsafeMutableRawBufferPointer
  ) throws(AgeError) -> Int {
    let count = size(ofChunk: index)
    precondition(output.count >= count, "no room for the chunk")
    if cachedChunk == index {
      copyCache(0..<count, into: output)
    } else {
      try open(index, into: output.part(0, count))
    }
    return count
  }

  /// Decrypts the chunks that hold a range of the plaintext and copies that range.
  ///
  /// Whole chunks go straight to `output`. The last chunk read in part is kept, so that small steps through the file
  /// decrypt it once.
  ///
  /// - Parameters:
  ///   - range: within 0 to ``plaintextSize``; traps otherwise.
  ///   - output: at least `range.count` bytes. After an error they may hold a part of the range.
  /// - Throws: ``AgeError/payload(_:)`` if a chunk isn't authentic, and whatever the caller's `read` throws.
  public mutating func read(
    range: Range<Int>, into output: UnsafeMutableRawBufferPointer
  ) throws(AgeError) {
    precondition(range.lowerBound >= 0 && range.upperBound <= plaintextSize, "range out of bounds")
    precondition(output.count >= range.count, "no room for the range")
    var position = range.lowerBound
    while position < range.upperBound {
      let index = position / PayloadLayout.chunkSize
      let start = index * PayloadLayout.chunkSize
      let end = min(start + size(ofChunk: index), range.upperBound)
      let target = output.part(position - range.lowerBound, end - position)
      if target.count == size(ofChunk: index), cachedChunk != index {
        try open(index, into: target)
      } else {
        if cachedChunk != index { try loadCache(index) }
        copyCache(position - start..<end - start, into: target)
      }
      position = end
    }
  }

  private mutating func loadCache(_ index: Int) throws(AgeError) {
    cachedChunk = nil
    let count = size(ofChunk: index)
    if cache.count < count { cache = Secret(uninitialized: count) }
    try open(index, into: cache.unsafeMemory.part(0, count))
    cachedChunk = index
  }

  private mutating func open(_ index: Int, into output: UnsafeMutableRawBufferPointer) throws(AgeError) {
    try Self.open(
      index, isLast: index == chunkCount - 1, key: key, fetch: fetch, through: ciphertext.unsafeMemory,
      into: output)
  }

  /// Fetches one chunk into `buffer` and opens it into `output`, which must have exactly the plaintext's size.
  private static func open(
    _ index: Int, isLast: Bool, key: borrowing PayloadKey,
    fetch: (Int, UnsafeMutableRawBufferPointer) throws(AgeError) -> Void,
    through buffer: UnsafeMutableRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(AgeError) {
    let encrypted = buffer.part(0, output.count + PayloadLayout.tagSize)
    try fetch(PayloadLayout.nonceSize + index * PayloadLayout.encryptedChunkSize, encrypted)
    try key.open(chunk: index, isLast: isLast, from: UnsafeRawBufferPointer(encrypted), into: output)
  }

  private func copyCache(_ range: Range<Int>, into output: UnsafeMutableRawBufferPointer) {
    cache.withUnsafeBytes { output.copyMemory(from: $0.part(range.lowerBound, range.count)) }
  }
}
