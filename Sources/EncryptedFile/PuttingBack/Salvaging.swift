import Age
import Bytes
import Glibc
public import Keychain
import PrivateFiles

/// What could be got out of a damaged vault.
public struct Salvage: Hashable, Sendable {
  /// How many items there are now.
  public let count: Int
  /// How many items were read from the damaged file.
  public let recovered: Int
  /// The generation that the others come from; `nil` if there is no good one.
  public let base: Generation?
}

extension EncryptedFileKeychain {
  /// Puts the newest good generation in the place of a vault that is damaged, with all items that the damaged file
  /// still gives: each 64 KiB of it can be read by itself. What is replaced is kept.
  ///
  /// - Parameter confirm: asks whether the vault may be put back with ways in of which it can't be told whether they are
  ///   those that it had last. Without it that is refused.
  /// - Throws: `KeychainError.duplicateItem` if the vault is in order, `KeychainError.itemNotFound` if there is none;
  ///   `KeychainError.SlotFault.unconfirmed`; `KeychainError` for what is wrong with it if nothing can be had.
  public func salvage(confirm: WaysConfirmation = { _ in false }) throws(KeychainError) -> Salvage {
    var base: Generation?
    var fault = KeychainError.duplicateItem
    return try replacingUnreadable(
      by: nil, confirm,
      with: { (ways, error) throws(KeychainError) in
        fault = error
        guard let (generation, good) = try newestGood(for: ways) else { return try VaultBeginning(nil, ways) }
        base = generation
        return good
      }
    ) { (change, isReplaced) throws(KeychainError) in
      guard isReplaced else { throw change.isNew ? .itemNotFound : fault }
      var recovered = 0
      if let file = try openVault() {
        let lines = try SalvagedLines.read(file, with: change.key)
        recovered = lines.inUse.count
        if lines.count > 0 { try change.merge(lines, written: file.status.modificationDate) }
      }
      if base == nil, recovered == 0 { throw fault }
      return Salvage(count: change.lines.inUse.count, recovered: recovered, base: base)
    }
  }
}

/// The records that can be read of a vault that is damaged.
enum SalvagedLines {
  /// Reads what can be read.
  ///
  /// The chunks are authentic one by one (C2SP age.md, "Payload"); what is missing is only known by its place.
  static func read(_ file: borrowing OpenFile, with key: VaultKey?) throws(KeychainError) -> VaultLines {
    let contents = try file.contents(limit: VaultBounds.file)
    var records = VaultLines()
    guard let key else { return records }
    contents.withUnsafeBytes { bytes in
      guard let header = try? Header(parsing: bytes),
        // The header's MAC may be what is wrong.
        let fileKey = try? key.identity.unwrap(header.stanzas),
        let payload = Optional(UnsafeRawBufferPointer(rebasing: bytes[header.encodedSize...])),
        payload.count > PayloadLayout.nonceSize,
        let payloadKey = try? PayloadKey(
          fileKey: fileKey, nonce: UnsafeRawBufferPointer(rebasing: payload[..<PayloadLayout.nonceSize]))
      else { return }
      let chunks = UnsafeRawBufferPointer(rebasing: payload[PayloadLayout.nonceSize...])
      var run = Secret(capacity: chunks.count)
      var index = 0
      while index * PayloadLayout.encryptedChunkSize < chunks.count {
        let start = index * PayloadLayout.encryptedChunkSize
        let chunk = UnsafeRawBufferPointer(
          rebasing: chunks[start..<min(start + PayloadLayout.encryptedChunkSize, chunks.count)])
        if chunk.count >= PayloadLayout.tagSize, append(chunk, index, payloadKey, to: &run) {
          index += 1
          continue
        }
        collect(run, into: &records)
        run.truncate(to: 0)
        index += 1
      }
      collect(run, into: &records)
    }
    return records
  }

  /// The first line, where it can be read and the vault's key wrote it; else `nil`.
  static func firstLine(
    of file: borrowing OpenFile, _ key: VaultKey, uuid: String
  ) throws(KeychainError) -> VaultHead? {
    let path = file.path
    let contents = try file.contents(limit: VaultBounds.file)
    return contents.withUnsafeBytes { (bytes) -> VaultHead? in
      guard let header = try? Header(parsing: bytes), let fileKey = try? key.identity.unwrap(header.stanzas),
        bytes.count - header.encodedSize > PayloadLayout.nonceSize
      else { return nil }
      let nonce = Array(bytes[header.encodedSize..<header.encodedSize + PayloadLayout.nonceSize])
      guard let payloadKey = try? PayloadKey(fileKey: fileKey, nonce: nonce) else { return nil }
      var chunks = UnsafeRawBufferPointer(rebasing: bytes[(header.encodedSize + PayloadLayout.nonceSize)...])
      var text = Secret()
      var index = 0
      var end: Int?
      while end == nil, chunks.count >= PayloadLayout.tagSize {
        let chunk = UnsafeRawBufferPointer(rebasing: chunks.prefix(PayloadLayout.encryptedChunkSize))
        guard append(chunk, index, payloadKey, to: &text) else { return nil }
        chunks = UnsafeRawBufferPointer(rebasing: chunks.dropFirst(chunk.count))
        index += 1
        end = text.withUnsafeBytes { $0.firstIndex(of: 0x0a, from: 0) }
      }
      guard let end else { return nil }
      let first = text.withUnsafeBytes {
        try? ReadVaultHead(parsing: UnsafeRawBufferPointer(rebasing: $0[..<end]), path: path)
      }
      guard let first, first.uuid == uuid else { return nil }
      let proof = VaultHead.authentication(
        key, uuid: uuid, generation: first.head.generation, previous: first.head.previous, nonce: nonce)
      let isProven = proof.withUnsafeBytes { proof in
        first.authentication.withUnsafeBytes { Sodium.areEqual($0, proof) }
      }
      return isProven ? first.head : nil
    }
  }

  private static func append(
    _ chunk: UnsafeRawBufferPointer, _ index: Int, _ key: borrowing PayloadKey, to text: inout Secret
  ) -> Bool {
    let size = chunk.count - PayloadLayout.tagSize
    for isLast in [false, true] {
      var isRead = false
      text.append(count: size) { buffer in
        isRead = (try? key.open(chunk: index, isLast: isLast, from: chunk, into: buffer)) != nil
        return isRead ? size : 0
      }
      if isRead { return true }
    }
    return false
  }

  /// Takes the records out of a piece of the text. A line that is cut is none.
  private static func collect(_ text: borrowing Secret, into records: inout VaultLines) {
    text.withUnsafeBytes { bytes in
      var start = 0
      for end in 0..<bytes.count where bytes[end] == 0x0a {
        let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end]).content
        start = end + 1
        guard isRecord(line) else { continue }
        records.insert(Secret(copying: line))
      }
    }
  }

  private static func isRecord(_ line: UnsafeRawBufferPointer) -> Bool {
    if (try? Record(parsing: line)) != nil { return (try? Record.credential(parsing: line)) != nil }
    return (try? RetiredRecord(parsing: line)) != nil
  }
}
