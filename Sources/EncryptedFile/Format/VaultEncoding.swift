import Age
import Bytes
import Glibc
import Keychain

/// A new generation of a vault, laid out. Encrypted while written, so a large one is never whole in memory.
struct EncodedVault: ~Copyable {
  /// The plaintext, to compare with what is read back.
  let text: VaultText
  private let header: [UInt8]
  private let nonce: [UInt8]
  private let key: PayloadKey

  /// Lays out the records. Each write draws a new file key, ephemeral share and nonce, so that no two share a key.
  ///
  /// - Throws: ``KeychainError/tooLarge(what:limit:)``.
  init(
    _ lines: borrowing VaultLines, head: VaultHead, stanzas: VaultStanzas, key: VaultKey,
    path: String
  ) throws(KeychainError) {
    let nonce = randomBytes(PayloadLayout.nonceSize)
    let version = lines.formatVersion
    let text = try VaultText(lines, head) { head, index in
      var json = JSONWriter(capacity: 1024)
      json.head(
        head, version: version, uuid: stanzas.uuid,
        authentication: VaultHead.authentication(
          key, uuid: stanzas.uuid, generation: head.generation, previous: head.previous, nonce: nonce),
        index: index)
      return json.finish()
    }
    let fileKey = FileKey()
    let header: [UInt8]
    do {
      header = try Header.encode(stanzas: key.recipient.wrap(fileKey) + stanzas.encoded(), fileKey: fileKey)
    } catch {
      throw KeychainError(error, path: path)
    }
    self.key = try Self.payloadKey(fileKey, nonce, path: path)
    self.text = text
    self.header = header
    self.nonce = nonce
  }

  private static func payloadKey(
    _ fileKey: borrowing FileKey, _ nonce: [UInt8], path: String
  ) throws(KeychainError) -> PayloadKey {
    do {
      return try PayloadKey(fileKey: fileKey, nonce: nonce)
    } catch {
      throw KeychainError(error, path: path)
    }
  }

  private static let portion = 1 << 20

  /// Passes the file's bytes to `write`, some at a time. `lines` are those laid out.
  borrowing func encrypt<Failure: Error>(
    _ lines: borrowing VaultLines, _ write: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let beginning = header + nonce
    // A portion is passed on as soon as it is full, which a chunk may exceed.
    let output = UnsafeMutableRawBufferPointer.allocate(
      byteCount: beginning.count + min(Self.portion, PayloadLayout.encryptedSize(ofPlaintext: text.size))
        + PayloadLayout.encryptedChunkSize, alignment: 16)
    defer { output.deallocate() }
    beginning.withUnsafeBytes(output.copyMemory)
    var count = beginning.count
    let last = PayloadLayout.chunkCount(ofPlaintext: text.size) - 1
    var chunk = 0
    try text.forEachChunk(of: lines) { (plaintext) throws(Failure) in
      let sealed = output.part(count, plaintext.count + PayloadLayout.tagSize)
      key.seal(chunk: chunk, isLast: chunk == last, from: plaintext, into: sealed)
      count += sealed.count
      if chunk == last || count >= Self.portion {
        try write(UnsafeRawBufferPointer(output.part(0, count)))
        count = 0
      }
      chunk += 1
    }
  }

  borrowing func file(_ lines: borrowing VaultLines) -> [UInt8] {
    var file: [UInt8] = []
    encrypt(lines) { file += $0 }
    return file
  }
}

/// The layout of a vault's plaintext: the first line, the records, the padding.
///
/// From ``VaultPadding/randomAccessThreshold`` on, each chunk of the age payload is complete in itself: the first line
/// fills whole chunks and holds an index of the others, no record that fits into a chunk crosses its end, and the final
/// chunk, which every reader has to decrypt, is a single LF. Spaces at the ends of lines fill the chunks.
struct VaultText: ~Copyable {
  let size: Int
  /// The first line without its LF, and its size when filled up.
  private let first: Secret
  private let firstSize: Int
  /// The starts of the records, counted from the first one, and the end of the last.
  private let starts: [Int]

  /// - Parameter firstLine: makes the first line of the finished head and the index, without LF.
  /// - Throws: ``KeychainError/tooLarge(what:limit:)``.
  init(
    _ lines: borrowing VaultLines, _ head: VaultHead, firstLine: (VaultHead, VaultIndex) -> Secret
  ) throws(KeychainError) {
    let isLarge = lines.byteCount + 1024 > VaultPadding.randomAccessThreshold
    var index = VaultIndex()
    starts = Self.starts(of: lines, isLarge: isLarge, &index)
    var head = head
    head.count = lines.count
    head.retiredCount = lines.count - lines.inUse.count
    head.byteCount = starts.last ?? 0
    first = firstLine(head, index)
    firstSize = isLarge ? Self.roundUp(first.count + 1, to: PayloadLayout.chunkSize) : first.count + 1
    let contents = firstSize + head.byteCount
    let padded = VaultPadding.paddedSize(contents)
    size = isLarge ? Self.roundUp(padded, to: PayloadLayout.chunkSize) + 1 : padded
    if size > VaultBounds.plaintext {
      throw .tooLarge(what: "the keychain", limit: VaultBounds.plaintext)
    }
  }

  private static func starts(
    of lines: borrowing VaultLines, isLarge: Bool, _ index: inout VaultIndex
  ) -> [Int] {
    var starts: [Int] = []
    starts.reserveCapacity(lines.count + 1)
    var end = 0
    var indexedChunk = -1
    for position in 0..<lines.count {
      lines.withLine(position) { line in
        if isLarge {
          let used = end % PayloadLayout.chunkSize
          if used > 0, used + line.count + 1 > PayloadLayout.chunkSize {
            end += PayloadLayout.chunkSize - used
          }
          if end / PayloadLayout.chunkSize != indexedChunk {
            indexedChunk = end / PayloadLayout.chunkSize
            if position == 0 {
              index.append(offset: 0, key: line.key, previous: UnsafeRawBufferPointer(start: nil, count: 0))
            } else {
              lines.withLine(position - 1) { index.append(offset: end, key: line.key, previous: $0.key) }
            }
          }
        }
        starts.append(end)
        end += line.count + 1
      }
    }
    return starts + [end]
  }

  /// Passes the text to `body` in chunks of ``PayloadLayout/chunkSize`` bytes; the last may have less. `lines` are
  /// those laid out.
  borrowing func forEachChunk<Failure: Error>(
    of lines: borrowing VaultLines, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var chunk = FilledChunk(size: min(size, PayloadLayout.chunkSize))
    func fill(_ line: UnsafeRawBufferPointer, upTo end: Int) throws(Failure) {
      try chunk.add(line, body)
      try chunk.add(spaces: end - line.count - 1, body)
      try chunk.add("\n", body)
    }
    try first.withUnsafeBytes { (line) throws(Failure) in try fill(line, upTo: firstSize) }
    for position in 0..<lines.count {
      try lines.withLine(position) { (line) throws(Failure) in
        try fill(line, upTo: starts[position + 1] - starts[position])
      }
    }
    let padding = size - firstSize - (starts.last ?? 0)
    if padding > 0 {
      try fill(UnsafeRawBufferPointer(start: nil, count: 0), upTo: padding)
    }
    try chunk.finish(body)
  }

  borrowing func isIndexed(by index: VaultIndex, _ lines: borrowing VaultLines) -> Bool {
    index.leads(through: lines, at: starts)
  }

  private static func roundUp(_ size: Int, to unit: Int) -> Int {
    (size + unit - 1) / unit * unit
  }
}

/// A chunk of plaintext that is passed on whenever it is full.
private struct FilledChunk: ~Copyable {
  private let bytes: Secret
  private var count = 0

  init(size: Int) { bytes = Secret(uninitialized: size) }

  mutating func add<Failure: Error>(
    _ part: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var added = 0
    while added < part.count {
      let fitting = min(part.count - added, bytes.count - count)
      bytes.unsafeMemory.part(count, fitting).copyMemory(from: part.part(added, fitting))
      count += fitting
      added += fitting
      if count == bytes.count { try finish(body) }
    }
  }

  mutating func add<Failure: Error>(
    spaces: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var rest = spaces
    while rest > 0 {
      let fitting = min(rest, bytes.count - count)
      bytes.unsafeMemory.part(count, fitting).initializeMemory(as: UInt8.self, repeating: 0x20)
      count += fitting
      rest -= fitting
      if count == bytes.count { try finish(body) }
    }
  }

  mutating func add<Failure: Error>(
    _ part: StaticString, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    try add(UnsafeRawBufferPointer(start: part.utf8Start, count: part.utf8CodeUnitCount), body)
  }

  mutating func finish<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    if count == 0 { return }
    let filled = UnsafeRawBufferPointer(bytes.unsafeMemory.part(0, count))
    count = 0
    try body(filled)
  }
}

extension UnsafeRawBufferPointer {
  var key: UnsafeRawBufferPointer {
    let start = Swift.min(Record.opening.utf8CodeUnitCount, count)
    var end = start
    while end < count, self[end] != UInt8(ascii: "\"") { end += 1 }
    return UnsafeRawBufferPointer(rebasing: self[start..<end])
  }
}
