import Age
import Bytes
import Glibc
import JSON
import Keychain

/// A new generation of a vault, laid out and encrypted.
struct EncodedVault: ~Copyable {
  /// The bytes of the file.
  let file: [UInt8]
  /// The plaintext, to be compared with what is read back.
  let plaintext: Secret

  /// Encodes the records.
  ///
  /// Every write draws a new file key, ephemeral share and nonce, so no two writes ever share a key.
  ///
  /// - Throws: ``KeychainError/tooLarge(what:limit:)``.
  init(
    _ lines: borrowing VaultLines, head: VaultHead, stanzas: VaultStanzas, key: VaultKey,
    path: String
  ) throws(KeychainError) {
    let nonce = randomBytes(PayloadLayout.nonceSize)
    let version = lines.formatVersion
    let plaintext = try VaultText.encode(lines, head) { head, index in
      var json = JSONWriter(capacity: 1024)
      json.head(
        head, version: version, uuid: stanzas.uuid,
        authentication: VaultHead.authentication(
          key, uuid: stanzas.uuid, generation: head.generation, previous: head.previous, nonce: nonce),
        index: index)
      return json.finish()
    }
    let file: [UInt8]
    do throws(AgeError) {
      let fileKey = FileKey()
      file = Self.encrypt(
        plaintext,
        header: try Header.encode(
          stanzas: key.recipient.wrap(fileKey) + stanzas.encoded(), fileKey: fileKey),
        try PayloadKey(fileKey: fileKey, nonce: nonce), nonce: nonce)
    } catch {
      throw KeychainError(error, path: path)
    }
    self.file = file
    self.plaintext = plaintext
  }

  private static func encrypt(
    _ plaintext: borrowing Secret, header: [UInt8], _ key: borrowing PayloadKey, nonce: [UInt8]
  ) -> [UInt8] {
    let chunks = PayloadLayout.chunkCount(ofPlaintext: plaintext.count)
    let payload = header.count + nonce.count
    let count = header.count + PayloadLayout.encryptedSize(ofPlaintext: plaintext.count)
    return [UInt8](unsafeUninitializedCapacity: count) { elements, initialized in
      let file = UnsafeMutableRawBufferPointer(elements)
      file.copyBytes(from: header)
      file.part(header.count, nonce.count).copyBytes(from: nonce)
      plaintext.withUnsafeBytes { plaintext in
        for chunk in 0..<chunks {
          let start = chunk * PayloadLayout.chunkSize
          let part = plaintext.part(start, min(PayloadLayout.chunkSize, plaintext.count - start))
          key.seal(
            chunk: chunk, isLast: chunk == chunks - 1, from: part,
            into: file.part(
              payload + chunk * PayloadLayout.encryptedChunkSize, part.count + PayloadLayout.tagSize))
        }
      }
      initialized = count
    }
  }
}

/// The layout of a vault's plaintext: the first line, the records, the padding.
enum VaultText {
  /// Lays out the records. From ``VaultPadding/randomAccessThreshold`` on, each chunk of the age payload is complete
  /// in itself: the first line fills whole chunks and holds an index of the others, no record that fits into a chunk
  /// crosses its end, and the final chunk, which every reader has to decrypt, is a single LF. Spaces at the ends of
  /// lines fill the chunks.
  ///
  /// - Parameter firstLine: makes the first line of the finished head and the index, without LF.
  /// - Throws: ``KeychainError/tooLarge(what:limit:)``.
  static func encode(
    _ lines: borrowing VaultLines, _ head: VaultHead,
    firstLine: (VaultHead, VaultIndex) -> Secret
  ) throws(KeychainError) -> Secret {
    var records = Secret(capacity: lines.byteCount + lines.byteCount / 64)
    let isLarge = lines.byteCount + 1024 > VaultPadding.randomAccessThreshold
    var index = VaultIndex()
    var indexedChunk = -1
    for position in 0..<lines.count {
      lines.withLine(position) { content in
        if isLarge {
          padToChunk(&records, for: content.count + 1)
          let chunk = records.count / PayloadLayout.chunkSize
          if chunk != indexedChunk {
            indexedChunk = chunk
            if position == 0 {
              index.append(
                offset: 0, key: content.key, previous: UnsafeRawBufferPointer(start: nil, count: 0))
            } else {
              lines.withLine(position - 1) {
                index.append(offset: records.count, key: content.key, previous: $0.key)
              }
            }
          }
        }
        records.append(content)
        records.append(0x0a)
      }
    }
    var head = head
    head.count = lines.count
    head.retiredCount = lines.count - lines.inUse.count
    head.byteCount = records.count
    var text = firstLine(head, index)
    if isLarge {
      let size = roundUp(text.count + 1, to: PayloadLayout.chunkSize)
      text.append(spaces: size - text.count - 1)
    }
    text.append(0x0a)
    text.append(records)
    let padded = VaultPadding.paddedSize(text.count)
    let size = isLarge ? roundUp(padded, to: PayloadLayout.chunkSize) + 1 : padded
    if size > text.count {
      text.append(spaces: size - text.count - 1)
      text.append(0x0a)
    }
    if text.count > VaultBounds.plaintext {
      throw .tooLarge(what: "the keychain", limit: VaultBounds.plaintext)
    }
    return text
  }

  /// Puts spaces before the last LF so that a line of `count` bytes won't cross the end of a chunk.
  private static func padToChunk(_ records: inout Secret, for count: Int) {
    let used = records.count % PayloadLayout.chunkSize
    guard used > 0, used + count > PayloadLayout.chunkSize else { return }
    records.truncate(to: records.count - 1)
    records.append(spaces: PayloadLayout.chunkSize - used)
    records.append(0x0a)
  }

  private static func roundUp(_ size: Int, to unit: Int) -> Int {
    (size + unit - 1) / unit * unit
  }
}

extension UnsafeRawBufferPointer {
  /// The key of a record's line.
  var key: UnsafeRawBufferPointer {
    let start = Swift.min(Record.opening.utf8CodeUnitCount, count)
    var end = start
    while end < count, self[end] != UInt8(ascii: "\"") { end += 1 }
    return UnsafeRawBufferPointer(rebasing: self[start..<end])
  }
}

extension Secret {
  fileprivate mutating func append(spaces: Int) {
    append(count: max(0, spaces)) { buffer in
      buffer.initializeMemory(as: UInt8.self, repeating: 0x20)
      return buffer.count
    }
  }
}
