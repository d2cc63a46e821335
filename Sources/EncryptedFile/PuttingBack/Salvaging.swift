import Age
import Bytes
import Glibc
public import Keychain
import PrivateFiles

/// The result of recovering a damaged vault.
public struct Salvage: Hashable, Sendable {
  /// How many items there are now.
  public let count: Int
  /// Whether there was a damaged file; `false` if it was gone.
  public let hadFile: Bool
  /// How many items came from the damaged file.
  public let recovered: Int
  /// The generation that provided the other items; `nil` if there is no good one.
  public let base: Generation?
}

extension EncryptedFileKeychain {
  /// Replaces a damaged vault by the newest good generation, with all items that can still be read from the damaged
  /// file, each 64 KiB of which can be decrypted by itself. The replaced file is kept.
  ///
  /// - Parameter confirm: asks whether to restore the vault with ways in that may not be its last ones. By default
  ///   that is refused.
  /// - Throws: `KeychainError.duplicateItem` if the vault is not damaged, `KeychainError.itemNotFound` if there is
  ///   none; `KeychainError.SlotFault.unconfirmed`; the error of the damaged vault if nothing can be recovered.
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
      change.mergeLastWrites(change.otherLastWrites) { [onNotice] in onNotice(.unmerged(path: $0, $1)) }
      var (hadFile, recovered) = (false, 0)
      if let file = try openVault() {
        hadFile = true
        let lines = try SalvagedLines.read(file, with: change.key)
        recovered = lines.inUse.count
        if lines.count > 0 { try change.merge(lines, written: file.status.modificationDate) }
      }
      if base == nil, recovered == 0 { throw fault }
      return Salvage(
        count: change.lines.inUse.count, hadFile: hadFile, recovered: recovered, base: base)
    }
  }
}

enum SalvagedLines {
  /// Reads as many records as possible: each chunk is authenticated by itself (C2SP age.md, "Payload").
  static func read(_ file: borrowing OpenFile, with key: VaultKey?) throws(KeychainError) -> VaultLines {
    let contents = try file.contents(limit: VaultBounds.file)
    var records = VaultLines()
    guard let key else { return records }
    contents.withUnsafeBytes { bytes in
      guard let header = RepairedHeader.parse(bytes) ?? (try? Header(parsing: bytes)),
        // The header's MAC may be the damaged part, so it isn't checked.
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

  /// The first line, if it is readable and was written with the vault's key.
  static func firstLine(
    of file: borrowing OpenFile, _ key: VaultKey, uuid: String
  ) throws(KeychainError) -> VaultHead? {
    guard let (first, nonce) = try unprovenFirstLine(of: file, key.identity), first.uuid == uuid,
      isProven(first, nonce, key)
    else { return nil }
    return first.head
  }

  /// The vault's UUID by its first line, if that is readable and was written with this identity.
  static func uuid(of file: borrowing OpenFile, _ identity: X25519Identity) throws(KeychainError) -> String? {
    guard let (first, nonce) = try unprovenFirstLine(of: file, identity), isUUID(first.uuid),
      isProven(first, nonce, VaultKey(identity, uuid: first.uuid))
    else { return nil }
    return first.uuid
  }

  private static func isProven(_ first: ReadVaultHead, _ nonce: [UInt8], _ key: VaultKey) -> Bool {
    let proof = VaultHead.authentication(
      key, uuid: first.uuid, generation: first.head.generation, previous: first.head.previous, nonce: nonce)
    return proof.withUnsafeBytes { proof in
      first.authentication.withUnsafeBytes { Sodium.areEqual($0, proof) }
    }
  }

  private static func unprovenFirstLine(
    of file: borrowing OpenFile, _ identity: any Identity
  ) throws(KeychainError) -> (ReadVaultHead, nonce: [UInt8])? {
    let path = file.path
    let contents = try file.contents(limit: VaultBounds.file)
    return contents.withUnsafeBytes { (bytes) -> (ReadVaultHead, nonce: [UInt8])? in
      guard let header = RepairedHeader.parse(bytes) ?? (try? Header(parsing: bytes)),
        let fileKey = try? identity.unwrap(header.stanzas),
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
      return first.map { ($0, nonce) }
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

  /// Adds the complete records of a piece of the text, skipping cut lines.
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
