import Age
import Bytes
package import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// Merges a place where the vault is shared, and returns what that place lacks.
  ///
  /// The vault's lock is held meanwhile; nothing is fetched or sent. The result is for these very files: if the place
  /// has others by then, call this again.
  ///
  /// - Parameters:
  ///   - files: the place's files; `nil` if it has none yet.
  ///   - place: the name of the place, for errors.
  /// - Throws: `KeychainError.itemNotFound` if there is no vault here; `.wrongIdentity` if the place has another
  ///   vault; `.otherKey` if nothing here opens its files; `.untrustedKey(of:)` if their key is from somebody who
  ///   didn't have the former one; `.damaged` if they can't be read and there were no others before; what reading and
  ///   writing throw.
  package func reconcile(with files: SharedFiles?, at place: String) throws(KeychainError) -> Reconciliation {
    if try vaultFile() == nil { throw .itemNotFound }
    let scratch = try ScratchFolder(in: location.stateFolder)
    let change = try beginChange(needsIdentity: true)
    guard let key = change.key, let stanzas = change.stanzas else { throw .itemNotFound }
    let reader = SharedFileReader(uuid: stanzas.uuid, unlocking: unlocking, scratch: scratch, place: place)
    var shared = SharedRecords()
    var reading = SharedReading()
    var slotsToDrop: Set<String> = []
    if let files {
      reading = try reader.read(files, key)
      if reading.tookKey {
        try change.takeKey(of: reading.whole)
        slotsToDrop = try change.slotsThatWait()
      } else if reading.isFormer {
        try change.noteSlotsWithFormerKey(of: reading.whole)
      } else if let whole = reading.whole {
        try change.mergeSlots(whole)
        if change.head.isKeyUnsent, !reading.isMended {
          change.head.isKeyUnsent = false
          change.isDirty = true
        }
      }
      try change.mergingAgain(at: clock()) { () throws(KeychainError) in
        try change.mergeShared(reading.parts, former: reading.former, noting: &shared)
      }
    }
    try change.commit(at: clock())
    self.key = change.key
    snapshot = nil
    return try publication(of: change, files, reading, shared, slotsToDrop)
  }

  /// What the place lacks. The change is committed but still holds the lock.
  private func publication(
    of change: VaultChange, _ files: SharedFiles?, _ reading: SharedReading, _ shared: SharedRecords,
    _ slotsToDrop: Set<String>
  ) throws(KeychainError) -> Reconciliation {
    var lacking = VaultLines()
    for index in 0..<change.lines.count {
      change.lines.withLine(index) { line in
        if !shared.contains(line) { lacking.insert(Secret(copying: line)) }
      }
    }
    let publication: Reconciliation.Publication
    if let files, let whole = reading.whole, !reading.isFormer, !reading.isMended,
      try change.hasSlots(of: whole)
    {
      let isMuch = lacking.count > 16 && lacking.count * 2 > change.lines.count
      if lacking.count == 0 {
        publication = .nothing
      } else if isMuch || files.areDue {
        publication = .whole(try wholeFile(change))
      } else {
        publication = .change(try changeFile(lacking, change))
      }
    } else {
      publication = .whole(try wholeFile(change))
    }
    return Reconciliation(
      state: change.locked.folder.headerMAC(of: VaultLocation.vaultName).map { hexadecimal($0) },
      publication: publication, received: change.received, overridden: change.overridden,
      waiting: lacking.count,
      tookKey: reading.tookKey, isKeyUnsent: change.head.isKeyUnsent, unreadable: reading.unreadable,
      slotsWithFormerKey: change.slotsWithFormerKey, slotsToDrop: slotsToDrop)
  }

  private func wholeFile(_ change: VaultChange) throws(KeychainError) -> [UInt8] {
    guard let file = try change.locked.folder.file(VaultLocation.vaultName) else {
      throw .missing(path: location.vaultFile)
    }
    let contents = try file.contents(limit: VaultBounds.file)
    return contents.withUnsafeBytes { Array($0) }
  }

  private func changeFile(
    _ lines: borrowing VaultLines, _ change: VaultChange
  ) throws(KeychainError) -> [UInt8] {
    guard let key = change.key, let uuid = change.stanzas?.uuid else { throw .itemNotFound }
    var head = VaultHead(first: max(1, change.head.generation))
    head.written = clock()
    head.keyNumber = change.head.keyNumber
    head[VaultHead.partName] = Array("true".utf8)
    return try EncodedVault(
      lines, head: head, stanzas: VaultStanzas(uuid: uuid, slots: []), key: key, path: location.vaultFile
    ).file(lines)
  }
}

/// The finds in a place where a vault is shared.
private struct SharedReading {
  /// The whole vault, or the newest readable one.
  var whole: VaultSnapshot?
  var parts: [SharedPart] = []
  /// Former files with another key. They aren't merged, but show what was there.
  var former: [SharedPart] = []
  /// Whether the vault there has another key, to be taken.
  var tookKey = false
  /// Whether the vault here has another key, which is not there yet.
  var isFormer = false
  /// Whether unreadable files there are to be replaced.
  var isMended = false
  var unreadable = 0
}

/// The records of one file. The file itself is closed, because there may be more than a process may have open.
private final class SharedPart {
  let isWhole: Bool
  /// Whether the file is there now. Records of a former file count as lacking, unless another file has them by now.
  let isThere: Bool
  let written: Timestamp
  let recipient: X25519Recipient
  var lines: VaultLines

  init(_ snapshot: VaultSnapshot, isThere: Bool = true) throws(KeychainError) {
    isWhole = !snapshot.first.head.isPart
    self.isThere = isThere
    written = snapshot.first.head.written
    recipient = snapshot.key.recipient
    lines = try snapshot.takeAllLines()
  }
}

/// An earlier file's facts about its key.
private struct EarlierState {
  let key: VaultKey
  let head: VaultHead
}

private struct SharedFileReader: ~Copyable {
  let uuid: String
  let unlocking: Unlocking
  let scratch: ScratchFolder
  let place: String

  init(uuid: String, unlocking: Unlocking, scratch: consuming ScratchFolder, place: String) {
    self.uuid = uuid
    self.unlocking = unlocking
    self.scratch = scratch
    self.place = place
  }

  borrowing func read(
    _ files: SharedFiles, _ key: VaultKey
  ) throws(KeychainError) -> SharedReading {
    var reading = SharedReading()
    var keys = [key]
    var earlier: [EarlierState] = []
    var parts: [SharedPart] = []
    var last: VaultSnapshot?
    for bytes in files.earlier {
      guard let snapshot = try? open(bytes, with: keys),
        let part = try? SharedPart(snapshot, isThere: false)
      else { continue }
      if !keys.contains(where: { $0.recipient == snapshot.key.recipient }) {
        keys.insert(snapshot.key, at: 0)
      }
      parts.append(part)
      if part.isWhole {
        last = snapshot
        earlier.append(EarlierState(key: snapshot.key, head: snapshot.first.head))
      }
    }
    do throws(KeychainError) {
      reading.whole = try open(files.whole, with: keys)
    } catch {
      guard case .damaged = error, let last else { throw error }
      reading.whole = last
      reading.isMended = true
    }
    guard let whole = reading.whole else { throw .otherKey(path: place) }
    if whole.key.recipient != key.recipient {
      try relate(whole, to: key, files.trusted, earlier, &reading)
    }
    reading.former = parts.filter { $0.recipient != whole.key.recipient }
    reading.parts = parts.filter { $0.recipient == whole.key.recipient } + [try SharedPart(whole)]
    for bytes in files.changes {
      if let snapshot = try? open(bytes, with: [whole.key]), let part = try? SharedPart(snapshot) {
        reading.parts.append(part)
      } else {
        reading.unreadable += 1
      }
    }
    // All known records replace the unreadable ones.
    if reading.unreadable > 0 { reading.isMended = true }
    return reading
  }

  /// Decides between two different keys. The key that was there when this machine last saw the place is trusted, and
  /// so is each key made by a holder of a trusted one.
  private borrowing func relate(
    _ whole: VaultSnapshot, to key: VaultKey, _ trusted: [UInt8]?, _ earlier: [EarlierState],
    _ reading: inout SharedReading
  ) throws(KeychainError) {
    var anchor = key
    if let trusted, let known = try? open(trusted, with: [key, whole.key]) { anchor = known.key }
    if whole.key.recipient == anchor.recipient {
      // The key here is newer, and nobody else has made one meanwhile.
      reading.isFormer = true
      return
    }
    var reached = [anchor]
    var rest = earlier + [EarlierState(key: whole.key, head: whole.first.head)]
    while !reached.contains(where: { $0.recipient == whole.key.recipient }) {
      let next = rest.firstIndex { state in
        reached.contains { state.head.isKeyed(state.key, by: $0, uuid: uuid) }
      }
      guard let next else { throw .untrustedKey(of: place) }
      reached.append(rest.remove(at: next).key)
    }
    // Of two made at the same time, the one that got there first counts.
    reading.tookKey = true
  }

  private borrowing func open(_ bytes: [UInt8], with keys: [VaultKey]) throws(KeychainError) -> VaultSnapshot
  {
    let name = "shared.age"
    try bytes.lendingBytes { (bytes) throws(KeychainError) in
      try scratch.folder.replaceForNow(name, with: bytes)
    }
    guard let file = try scratch.folder.file(name, shownAs: place) else { throw .missing(path: place) }
    return try VaultSnapshot(file) { (header, stanzas) throws(KeychainError) in
      guard stanzas.uuid == uuid else { throw .wrongIdentity(path: place) }
      for key in keys {
        if let unlocked = try unlocking.open(header, with: key) { return unlocked }
      }
      var fault: KeychainError?
      if !stanzas.slots.isEmpty, let unlocked = try unlocking.openWithoutAsking(header, stanzas, &fault) {
        return unlocked
      }
      throw .otherKey(path: place)
    }
  }
}

extension KeychainError {
  /// The error if a place where a vault is shared has a key from somebody who didn't have the former one.
  package static func untrustedKey(of place: String) -> KeychainError {
    .damaged(path: place, detail: "its key was not changed by somebody who had the former one")
  }
}

extension VaultHead {
  fileprivate static let partName = Array("part".utf8)

  fileprivate var isPart: Bool { self[Self.partName] != nil }
}

/// The records in a place where a vault is shared.
private struct SharedRecords {
  private struct Digest: Hashable {
    let first: Int
    let second: Int
  }

  private var digests: Set<Digest> = []

  private static func digest(_ line: UnsafeRawBufferPointer) -> Digest {
    // A record's retirement date differs from machine to machine, and nothing depends on it.
    var line = line
    if line.key.starts(with: RetiredRecord.keyPrefix.utf8) {
      let end = Array("\"why\":\"deleted\"}".utf8)
      if !(line.count >= end.count && line.suffix(end.count).elementsEqual(end)) {
        line = RetiredRecord.record(of: line)
      }
    }
    var (first, second) = (Hasher(), Hasher())
    first.combine(bytes: line)
    second.combine(1)
    second.combine(bytes: line)
    return Digest(first: first.finalize(), second: second.finalize())
  }

  mutating func insert(_ line: UnsafeRawBufferPointer) { digests.insert(Self.digest(line)) }

  func contains(_ line: UnsafeRawBufferPointer) -> Bool { digests.contains(Self.digest(line)) }
}

extension VaultChange {
  /// Takes the key and the slots of the shared vault. Noted removals of slots stay.
  fileprivate func takeKey(of whole: VaultSnapshot?) throws(KeychainError) {
    guard let whole else { return }
    let own = try notes()
    let removed = own.removed
    var notes = try SlotNotes(whole.first.head, path: path)
    noteSlotsWithFormerKey(slots, own, besides: whole.stanzas.slots, notes)
    for id in removed { notes.remove(id, keepingNote: whole.stanzas.slots.contains { $0.id == id }) }
    notes.write(to: &head)
    head.keyNumber = whole.first.head.keyNumber
    head.keyProof = whole.first.head.keyProof
    head.isKeyUnsent = false
    head.keyedSince = head.generation
    key = whole.key
    stanzas = whole.stanzas
    isDirty = true
  }

  /// Notes slots that the shared vault got with the former key meanwhile.
  fileprivate func noteSlotsWithFormerKey(of whole: VaultSnapshot?) throws(KeychainError) {
    guard let whole else { return }
    let theirs = try SlotNotes(whole.first.head, path: path)
    noteSlotsWithFormerKey(whole.stanzas.slots, theirs, besides: slots, try notes())
  }

  /// Notes the slots of a state with the former key that the one with the new key never had. A removed member has the
  /// former key, and could get back in with another slot before others have the new key.
  private func noteSlotsWithFormerKey(
    _ former: [VaultStanzas.Slot], _ formerNotes: SlotNotes, besides present: [VaultStanzas.Slot],
    _ notes: SlotNotes
  ) {
    for slot in former where slot.kind.isOpenedByKey {
      if notes.removed.contains(slot.id) || formerNotes.removed.contains(slot.id)
        || present.contains(where: { $0.id == slot.id })
      {
        continue
      }
      var summary = SlotSummary(id: slot.id, kind: slot.kind)
      summary.describe(by: formerNotes[slot.id])
      slotsWithFormerKey.append(summary)
    }
  }

  /// Merges files, and notes all records of the present ones.
  ///
  /// All files together decide between several states of an item, or two items with the same key. Decisions after each
  /// file would depend on their order, and two members could come to different items.
  ///
  /// - Parameter former: files that were there with another key, and aren't merged.
  fileprivate func mergeShared(
    _ parts: [SharedPart], former: [SharedPart], noting shared: inout SharedRecords
  ) throws(KeychainError) {
    var theirs = VaultLines()
    var written = Timestamp(milliseconds: 0)
    for part in parts {
      for index in 0..<part.lines.count {
        part.lines.withLine(index) { line in
          if part.isThere { shared.insert(line) }
          if lines.contains(line) { return }
          theirs.insert(Secret(copying: line))
          written = max(written, part.written)
        }
      }
    }
    if theirs.count == 0 { return }
    let unsent = ownChanges(besides: parts + former)
    let outcome = try merge(theirs, written: written)
    received += outcome.added + outcome.deleted
    overridden += lines.countRetired(of: unsent)
  }

  /// The items changed here, in states that the place never had.
  private func ownChanges(besides parts: [SharedPart]) -> VaultLines {
    var known = SharedRecords()
    for part in parts {
      for index in 0..<part.lines.count { part.lines.withLine(index) { known.insert($0) } }
    }
    var own = VaultLines()
    for index in lines.inUse {
      lines.withLine(index) { line in
        if !known.contains(line) { own.insert(Secret(copying: line)) }
      }
    }
    return own
  }

  /// Whether the vault has the same slots as another state with the same key.
  fileprivate func hasSlots(of whole: VaultSnapshot) throws(KeychainError) -> Bool {
    guard key?.recipient == whole.key.recipient else { return false }
    let theirs = try SlotNotes(whole.first.head, path: path)
    let mine = try notes()
    return Set(slots.map(\.id)) == Set(whole.stanzas.slots.map(\.id))
      && Set(mine.removed) == Set(theirs.removed)
  }
}

extension VaultLines {
  fileprivate borrowing func countRetired(of records: borrowing VaultLines) -> Int {
    var count = 0
    for index in 0..<records.count {
      do throws(JSONReader.Malformed) {
        let retired = try records.withLine(index) { (line) throws(JSONReader.Malformed) in
          try RetiredRecord.line(of: line, at: Timestamp(milliseconds: 0), .merged)
        }
        if hasRetired(retired) { count += 1 }
      } catch {
        continue
      }
    }
    return count
  }
}
