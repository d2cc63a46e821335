import Bytes

extension PayloadKey {
  /// Encrypts all of `plaintext` into `output`, which must have exactly the size of the chunks.
  borrowing func seal(all plaintext: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
    let chunks = PayloadLayout.chunkCount(ofPlaintext: plaintext.count)
    for index in 0..<chunks {
      let start = index * PayloadLayout.chunkSize
      let count = min(PayloadLayout.chunkSize, plaintext.count - start)
      seal(
        chunk: index, isLast: index == chunks - 1, from: plaintext.part(start, count),
        into: output.part(index * PayloadLayout.encryptedChunkSize, count + PayloadLayout.tagSize))
    }
  }

  borrowing func open(
    all ciphertext: UnsafeRawBufferPointer, release: (UnsafeRawBufferPointer) -> Void
  ) throws(AgeError) {
    let room = min(ciphertext.count, PayloadLayout.chunkSize)
    try withSecretScratch(room) { (plaintext: UnsafeMutableRawBufferPointer) throws(AgeError) in
      var index = 0
      var offset = 0
      repeat {
        let count = min(PayloadLayout.encryptedChunkSize, ciphertext.count - offset)
        guard count >= PayloadLayout.tagSize else { throw .payload(.truncated) }
        let chunk = ciphertext.part(offset, count)
        let output = plaintext.part(0, count - PayloadLayout.tagSize)
        offset += count
        let fault = try open(stray: index, isLast: offset == ciphertext.count, from: chunk, into: output)
        release(UnsafeRawBufferPointer(output))
        if let fault { throw .payload(fault) }
        index += 1
      } while offset < ciphertext.count
    }
  }

  /// Opens a chunk as its place in the file demands, or else a full one as the other kind.
  ///
  /// A streaming reader can't know whether a full chunk is the last before it reads on. It releases the chunk, and
  /// then finds the file cut short or extended. The same here reports that fault, too.
  private borrowing func open(
    stray index: Int, isLast: Bool, from ciphertext: UnsafeRawBufferPointer,
    into plaintext: UnsafeMutableRawBufferPointer
  ) throws(AgeError) -> PayloadFault? {
    do {
      try open(chunk: index, isLast: isLast, from: ciphertext, into: plaintext)
      return nil
    } catch {
      guard error == .payload(.chunk(index)), plaintext.count == PayloadLayout.chunkSize else { throw error }
      try open(chunk: index, isLast: !isLast, from: ciphertext, into: plaintext)
      return isLast ? .truncated : .trailingData
    }
  }
}
