import Age
import Bytes
import Glibc
import Keychain
import PrivateFiles

/// One generation of a vault: the open, unlocked file, decrypted as far as needed. The file never changes, because a
/// writer puts a new file in its place.
final class VaultSnapshot {
  let status: FileStatus
  let stanzas: VaultStanzas
  /// The header's MAC, which the next generation names as its predecessor.
  let mac: [UInt8]
  let first: ReadVaultHead
  let key: VaultKey

  let path: String
  private var payload: RandomAccessReader
  /// The decrypted lines, and the prefix of all their keys.
  private var lines: VaultLines
  private var covered: [UInt8]?

  var generation: SeenGeneration { SeenGeneration(number: first.head.generation, headerMAC: mac) }

  /// Opens and unlocks a vault, and checks its first line.
  ///
  /// - Throws: ``KeychainError`` for a faulty file; what `unlock` throws.
  init(
    _ file: consuming OpenFile,
    unlock: (Header, VaultStanzas) throws(KeychainError) -> UnlockedHeader
  ) throws(KeychainError) {
    let path = file.path
    let size = file.status.size
    guard size <= VaultBounds.file else { throw .tooLarge(what: path, limit: VaultBounds.file) }
    let (header, nonce) = try Self.readHeader(file)
    let stanzas = try VaultStanzas(header.stanzas, path: path)
    let unlocked = try unlock(header, stanzas)
    let descriptor = file.descriptor
    let headerSize = header.encodedSize
    do {
      payload = try RandomAccessReader(payloadSize: size - headerSize, fileKey: unlocked.fileKey) {
        (offset, buffer) throws(AgeError) in
        // The nonce was read with the header.
        if offset == 0, buffer.count == nonce.count { return buffer.copyBytes(from: nonce) }
        let failure = readFully(descriptor, at: headerSize + offset, into: buffer)
        if failure != 0 { throw .read(errno: failure < 0 ? EIO : failure) }
      }
    } catch {
      throw KeychainError(error, path: path)
    }
    status = file.status
    self.file = file
    self.stanzas = stanzas
    mac = header.mac
    key = unlocked.key
    self.path = path

    // A large vault is read piece by piece; a small one is needed as a whole anyway.
    let isSmall = payload.plaintextSize <= VaultPadding.randomAccessThreshold
    var text = try Self.read(
      &payload, 0..<min(payload.plaintextSize, isSmall ? .max : PayloadLayout.chunkSize), path: path)
    var end = Self.lineEnd(text)
    while end == nil, text.count < payload.plaintextSize {
      text = try Self.read(&payload, 0..<min(payload.plaintextSize, text.count * 2), path: path)
      end = Self.lineEnd(text)
    }
    guard let end else { throw .damaged(path: path, detail: "its first line has no end") }
    first = try text.withUnsafeBytes { (bytes) throws(KeychainError) in
      try ReadVaultHead(parsing: UnsafeRawBufferPointer(rebasing: bytes[..<end]), path: path)
    }
    let proof = VaultHead.authentication(
      key, uuid: stanzas.uuid, generation: first.head.generation, previous: first.head.previous, nonce: nonce)
    // In constant time, so that it doesn't tell how much of a forged proof is right.
    let given = first.authentication
    let isProven = proof.withUnsafeBytes { proof in given.withUnsafeBytes { Sodium.areEqual($0, proof) } }
    guard first.uuid == stanzas.uuid, isProven else {
      throw .damaged(path: path, detail: "it was not written with the keychain's own identity")
    }
    if isSmall {
      lines = try Self.allLines(text, first, path: path)
      covered = []
    } else {
      lines = VaultLines()
      covered = nil
    }
  }

  /// Opens a generation of a vault with that vault's key.
  ///
  /// - Throws: ``KeychainError/wrongIdentity(path:)`` if the file belongs to another vault or another key; other
  ///   errors for a faulty file.
  convenience init(
    _ file: consuming OpenFile, uuid: String, with key: VaultKey, _ unlocking: Unlocking
  ) throws(KeychainError) {
    let path = file.path
    try self.init(file) { (header, stanzas) throws(KeychainError) in
      guard stanzas.uuid == uuid, let unlocked = try unlocking.open(header, with: key) else {
        throw .wrongIdentity(path: path)
      }
      return unlocked
    }
  }

  // Kept open: the payload reads from its descriptor.
  private let file: OpenFile

  private func load(_ beginning: [UInt8]) throws(KeychainError) {
    if let covered, beginning.starts(with: covered) { return }
    if beginning.isEmpty || first.index.isEmpty {
      let text = try Self.read(&payload, 0..<payload.plaintextSize, path: path)
      lines = try Self.allLines(text, first, path: path)
      covered = []
    } else {
      lines = try part(beginning)
      covered = beginning
    }
  }

  /// Takes all records, to change them. The snapshot keeps none of them.
  func takeAllLines() throws(KeychainError) -> VaultLines {
    try load([])
    covered = nil
    var taken = VaultLines()
    swap(&taken, &lines)
    return taken
  }

  func withLines<Result: ~Copyable>(
    beginning: [UInt8], _ body: (borrowing VaultLines, Range<Int>) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    try load(beginning)
    return try body(lines, lines.lines(beginning: beginning))
  }

  /// All lines whose keys begin with `beginning`, and others, found by the index.
  private func part(_ beginning: [UInt8]) throws(KeychainError) -> VaultLines {
    guard let part = first.index.part(ofKeysBeginningWith: beginning) else { throw malformedIndex }
    let start = first.size + part.lower
    let end = part.upper.map { first.size + $0 } ?? first.records.upperBound
    guard start < end, end <= first.records.upperBound else { throw malformedIndex }
    let lines = try Self.lines(&payload, start..<end, path: path)
    guard lines.count > 0, lines.withLine(0, { $0.key.starts(with: part.separator) }) else {
      throw malformedIndex
    }
    return lines
  }

  private var malformedIndex: KeychainError { .damaged(path: path, detail: "its index is malformed") }

  /// Whether the plaintext is the text laid out with `lines`.
  func holds(_ text: borrowing VaultText, _ lines: borrowing VaultLines) throws(KeychainError) -> Bool {
    guard payload.plaintextSize == text.size else { return false }
    let chunk = Secret(uninitialized: min(text.size, PayloadLayout.chunkSize))
    var index = 0
    var isSame = true
    do {
      try text.forEachChunk(of: lines) { (expected) throws(AgeError) in
        let count = try payload.readChunk(index, into: chunk.unsafeMemory)
        isSame = isSame && expected.equals(UnsafeRawBufferPointer(chunk.unsafeMemory.part(0, count)))
        index += 1
      }
    } catch {
      throw KeychainError(error, path: path)
    }
    // The same code laid out the expected text, so equality proves nothing about the index.
    return isSame && text.isIndexed(by: first.index, lines)
  }

  /// Copies the file. Returns 0 or an `errno`.
  func copy(to descriptor: Int32) -> Int32 { file.copy(to: descriptor) }

  /// - Throws: ``KeychainError/damaged(path:detail:)`` if a search would not find all there is.
  func checkIndex() throws(KeychainError) {
    let text = try Self.read(&payload, 0..<payload.plaintextSize, path: path)
    guard first.records.upperBound <= text.count, hasGoodIndex(text) else { throw malformedIndex }
  }

  private func hasGoodIndex(_ text: borrowing Secret) -> Bool {
    text.withUnsafeBytes { bytes in
      first.index.leads(through: UnsafeRawBufferPointer(rebasing: bytes[first.records]))
    }
  }

  private static func lines(
    _ payload: inout RandomAccessReader, _ range: Range<Int>, path: String
  ) throws(KeychainError) -> VaultLines {
    guard range.upperBound <= payload.plaintextSize else {
      throw .damaged(path: path, detail: "it holds less than its first line says")
    }
    return try VaultLines(try read(&payload, range, path: path), in: 0..<range.count, path: path)
  }

  /// All records of the whole plaintext, which may be followed by padding only.
  private static func allLines(
    _ text: consuming Secret, _ first: ReadVaultHead, path: String
  ) throws(KeychainError) -> VaultLines {
    let isPadded = text.withUnsafeBytes { bytes in
      first.records.upperBound <= bytes.count && Self.isPadding(bytes[first.records.upperBound...])
    }
    guard isPadded else { throw .damaged(path: path, detail: "its first line is wrong about its items") }
    let lines = try VaultLines(text, in: first.records, path: path)
    guard lines.count == first.head.count else {
      throw .damaged(path: path, detail: "it holds \(lines.count) items and should hold \(first.head.count)")
    }
    return lines
  }

  /// Whether there are only spaces and line feeds. Padding as written is spaces and one line feed, which a single
  /// comparison of each byte with the one before detects.
  private static func isPadding(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    let spaces = bytes.count - 1
    if spaces > 0, let start = bytes.baseAddress, bytes[0] == 0x20, bytes[spaces] == 0x0a,
      memcmp(start, start + 1, spaces - 1) == 0
    {
      return true
    }
    return bytes.allSatisfy { $0 == 0x20 || $0 == 0x0a }
  }

  private static func lineEnd(_ text: borrowing Secret) -> Int? {
    text.withUnsafeBytes { $0.firstIndex(of: 0x0a, from: 0) }
  }

  private static func read(
    _ payload: inout RandomAccessReader, _ range: Range<Int>, path: String
  ) throws(KeychainError) -> Secret {
    var text = Secret(capacity: range.count)
    do {
      try text.append(count: range.count) { (buffer) throws(AgeError) -> Int in
        try payload.read(range: range, into: buffer)
        return buffer.count
      }
    } catch {
      throw KeychainError(error, path: path)
    }
    return text
  }

  static func readHeader(_ file: borrowing OpenFile) throws(KeychainError) -> (Header, [UInt8]) {
    var length = 4096
    while true {
      length = min(length, file.status.size)
      let start = try file.contents(first: length)
      do {
        return try start.withUnsafeBytes { (bytes) throws(AgeError) in
          let header = try Header(parsing: bytes)
          let nonceEnd = header.encodedSize + PayloadLayout.nonceSize
          guard bytes.count >= nonceEnd else { throw .header(.truncated) }
          return (header, Array(bytes[header.encodedSize..<nonceEnd]))
        }
      } catch .header(.truncated) where length < min(file.status.size, Header.maximumSize) {
        length *= 4
      } catch {
        throw KeychainError(error, path: file.path)
      }
    }
  }
}
