import Age
import Keychain
import PrivateFiles

/// A change of a vault under way: its lines in memory, and the lock held until it ends.
final class VaultChange {
  /// Whether there was no vault when the change began.
  let isNew: Bool
  /// Whether anything would be written.
  private(set) var isDirty = false
  /// Called once when the change is on the disk.
  var onCommit: () -> Void = {}

  private let folder: Folder
  private let lock: FileLock
  private let unlocking: Unlocking
  private var lines: VaultLines
  private var head: VaultHead
  /// The key of the vault; `nil` as long as there is none.
  private(set) var key: VaultKey?
  private var stanzas: VaultStanzas?
  private var newVault: NewVault?

  /// - Throws: ``KeychainError/newerFormat(path:version:)`` if this version may not write the vault; what reading
  ///   throws.
  init(
    _ snapshot: VaultSnapshot?, folder: consuming Folder, lock: consuming FileLock, unlocking: Unlocking
  ) throws(KeychainError) {
    self.unlocking = unlocking
    let path = unlocking.location.vaultFile
    if let snapshot {
      if snapshot.first.minimumWriter > VaultHead.version {
        throw .newerFormat(path: path, version: snapshot.first.minimumWriter)
      }
      isNew = false
      lines = try snapshot.takeAllLines()
      head = snapshot.first.head
      head.generation += 1
      head.previous = snapshot.mac
      key = snapshot.key
      stanzas = snapshot.stanzas
    } else {
      isNew = true
      lines = VaultLines()
      head = VaultHead(
        generation: 1, previous: [], written: Timestamp(milliseconds: 0), count: 0, byteCount: 0)
    }
    self.folder = folder
    self.lock = lock
  }

  private var path: String { unlocking.location.vaultFile }

  /// Whether there is a vault to put items into, be it one that is just being made.
  var isMade: Bool { key != nil }

  /// Makes a vault, which the commit puts in its place.
  func make(_ protection: borrowing Protection) throws(KeychainError) {
    let vault = try NewVault(protection, path: path)
    newVault = vault
    key = VaultKey(vault.identity, uuid: vault.stanzas.uuid)
    stanzas = vault.stanzas
    isDirty = true
  }

  /// Lends the lines whose keys begin with `beginning`, as they are now.
  func withLines<Result: ~Copyable>(
    beginning: [UInt8], _ body: (borrowing VaultLines, Range<Int>) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    try body(lines, lines.lines(beginning: beginning))
  }

  /// Where the item that `item.reference` names is.
  ///
  /// - Throws: ``KeychainError/itemNotFound``.
  func index(of item: Item) throws(KeychainError) -> Int {
    guard let index = try lines.index(of: item, path: path) else { throw .itemNotFound }
    return index
  }

  /// - Throws: ``KeychainError/duplicateItem`` if another item has the same primary key.
  func refuseTwin(of item: Item, except reference: ItemReference?) throws(KeychainError) {
    let key = RecordKey.whole(of: item.key)
    for index in lines.lines(beginning: key) {
      let other = try lines.record(at: index, path: path).item
      if other.reference != reference, other.key.primaryKey == item.key.primaryKey { throw .duplicateItem }
    }
  }

  func credential(at index: Int) throws(KeychainError) -> Credential {
    try lines.credential(at: index, path: path)
  }

  /// Runs a part of the change, which has changed nothing if it throws.
  func undoing<Result>(_ body: () throws(KeychainError) -> Result) throws(KeychainError) -> Result {
    let before = (lines.savepoint, isDirty)
    do throws(KeychainError) {
      return try body()
    } catch {
      lines.restore(before.0)
      isDirty = before.1
      throw error
    }
  }

  /// Gives the item at `index` other attributes and another secret.
  func replace(
    _ index: Int, with item: Item, _ credential: borrowing Credential, at now: Timestamp
  ) throws(KeychainError) -> Item {
    try refuseTwin(of: item, except: item.reference)
    var changed = item
    changed.creationDate = try lines.record(at: index, path: path).item.creationDate
    changed.modificationDate = now
    try insert(changed, credential, replacing: index)
    return changed
  }

  /// Puts an item's line in, and takes out the one at `index`.
  func insert(
    _ item: Item, _ credential: borrowing Credential, replacing index: Int?
  ) throws(KeychainError) {
    let line: Secret
    do {
      if let index {
        line = try lines.withLine(index) { (previous) throws(JSONReader.Malformed) in
          try Record.line(item, credential, revision: head.generation, previous: previous)
        }
      } else {
        line = try Record.line(item, credential, revision: head.generation, previous: nil)
      }
    } catch {
      throw .malformedItem(path: path)
    }
    if let index { lines.remove(index) }
    lines.insert(line)
    isDirty = true
  }

  func remove(_ index: Int) {
    lines.remove(index)
    isDirty = true
  }

  /// Writes the new generation and puts it in the old one's place. Before that it is read back from the file that
  /// was written, by the code that every reader uses.
  func commit(at now: Timestamp) throws(KeychainError) {
    guard let key, let stanzas else { return }
    head.written = now
    let encoded = try EncodedVault(lines, head: head, stanzas: stanzas, key: key, path: path)
    if let newVault {
      try newVault.install(at: unlocking.location, in: folder) { () throws(KeychainError) in
        try write(encoded, key)
      }
    } else {
      try write(encoded, key)
      if stanzas.slots.isEmpty, let state = try Folder(opening: unlocking.location.stateFolder) {
        try NewVault.completeIdentity(in: state)
      }
    }
    // The change is made by now; a copy that fails is tried again with the next one.
    try? copySlots(of: stanzas)
    isDirty = false
    onCommit()
  }

  /// Copies the slots beside the vault, where they aren't yet, so that `age -d -i` can use them. The header's are
  /// the ones that count.
  private func copySlots(of stanzas: VaultStanzas) throws(KeychainError) {
    if stanzas.slots.isEmpty { return }
    let slots = try Folder(creating: folder.path(of: VaultLocation.slotsName))
    for slot in stanzas.slots {
      if try slots.contains(slot.fileName) { continue }
      try slot.file.lendingBytes { (file) throws(KeychainError) in
        try slots.replace(slot.fileName, with: file)
      }
    }
  }

  private func write(
    _ encoded: borrowing EncodedVault, _ key: VaultKey
  ) throws(KeychainError) {
    try encoded.file.lendingBytes { (file) throws(KeychainError) in
      try folder.replace(VaultLocation.vaultName, with: file) { (temporary) throws(KeychainError) in
        guard let file = try folder.file(temporary) else { throw .missing(path: folder.path(of: temporary)) }
        let snapshot = try VaultSnapshot(file) { (header, _) throws(KeychainError) in
          guard let unlocked = try unlocking.open(header, with: key) else { throw .wrongIdentity(path: path) }
          return unlocked
        }
        guard try snapshot.hasPlaintext(encoded.plaintext) else {
          throw .damaged(path: path, detail: "what was written can't be read back")
        }
      }
    }
  }
}
